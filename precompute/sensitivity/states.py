"""How states of rest on the rig change with design variables: implicit differentiation, by the tangent of `balance`.

A state x = (z, F, T) under a setting has r(x, p) = 0, so that x_p solves

    [ K      -H   -E ] [z_p]   [Q_p          ]
    [ A_u U  A_F   0 ] [F_p] = [b_p - A_u u_p]                                                  (1)
    [ E^T     0    0 ] [T_p]   [h_p          ]

with what `partials` gives at fixed z.  What is held stays where it is drawn: h_p is how the drawn value changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array
from precompute.kc.registry import STEP
from precompute.rig.balance import HEIGHTS, tangent
from precompute.rig.cases import Case, keeps_loads, tilts
from precompute.rig.stand import Stand
from precompute.sensitivity.drawn import drawn_wheels
from precompute.sensitivity.partials import Partials


@dataclass(frozen=True, eq=False)
class Moves:
    """How n states of rest of c copies change."""

    z: Array  # (n, c, nz, np)
    pads: Array  # (n, c, nw, np)

    @property
    def flat(self) -> Array:
        """(n c, nz, np) of z."""
        return self.z.reshape(-1, *self.z.shape[2:])


@dataclass(frozen=True, eq=False)
class DesignMoves:
    """What cases refer to at the design position."""

    pads: Array  # (c, nw, np) [N]
    heights: Array  # (c, 3, nw, np) of `HEIGHTS` [m]
    track: Array  # (np,) [m]


def moves(partials: Partials, Q_p: Array, b_p: Array, h_p: Array) -> Moves:
    """By (1).

    Args:
        partials: at the states.
        Q_p: (m, nz, np).
        b_p: (n, w, np) of all wheels of all copies.
        h_p: (nh, np).
    """
    stand, found = partials.stand, partials.found
    setting = found.setting
    solved = tangent(stand.rig, found.at, found.K, setting.A_u, setting.A_F)
    n, c = found.rest.z.shape[:2]
    u = partials.heights().reshape(n, c, 3, -1, b_p.shape[-1])
    set_by = b_p - np.einsum("nwckj,nckjp->nwp", setting.A_u, u)
    held = np.broadcast_to(np.tile(h_p, (c, 1)), (n, c * len(h_p), h_p.shape[-1]))
    z, pads, _ = solved.split(solved.solve(np.concatenate([Q_p.reshape(n, -1, Q_p.shape[-1]), set_by, held], axis=1)))
    return Moves(z, pads)


def design_moves(partials: Partials, change: Moves) -> DesignMoves:
    """What cases refer to, from how the design position changes."""
    stand, z_p = partials.stand, change.flat
    _, U = stand.rig.heights(partials.found.at)
    heights = partials.heights() + np.einsum("mkwi,mip->mkwp", U, z_p)
    pairs = zip(
        *(drawn_wheels(stand, side, partials.derivatives.dimensions.places) for side in stand.sides), strict=True
    )
    track = np.array([(left.contact - right.contact)[1].imag / STEP for left, right in pairs])
    return DesignMoves(change.pads[0], heights, track)


def set_changes(stand: Stand, case: Case, values: Array, at_design: DesignMoves) -> Array:
    """b_p (n, w, np) of a case at values (n,) of its input: what it keeps is what the design position has."""
    rows = [stand.row(side) for side in stand.sides]
    own, n_p = at_design.pads.reshape(-1, at_design.pads.shape[-1]), at_design.track.size
    out = np.zeros((len(values), len(own), n_p))
    if case.pads == "travel":
        return out
    if case.pads == "roll":
        if not tilts(stand, case):
            out[:, rows[0]] = np.tan(values)[:, None] * at_design.track
        if stand.has_forces:
            out[:, rows[1]] = own[rows].sum(axis=0)
        return out
    kind = HEIGHTS.index(stand.choices.held if case.pads == "held" else stand.choices.travel)
    for side, row in zip(stand.sides, rows, strict=True):
        out[:, row] = own[row] if keeps_loads(stand, case) else at_design.heights[side.copy, kind, side.wheel]
    return out
