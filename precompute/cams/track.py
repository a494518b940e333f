"""What a cam gives its follower, as a function of an angle over one turn: pieces, with their borders.

    roller, knife edge   r(phi)   distance of the roller's centre from the cam's, at its polar angle on the cam
    flat                 h(psi)   distance of the face from the cam's centre, at the angle of its normal on the cam

Each piece is smooth, and can be evaluated beyond its borders.  At a border r and r' are continuous, r'' is not: there
the piece after it holds, the one that begins with the border.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from precompute.arrays import Array

TURN = 2.0 * np.pi

Numbers = NDArray[np.intp]
"""Of pieces, from 0."""


class Piece(Protocol):
    """A smooth part of a track.  Angles may be complex, to differentiate by a complex step."""

    def jet(self, angle: Array) -> Array:
        """Value and three derivatives at angles (...).  -> (4, ...)."""

    def length(self, angle: Array) -> Array:
        """How long the pitch curve is from some point of it to an angle (...), growing with the angle [m]."""


@dataclass(frozen=True, eq=False)
class Track:
    """Pieces in the order of their angles, round the cam."""

    begins: Array  # (n,) ascending within one turn: where each piece begins [rad]
    pieces: tuple[Piece, ...]  # n
    held: Numbers | None = None  # (...) the piece at each of the angles that are asked for; none: those that are there

    @property
    def borders(self) -> Array:
        """Where a piece begins and another ends; none if there is one piece that closes in itself."""
        return self.begins if len(self.pieces) > 1 else self.begins[:0]

    def holding(self, pieces: Numbers) -> Track:
        """The same with pieces (...) that go on beyond their ends, one for each of the angles that are asked for."""
        return replace(self, held=pieces)

    def jet(self, angle: Array) -> Array:
        """Value and three derivatives at any angles (...).  -> (4, ...)."""
        local, number = self._found(angle)
        return self._of_pieces(local, number, lambda piece, some: piece.jet(some), (4,))

    def travelled(self, angle: Array) -> Array:
        """Length of the pitch curve from where the first piece begins to any angles (...), over turns [m]."""
        local, number = self._found(angle)
        turns = np.round((angle - local).real / TURN)
        own = self._of_pieces(local, number, lambda piece, some: piece.length(some), ())
        return np.asarray(turns * self.around + self._before[number] + own - self._first[number])

    @property
    def around(self) -> float:
        """Length of the whole pitch curve [m]."""
        return float(self._before[-1])

    def piece_at(self, angle: Array) -> Numbers:
        """Number of the piece at angles (...); at a border of that after it."""
        return self._found(angle)[1]

    @cached_property
    def _ends(self) -> Array:
        """(n + 1,)."""
        return np.append(self.begins, self.begins[0] + TURN)

    @cached_property
    def _first(self) -> Array:
        """(n,) what each piece calls its length where it begins."""
        return np.array([float(p.length(np.array(a))) for p, a in zip(self.pieces, self.begins, strict=True)])

    @cached_property
    def _before(self) -> Array:
        """(n + 1,) length of all pieces before each, and of all."""
        last = [float(p.length(np.array(b))) for p, b in zip(self.pieces, self._ends[1:], strict=True)]
        return np.concatenate([[0.0], np.cumsum(np.array(last) - self._first)])

    def _found(self, angle: Array) -> tuple[Array, Numbers]:
        """Angles within the turn that begins with the first piece, and their pieces; nearest to those that are held."""
        angle = np.asarray(angle)
        if self.held is not None:
            middle = 0.5 * (self._ends[self.held] + self._ends[self.held + 1])
            return angle - TURN * np.round((angle.real - middle) / TURN), self.held
        turns = np.floor((angle.real - self.begins[0]) / TURN)
        local = angle - TURN * turns
        number = np.clip(np.searchsorted(self.begins, local.real, side="right") - 1, 0, len(self.pieces) - 1)
        return local, number

    def _of_pieces(
        self, local: Array, number: Numbers, of: Callable[[Piece, Array], Array], shape: tuple[int, ...]
    ) -> Array:
        out: NDArray[Any] = np.zeros((*shape, *local.shape), dtype=local.dtype)
        for k, piece in enumerate(self.pieces):
            here = number == k
            if here.any():
                out[..., here] = of(piece, local[here])
        return out
