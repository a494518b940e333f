"""Random reduced models: small, valid, and with all that the run-times know; their numbers mean nothing.

Inertia is near 3 times the identity, each stiff coordinate has a bushing; all else is a random function of z and d.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations, combinations_with_replacement

import numpy as np
from helpers_formulas import device_of, plans
from helpers_laws import KINDS, law
from helpers_model import NO_CERTIFICATE, gravity_parameters
from hypothesis import strategies as st

from fmu_src.model.designs import numbers_of, products
from fmu_src.model.factors import times_along
from fmu_src.model.reduced_model import (
    FACTORS,
    Axis,
    BallInfo,
    Block,
    Border,
    Changes,
    CoordinateInfo,
    Coupling,
    DesignInfo,
    DesignNumber,
    Element,
    LoadInfo,
    MarkerInfo,
    MeasureInfo,
    Parameter,
    PortInfo,
    RatioInfo,
    ReducedModel,
    Slope,
    StartInfo,
    StiffInfo,
    WheelInfo,
)
from fmu_src.model.rows import inertia_rows
from fmu_src.model.units import DisplayUnit
from precompute.reduction.arrangement import arranged, chart_quantities
from precompute.reduction.loose import LooseChart, Quantities, quantities_of
from precompute.tables.blocks import TableBlock
from precompute.tables.factors import singular_vectors

PLAIN = {"spring": "ks", "stop_below": "ks", "stop_above": "ks", "linear": "k", "constant": "s", "damper": "k"}
SIZE = 0.1  # of the tables' numbers
RADIUS = 0.01
ABOUT = (0.4 * RADIUS, -0.3 * RADIUS, 0.0)  # what deflections are expanded about, in turn
MOST_AXES = 3  # of a block
TURN = 0.4  # where a chart that takes over begins


@dataclass
class Maker:
    """A model in the making."""

    rng: np.random.Generator
    nf: int
    ns: int
    degree: int
    charts: int
    moving: bool
    read: int
    parameters: list = field(default_factory=lambda: list(gravity_parameters(1.0, -2.0, -9.81)))
    elements: list = field(default_factory=list)

    @property
    def nz(self):
        return self.nf + self.ns

    def parameter(self, value):
        self.parameters.append(Parameter(f"p.x{len(self.parameters)}", float(value), "1", "A number"))
        return len(self.parameters) - 1

    def law(self, kind):
        rng = self.rng
        if kind in PLAIN:
            return law(
                kind, tuple(self.parameter(rng.uniform(10, 90) if c == "k" else rng.normal()) for c in PLAIN[kind])
            )
        x, f = np.cumsum(rng.uniform(0.1, 0.5, (2, n := rng.integers(2, 6))), axis=1)
        lead = [] if kind in ("linear_table", "damper_table") else [rng.normal()]
        return law(kind, tuple(self.parameter(v) for v in (*lead, *(x - 0.3 * n), *(20.0 * f))))

    def device(self, plan, number):
        """A device and its measures, among the elements."""
        own = range(len(self.elements), len(self.elements) + plan.measures)
        self.elements += [
            Element(f"element.e{number}.s{i}", "m", (), lap=float(self.charts > 1)) for i in range(plan.measures)
        ]
        parameters = [self.parameter(self.rng.normal()) for _ in range(plan.parameters)]
        return device_of(plan, f"e{number}", own, parameters)

    def known_at_design(self, law, number):
        """Of springs, whose laws have a reference and act on both sides, every second one has a preload instead."""
        if law.reference is None or law.side != "both":
            return law
        given = {"reference": None, "preload": law.reference} if number % 2 else {}
        return replace(law, design=0.3, **given)

    def bushings(self, quasistatic):
        """One direction per stiff coordinate; sometimes with a coupling and laws that are not linear."""
        for k in range(self.ns):
            laws = [law("linear", (self.parameter(10 ** self.rng.uniform(4, 6)),))]
            laws += [law("damper", (self.parameter(self.rng.uniform(50, 200)),))]
            for kind in ("constant", "linear_table", "damper_table"):
                laws += [self.law(kind)] * int(self.rng.random() < 0.3)
            name = f"bushing.b{k // 6 or ''}"
            self.elements.append(Element(name, "m", tuple(laws), direction=k % 6 + 1))
        if self.ns < 2 or self.rng.random() < 0.4:
            return ()
        return (Coupling(0, 1, self.parameter(1e3), self.parameter(10.0)),)

    def springs(self, count):
        for i in range(count):
            laws = tuple(self.law(kind) for kind in self.rng.choice(list(KINDS), self.rng.integers(1, 4)))
            laws = tuple(self.known_at_design(law, n + i) for n, law in enumerate(laws))
            self.elements.append(Element(f"spring.e{i}", "m", laws, lap=float(self.charts > 1)))

    # --- tables -------------------------------------------------------------------------------------------------------

    def knots(self, axis, p):
        spans = int(self.rng.integers(1, 5))
        if axis.periodic:
            spans += p
            return axis.lower + (axis.upper - axis.lower) / spans * (np.arange(spans + 2 * p + 1) - p)
        inner = axis.lower + (axis.upper - axis.lower) * np.sort(self.rng.uniform(0.05, 0.95, spans - 1))
        return np.concatenate(([axis.lower] * (p + 1), inner, [axis.upper] * (p + 1)))

    def block(self, number, axes, over, known):
        knots = []
        p = int(self.rng.choice((self.degree, 3)))
        for k in over:
            if (k, p) not in known or self.rng.random() < 0.5:
                known[k, p] = self.knots(axes[k], p)
            knots.append(known[k, p])
        nc = int(self.rng.integers(3, 12))
        stored = np.where(self.rng.random(nc) < 0.8, np.arange(nc), -1)
        coefficients = SIZE * self.rng.normal(size=(*(len(t) - p - 1 for t in knots), nc))
        for place, k in enumerate(over):
            if axes[k].periodic:
                moved = np.moveaxis(coefficients, place, 0)
                moved[len(moved) - p :] = moved[:p]
        slope = np.zeros((nc, len(over)))
        numbers = SIZE * self.rng.normal(size=nc)
        names = tuple(f"b{number}_{c}" for c in range(nc))
        z_ref = 0.1 * self.rng.normal(size=len(over))
        made = TableBlock(over, tuple(knots), names, z_ref, numbers, slope, stored, coefficients)
        return as_factors(made) if number % 2 else made

    def chart(self, number, axes, markers, borders):
        rows = quantities_of(self.nz, len(self.elements), markers, self.read, self.charts, len(borders), self.moving)
        base = self.base(rows)
        constants = TableBlock(
            (), (), tuple(f"c{i}" for i in range(len(base))), np.zeros(0), np.array([v for _, v, _ in base]),
            np.zeros((len(base), 0)), np.full(len(base), -1), np.zeros(0),
        )  # fmt: skip
        subsets = [s for n in range(1, min(self.nf, MOST_AXES) + 1) for s in combinations(range(self.nf), n)]
        chosen = self.rng.permutation(len(subsets))[: self.rng.integers(1, 4)]
        known: dict = {}
        blocks = [constants, *(self.block(i + 1, axes, subsets[k], known) for i, k in enumerate(sorted(chosen)))]
        terms = [(row, c, *padded([k] if k >= 0 else [])) for c, (row, _, k) in enumerate(base)]
        first = len(base)
        for number, block in enumerate(blocks[1:], 1):
            own = self.terms(rows, first, len(block.columns))
            blocks[number] = replace(block, slope=self.slope(block, first, own))
            terms += own
            first += len(block.columns)
        return LooseChart(tuple(axes), tuple(blocks), np.array(terms, dtype=np.int64), borders, NO_CERTIFICATE)

    def slope(self, block, first, terms):
        """Some columns grow by a fixed slope; none that deflections multiply."""
        nc, nb = len(block.columns), len(block.axes)
        multiplied = {column - first for _, column, *factors in terms if max(factors) >= 0}
        grows = [c not in multiplied and self.rng.random() < 0.5 for c in range(nc)]
        return SIZE * self.rng.normal(size=(nc, nb)) * np.array(grows)[:, None]

    def base(self, rows: Quantities):
        """What makes the numbers usable: (quantity, number, stiff coordinate or -1)."""
        found = [(int(inertia_rows(self.nz)[k, k]), 3.0, -1) for k in range(self.nz)]
        found += [(rows.s.start + k, 1.0, k) for k in range(self.ns)]
        if self.moving:
            found += [(rows.I.start + k, 2.0, -1) for k in range(3)]
        for marker in range(rows.markers.start, rows.markers.stop, rows.marker_size):
            found += [(marker + 3 + 4 * k, 1.0, -1) for k in range(3)]
        if self.charts > 1:
            found += [(rows.G.start + k * (self.nz + 1), 1.0, -1) for k in range(self.nz)]
            found += [(row, -TURN, -1) for row in range(rows.borders.start, rows.borders.stop)]
        return found

    def terms(self, rows, first, columns):
        """Columns of a block for some rows; a measure of a bushing mostly stays linear."""
        orders = (combinations_with_replacement(range(self.ns), n) for n in range(FACTORS + 1))
        monomials = [padded(factors) for order in orders for factors in order]
        found = []
        alike = dict(zip(range(rows.s.start + self.ns + 1, rows.s.stop), self.rng.random(99) < 0.2, strict=False))
        for row in range(rows.count):
            bushing = rows.s.start <= row < rows.s.start + self.ns
            if self.rng.random() < (0.9 if bushing else 0.4):
                continue
            for k in self.rng.permutation(len(monomials))[: self.rng.integers(1, 4)]:
                found.append((row, first + int(self.rng.integers(columns)), *monomials[k]))
        for row in (row for row, same in alike.items() if same):  # elements with one measure
            found = [term for term in found if term[0] != row]
            found += [(row, *term[1:]) for term in found if term[0] == row - 1]
        return found


def padded(factors):
    """FACTORS numbers, -1 for none."""
    return (*factors, *(-1,) * FACTORS)[:FACTORS]


def random_model(*arguments, **flags) -> ReducedModel:
    """A valid model; flags per axis are tuples, of three unless there are more."""
    return arranged(*loose_model(*arguments, **flags))


def loose_model(
    seed,
    nf,
    ns,
    charts,
    degree,
    moving,
    quasistatic,
    periodic,
    outside,
    driven,
    method="rk4",
    read=0,
    wheels=0,
    loads=0,
    devices=(),
) -> tuple[ReducedModel, list[LooseChart]]:
    """The same with its charts apart."""
    rng = np.random.default_rng(seed)
    ns, quasistatic = (0, False) if charts > 1 else (ns, quasistatic and ns > 0)
    make = Maker(rng, nf, ns, degree, charts, moving, read)
    couplings = make.bushings(quasistatic)
    make.springs(int(rng.integers(0, 5)))
    devices = tuple(make.device(plan, i) for i, plan in enumerate(devices))
    markers = tuple(
        MarkerInfo(f"m{i}", *(((0.0, 1.0, 0.0),) * 2 if i else (None, None))) for i in range(rng.integers(0, 3))
    )
    made = []
    for number in range(charts):
        axes = [
            Axis(f"z{i}" if number == 0 else f"y{i}", "rad", -1.0 - 0.1 * i, 1.2, periodic[i], outside[i])
            for i in range(nf)
        ]
        ends = rng.integers(1, 3) if charts > 1 else 0
        borders = tuple(
            Border(0, bool(e), 0.7 if e else -0.7, 1 - number, (0.01,) * nf, 1 - 2 * e) for e in range(ends)
        )
        made.append(make.chart(number, axes, len(markers), borders))
    driven = driven if charts == 1 else ("no",) * nf
    model = ReducedModel(
        name="Random",
        description="Random numbers",
        source_hash=f"{seed:064x}",
        coordinates=tuple(
            CoordinateInfo(f"z{i}", "rad", "An axis", 0.5 * (charts > 1), driven[i], 0.05 * (driven[i] == "filtered"))
            for i in range(nf)
        ),
        charts=(),
        starts=(*(StartInfo(0.1, 0.2, "An axis"),) * nf, *(StartInfo(0.0, 0.0, "A deflection"),) * ns),
        stiff=tuple(StiffInfo(f"d.x{i}", "m", RADIUS, "A deflection", about=ABOUT[i % 3]) for i in range(ns)),
        quasistatic=quasistatic,
        moving=moving,
        mass=5.0,
        gravity=(0, 1, 2),
        parameters=tuple(make.parameters),
        elements=tuple(make.elements),
        couplings=couplings,
        markers=markers,
        ports=tuple(PortInfo(m.name, i) for i, m in enumerate(markers) if rng.random() < 0.7),
        stop_time=1.0,
        step_size=1e-3,
        mechanism={},
        method=method,
        measures=tuple(MeasureInfo(f"r{i}", "m", "A number", 0.3 * (charts > 1)) for i in range(read)),
        wheels=tuple(random_wheel(i, len(markers), rng) for i in range(wheels if markers else 0)),
        devices=devices,
    )
    model = with_motion(model, charts)
    return with_loads(model, made, loads, rng)


def with_loads(model, made, count, rng):
    """With so many loads, every second one an acceleration, made of the columns that are there already."""
    infos = tuple(
        LoadInfo(f"joint.j{i}.F[1]", "N", "A load", (-1.0) ** i, acceleration=i % 2 == 1) for i in range(count)
    )
    model, charts = replace(model, loads=infos), []
    for chart in made:
        rows = chart_quantities(model, made, chart)
        own = rows.load_places
        terms = [chart.terms]
        for i in range(count):
            first, last = rows.load(i).start, own.C.stop if i % 2 else own.count
            acting = [*range(own.s.start, own.s.start + len(model.stiff)), own.s.stop - 1]  # others may share a measure
            possible = (k for k in range(last) if k in acting or not own.s.start <= k < own.s.stop)
            taken = [first + k for k in possible if rng.random() < 0.5]
            for row in taken:
                _, column, *monomial = chart.terms[rng.integers(len(chart.terms))].tolist()
                terms.append(np.array([[row, column, *monomial]]))
        charts.append(replace(chart, terms=np.concatenate(terms)))
    return model, charts


def with_motion(model, charts):
    """With motion ratios, where there are as many wheels as axes or one less; that one steers all or is driven."""
    held = tuple(range(len(model.coordinates) - len(model.wheels)))
    if len({wheel.marker for wheel in model.wheels}) < len(model.wheels):  # they do not travel by themselves
        return model
    if not model.wheels or len(held) > 1 or len(model.wheels) > len(model.coordinates) or (held and charts > 1):
        return model
    springs = [i for i, element in enumerate(model.elements) if not element.direction]
    shown = {"ratios": tuple(RatioInfo(i, (-1.0) ** i) for i in springs), "steering": held[0] if held else None}
    mains = [None, *springs]
    wheels = [replace(w, **shown, spring=mains[i % len(mains)]) for i, w in enumerate(model.wheels)]
    return replace(model, held=held, wheels=tuple(wheels))


def random_wheel(number, markers, rng):
    """On any marker, in any axes; they turn with little of their own."""
    axes, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    spin = np.linalg.qr(rng.normal(size=(3, 1)))[0][:, 0]
    return WheelInfo(
        name=f"w{number}",
        marker=number % markers,
        spin_axis=tuple(spin.tolist()),
        side=("left", "right")[number % 2],
        radius=0.3,
        centre=(0.1, 0.2, 0.3),
        axes=tuple(tuple(axis) for axis in axes.tolist()),
        road=-0.2,
        balls=(BallInfo(True, (0.1, -0.1, -0.2)), BallInfo(bool(number % 2), (-0.1, 0.2, 0.6))) if number else (),
    )


def turned_model(seed, quasistatic=False, moving=False, method="rk4") -> ReducedModel:
    """A random model whose six stiff coordinates are those of a bushing with Cardan angles, coupled every way."""
    flags = {"periodic": (False,) * 3, "outside": ("error",) * 3, "driven": ("no",) * 3}
    model, charts = loose_model(
        seed, nf=1, ns=6, charts=1, degree=3, moving=moving, quasistatic=quasistatic, method=method, **flags
    )
    first = len(model.parameters)
    pairs = ((1, 4), (3, 5))
    more = [
        Parameter(f"more.{symbol}{i}", value, "1", "A number")
        for i in range(len(pairs))
        for symbol, value in (("k", 2e3), ("c", 5.0))
    ]
    couplings = tuple(Coupling(a, b, first + 2 * i, first + 2 * i + 1) for i, (a, b) in enumerate(pairs))
    parameters = (*model.parameters, *more)
    return arranged(
        replace(model, parameters=parameters, couplings=(*model.couplings, *couplings), cardans=(0,)), charts
    )


def dense_model(seed, ns, degree, whole=True, **more) -> ReducedModel:
    """A random model with one axis, every entry of whose inertia changes with it and with each deflection.

    Like those of suspensions it has a block of degree 5 without deflections, and one of a degree of its own with each
    of them.  Unless `whole`, only those entries are in these that fill chunks of eight rows.
    """
    flags = {"periodic": (False,) * 3, "outside": ("error",) * 3, "driven": ("no",) * 3, "quasistatic": False}
    model, (chart,) = loose_model(seed, nf=1, ns=ns, charts=1, degree=5, **flags, **more)
    rng, symmetric = np.random.default_rng(seed), inertia_rows(1 + ns)
    entries = [(int(symmetric[i, j]), i == j) for i in range(1 + ns) for j in range(i, 1 + ns)]
    entries = entries if whole else entries[: len(entries) // 8 * 8]
    inertia = {row for row, _ in entries}
    terms = [term for term in chart.terms.tolist() if term[0] not in inertia]
    first = sum(len(block.columns) for block in chart.blocks)
    rest = table(rng, chart.axes[0], 5, "rest", np.array([3.0 * diagonal for _, diagonal in entries]))
    each = table(rng, chart.axes[0], degree, "each", np.zeros(len(entries) * ns))
    terms += [(row, first + e, *padded(())) for e, (row, _) in enumerate(entries)]
    first += len(entries)
    terms += [(row, first + e * ns + i, *padded((i,))) for e, (row, _) in enumerate(entries) for i in range(ns)]
    dense = replace(chart, blocks=(*chart.blocks, rest, each), terms=np.array(terms, dtype=np.int64))
    return arranged(model, [dense])


def as_factors(block: TableBlock) -> TableBlock:
    """The same block, stored as factors."""
    core, bases = block.coefficients, []
    for k in range(len(block.axes)):
        bases.append(singular_vectors(np.moveaxis(core, k, 0).reshape(core.shape[k], -1)))
        core = times_along(core, bases[k].T, k)
    return replace(block, core=core, bases=tuple(bases))


def table(rng, axis, degree, name, middle) -> TableBlock:
    """Random columns over one axis, with numbers near `middle` (nc)."""
    inner = np.linspace(axis.lower, axis.upper, 6)[1:-1]
    knots = np.concatenate(([axis.lower] * (degree + 1), inner, [axis.upper] * (degree + 1)))
    nc = len(middle)
    coefficients = middle + SIZE * rng.normal(size=(len(knots) - degree - 1, nc))
    names = tuple(f"{name}{c}" for c in range(nc))
    return TableBlock((0,), (knots,), names, np.zeros(1), np.zeros(nc), np.zeros((nc, 1)), np.arange(nc), coefficients)


def three(values):
    return st.tuples(*(st.sampled_from(values),) * 3)


models = st.builds(
    random_model,
    seed=st.integers(0, 2**32),
    nf=st.integers(1, 3),
    ns=st.sampled_from((0, 0, 1, 2, 3, 5)),
    charts=st.sampled_from((1, 1, 2)),
    degree=st.integers(1, 6),
    moving=st.booleans(),
    quasistatic=st.booleans(),
    periodic=three((False, False, True)),
    outside=three(("error", "linear")),
    driven=three(("no", "no", "direct", "filtered")),
    method=st.sampled_from(("rk4", "midpoint")),
    read=st.integers(0, 2),
    wheels=st.integers(0, 3),
    loads=st.integers(0, 3),
    devices=st.lists(plans, max_size=3).map(tuple) | st.just(()),
)


def shaken(model: ReducedModel, size: float, seed: int) -> ReducedModel:
    """The model with every number of its tables changed by `size` of the largest of its column, up or down."""
    rng = np.random.default_rng(seed)

    def shake(block: Block) -> Block:
        c, axes = block.coefficients, tuple(range(len(block.axes)))
        largest = np.abs(c).max(axis=axes, keepdims=True) if axes else np.abs(c)
        return replace(block, core=c + size * largest * rng.choice((-1.0, 1.0), c.shape), bases=())

    def shake_slope(slope: Slope) -> Slope:
        return replace(slope, slope=slope.slope * (1.0 + size * rng.choice((-1.0, 1.0))))

    charts = (
        replace(chart, blocks=tuple(map(shake, chart.blocks)), slopes=tuple(map(shake_slope, chart.slopes)))
        for chart in model.charts
    )
    return replace(model, charts=tuple(charts))


def with_designs(model: ReducedModel, count: int, seed: int) -> ReducedModel:
    """The model with so many design parameters, which change some cells of each block and some other numbers."""
    rng = np.random.default_rng(seed)
    names = [(cell, k) for cell in range(99) for k in range(len(products(count)))]

    def changed(axes: tuple[Axis, ...], number: int, block: Block) -> Block:
        possible = [pair for pair in names if pair[0] < len(block.cells)]
        pairs = [pair for pair in possible if rng.random() < 0.3] or possible[:1]
        shape = (*block.coefficients.shape[:-1], 8 * len(pairs))
        core, bases = 0.3 * SIZE * rng.normal(size=shape), []
        for k, axis in enumerate(block.axes):
            if axes[axis].periodic:
                along = np.moveaxis(core, k, 0)
                along[len(along) - block.degree :] = along[: block.degree]
        for k in range(len(block.axes) if number % 2 else 0):
            bases.append(singular_vectors(np.moveaxis(core, k, 0).reshape(core.shape[k], -1)))
            core = times_along(core, bases[k].T, k)
        changes = Changes(np.array(pairs, dtype=np.int64), np.ascontiguousarray(core), tuple(bases))
        return replace(block, changes=changes)

    charts = (replace(c, blocks=tuple(changed(c.axes, i, b) for i, b in enumerate(c.blocks))) for c in model.charts)
    told = DisplayUnit("mm", 1e3)
    designs = tuple(DesignInfo(f"d{i}", f"point.P{i}.x", "m", 0.005 * (i + 1), told, (1e-5,) * 3) for i in range(count))
    first = {key[0]: key for key in reversed(numbers_of(model))}
    numbers = [key for key in numbers_of(model) if rng.random() < 0.5 or key in first.values()]
    return replace(
        model,
        charts=tuple(charts),
        designs=designs,
        design_numbers=tuple(
            DesignNumber(*key, tuple((0.01 * rng.normal(size=len(products(count)))).tolist())) for key in numbers
        ),
    )
