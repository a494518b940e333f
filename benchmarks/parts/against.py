"""The kernel against that of another commit: both in one process, taking turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from fmu_src.interface.variables import variables
from parts.commit import COMPILER, Side, sides
from parts.kernel import Kernel
from parts.master import ALONE, CALLED, WAYS, Master
from parts.models import TIMED, timed
from parts.steps import kernels, medians
from parts.variants import compilers, families

BEFORE = "before"

MOST = {
    "rigid_1": 1.1,
    "rigid_2": 1.1,
    "bushings_1": 1.1,
    "bushings_1, midpoint": 1.1,
    "double_wishbone": 1.0,
    "double_wishbone, midpoint": 0.85,
}
"""Time of a step with AVX-512, of the other commit's."""

FASTER = {"rigid_1": 4.0, "rigid_2": 4.0, "bushings_1": 1.3, "bushings_1, midpoint": 1.3}
"""How many times faster a step is with AVX2."""

MASTER_US = {"rigid_1": 0.4, "rigid_2": 1.2, "bushings_1, midpoint": 2.0, "double_wishbone, midpoint": 9.0}
"""[us] a step with inputs set and outputs read may take, unless half of the other commit's time is more."""


BAKE_S = {"double_wishbone": 15.0}
"""[s] a bake may take of processor time."""


@dataclass(frozen=True)
class Bake:
    """Processor time of the bake of one model [s]."""

    model: str
    before: float  # of the other commit
    now: float


@dataclass(frozen=True)
class Row:
    """Times of one model, of one family of processors, in one way [us]."""

    model: str
    family: str
    way: str
    before: float  # of the other commit
    now: dict[str, float]  # by compiler

    @property
    def share(self) -> float:
        """Of the other commit's time."""
        return self.now[COMPILER] / self.before


@dataclass(frozen=True)
class Bar:
    """One demand: a number that may not be larger than another."""

    what: str
    found: float
    most: float

    @property
    def met(self) -> bool:
        """Whether it holds."""
        return self.found <= self.most


def measure(commit: str, repetitions: int, keys: Sequence[str] = TIMED) -> dict[str, object]:
    """Times of all models and the demands on them."""
    others = sides(commit)
    rows = [row for key in keys for row in of_model(key, others[key], repetitions)]
    bakes = [Bake(key, others[key].bake_s, timed(key).seconds) for key in keys if ", " not in key]
    return {
        "commit": commit,
        "rows": [asdict(row) for row in rows],
        "bakes": [asdict(bake) for bake in bakes],
        "bars": [asdict(bar) | {"met": bar.met} for bar in (*bars(rows), *of_bakes(bakes))],
    }


def of_model(key: str, other: Side, repetitions: int) -> Iterator[Row]:
    """Times of one model in all variants; all take the same steps."""
    baked = timed(key)
    called = kernels(baked, frozenset(other.variables))  # since then there are more outputs
    _, own = next(iter(called.values()))
    names = [variable.name for variable in variables(baked.model)]
    theirs = Master(*([other.variables.index(names[i]) for i in part] for part in (own.inputs, own.outputs)))
    called |= {(family, BEFORE): (Kernel(other.libraries[family], other.model), theirs) for family in families()}
    us = medians(called, repetitions)
    for way in WAYS:
        for family in families():
            now = {compiler: us[family, compiler, way] for compiler in compilers()}
            yield Row(key, family, way, us[family, BEFORE, way], now)


def bars(rows: Sequence[Row]) -> list[Bar]:
    """All demands on what was measured."""
    return [*against_before(rows), *against_narrower(rows)]


def of_bakes(bakes: Sequence[Bake]) -> Iterator[Bar]:
    """Demands on bakes."""
    for bake in bakes:
        if bake.model in BAKE_S:
            yield Bar(f"{bake.model}: bake, s", bake.now, BAKE_S[bake.model])


def against_before(rows: Sequence[Row]) -> Iterator[Bar]:
    """Demands on the time that the other commit takes."""
    for row in rows:
        label = f"{row.family}, {row.model}, {row.way}"
        if row.way == ALONE and row.family == "AVX-512" and row.model in MOST:
            yield Bar(f"{label}: share of the time before", row.share, MOST[row.model])
        if row.way == ALONE and row.family == "AVX2" and row.model in FASTER:
            yield Bar(f"{label}: share of the time before", row.share, 1.0 / FASTER[row.model])
        if row.way == CALLED and row.family == families()[0] and row.model in MASTER_US:
            yield Bar(f"{label}: us", row.now[COMPILER], max(MASTER_US[row.model], 0.5 * row.before))


def against_narrower(rows: Sequence[Row]) -> Iterator[Bar]:
    """No family is slower than the next narrower one; of a model the worst that was found."""
    pairs = [(a, b) for a, b in zip(rows, rows[1:], strict=False) if (a.model, a.way) == (b.model, b.way)]
    for model in dict.fromkeys(wide.model for wide, _ in pairs):
        for compiler in rows[0].now:
            own = [(wide, narrow.now[compiler]) for wide, narrow in pairs if wide.model == model]
            worst, us = max(own, key=lambda pair: pair[0].now[compiler] / pair[1])
            label = f"{compiler}, {model}: {worst.family} over the next narrower, {worst.way}"
            yield Bar(label, worst.now[compiler] / us, 1.0)
