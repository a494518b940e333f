"""A study: designs drawn at random in chunks, each with a seed of its own, and metrics of all of them.

What a chunk is does not depend on who computes it, nor when: the same seed gives the same bits.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtri

from fmu_src import __version__
from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.mechanism_file import source_hash
from precompute.model.mechanism import Mechanism
from precompute.study.engine import Engine
from precompute.study.sampling import Sampler, count, evenly, saltelli
from precompute.study.tolerances import Tolerances

TOGETHER, ALONE = 256, 16
"""Designs of a chunk, where all are computed at one go, and where some are not."""


@dataclass(frozen=True, eq=False)
class Study:
    """What is to be computed."""

    mechanism: Mechanism
    tolerances: Tolerances
    samples: int
    sampler: Sampler = "montecarlo"
    seed: int = 0

    def __post_init__(self) -> None:
        for what, least in (("samples", 2), ("seed", 0)):
            value = getattr(self, what)
            if not isinstance(value, int) or value < least:
                raise PrecomputeError(f"{what} is {value!r}; give a whole number, {least} or more")
        self.count  # noqa: B018  too few designs are told at once

    def __getstate__(self) -> dict[str, Any]:
        """What was asked; workers prepare the rest themselves."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def key(self) -> str:
        """Equal for studies that give the same."""
        asked = [asdict(self.tolerances), self.samples, self.sampler, self.seed, __version__]
        text = json.dumps([source_hash(self.mechanism), *asked])
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the variables."""
        return tuple(spread.name for spread in self.tolerances.spreads)

    @cached_property
    def count(self) -> int:
        """Of designs; fewer than `samples` where they come in rows."""
        return count(self.sampler, self.samples, len(self.names))

    @cached_property
    def sizes(self) -> Array:
        """(nv,) standard deviations [SI]; of uniform ones half width over sqrt(3)."""
        shares = {"normal": 1.0, "uniform": 3.0**-0.5}
        return np.array([shares[spread.shape] * spread.size for spread in self.tolerances.spreads])

    @cached_property
    def engines(self) -> tuple[Engine, ...]:
        """One for each curve.

        Raises:
            PrecomputeError: a metric or a case is none, or the mechanism itself cannot be led through it; all of these.
        """
        tolerances, found, problems = self.tolerances, list[Engine](), list[str]()
        for number, c in enumerate(tolerances.curves, start=1):
            what = self.mechanism, self.names, c.metrics, c.over, c.between, c.points, c.axle
            try:
                found.append(Engine.of(*what, elastic=tolerances.elastic))
            except PrecomputeError as error:
                problems.append(f"curves {number}: {error}")
        if problems:
            raise PrecomputeError("\n".join(problems))
        return tuple(found)

    @cached_property
    def chunk_size(self) -> int:
        """Designs of a chunk."""
        return ALONE if any(engine.why for engine in self.engines) else TOGETHER

    @property
    def chunks(self) -> int:
        """How many there are."""
        return -(-self.count // self.chunk_size)

    def changes(self, chunk: int) -> Array:
        """(n, nv) of the variables in a chunk [SI]."""
        start = chunk * self.chunk_size
        n = min(self.chunk_size, self.count - start)
        spreads = self.tolerances.spreads
        if self.sampler == "montecarlo":
            rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(chunk,)))
            columns = [rng.normal(size=n) if s.shape == "normal" else rng.uniform(-1.0, 1.0, n) for s in spreads]
        else:
            points = (saltelli if self.sampler == "saltelli" else evenly)(len(spreads), self.seed, start, n)
            pairs = zip(points.T, spreads, strict=True)
            columns = [ndtri(x) if s.shape == "normal" else 2.0 * x - 1.0 for x, s in pairs]
        return np.stack([s.size * column for s, column in zip(spreads, columns, strict=True)], axis=-1)

    def chunk(self, number: int) -> Chunk:
        """Computes one."""
        changes = self.changes(number)
        results = [engine.results(changes) for engine in self.engines]
        failures = dict[int, str]()
        for result in results:
            for design, text in result.failures.items():
                before = f"{failures[design]}; " if design in failures else ""
                failures[design] = before + (text if text not in before else "")
        columns = {f"{k}/{name}": column for k, result in enumerate(results) for name, column in result.columns.items()}
        return Chunk(changes, columns, failures)


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some designs of a study."""

    changes: Array  # (n, nv) [SI]
    columns: Mapping[str, Array]  # "number of the curve/column" -> (n, m) [SI]
    failures: Mapping[int, str]  # number in the chunk -> why

    def packed(self) -> bytes:
        """As a file."""
        out = io.BytesIO()
        arrays: dict[str, Any] = {"changes": self.changes, **self.columns}
        told = np.frombuffer(json.dumps({str(k): text for k, text in self.failures.items()}).encode(), dtype=np.uint8)
        np.savez(out, failures=told, **arrays)
        return out.getvalue()
