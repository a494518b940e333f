"""Hand-made reduced models with known closed forms, tabulated with SciPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from helpers_laws import law
from scipy.interpolate import make_interp_spline

from fmu_src.model.reduced_model import (
    FACTORS,
    Array,
    Axis,
    Certificate,
    ColumnError,
    CoordinateInfo,
    Element,
    MarkerInfo,
    Parameter,
    PortInfo,
    ReducedModel,
    StartInfo,
)
from fmu_src.numpy_runtime.state import State
from precompute.reduction.arrangement import arranged
from precompute.reduction.loose import LooseChart
from precompute.tables.blocks import TableBlock

DEGREE = 5
NO_CERTIFICATE = Certificate(1e-8, (), (), 0, 1.0, ())
AxisSpec = tuple[str, str, float, float, bool, str, int]  # name, unit, lower, upper, periodic, outside, nodes


def fit_chart(
    specs: Sequence[AxisSpec],
    columns: Sequence[str],
    function: Callable[..., Array],
    slopes: dict[str, Sequence[float]] | None = None,
    degree: int = DEGREE,
) -> LooseChart:
    """Tabulate function(*grids) -> (..., nc) over the axes; constant columns are kept out of the table.

    `slopes` names columns that grow by a fixed slope; their function values must be without it.
    """
    grids = [np.linspace(lower, upper, nodes) for _, _, lower, upper, _, _, nodes in specs]
    values = function(*np.meshgrid(*grids, indexing="ij"))
    nz, nc = len(specs), len(columns)
    slope = np.zeros((nc, nz))
    for name, row in (slopes or {}).items():
        slope[columns.index(name)] = row
    spread = np.ptp(values.reshape(-1, nc), axis=0)
    stored = np.full(nc, -1)
    stored[spread > 0] = np.arange(int((spread > 0).sum()))
    constant = np.where(spread > 0, 0.0, values.reshape(-1, nc)[0])
    axes, knots, coefficients = [], [], values[..., spread > 0]
    for k, (name, unit, lower, upper, periodic, outside, _) in enumerate(specs):
        y = np.moveaxis(coefficients, k, 0)
        if periodic:
            y[-1] = y[0]
        spline = make_interp_spline(grids[k], y, k=degree, bc_type="periodic" if periodic else None)
        coefficients = np.moveaxis(spline.c, 0, k)
        axes.append(Axis(name, unit, lower, upper, periodic, outside))
        knots.append(spline.t)
    block = TableBlock(
        axes=tuple(range(nz)),
        knots=tuple(knots),
        columns=tuple(columns),
        z_ref=np.zeros(nz),
        constant=constant,
        slope=slope,
        stored=stored,
        core=np.ascontiguousarray(coefficients),
    )
    return with_certificate(LooseChart(tuple(axes), (block,), np.zeros((0, 4), dtype=np.int64), (), NO_CERTIFICATE))


def with_terms(chart: LooseChart, *parts: Sequence[int]) -> LooseChart:
    """The chart with these columns as its quantities, part after part."""
    columns = [c for part in parts for c in part]
    terms = [(quantity, column, *(-1,) * FACTORS) for quantity, column in enumerate(columns)]
    return replace(chart, terms=np.array(terms, dtype=np.int64).reshape(-1, 2 + FACTORS))


def gravity_parameters(gx: float, gy: float, gz: float) -> tuple[Parameter, ...]:
    return tuple(Parameter(f"gravity[{i + 1}]", value, "m/s2", "Gravity") for i, value in enumerate((gx, gy, gz)))


def with_certificate(chart: LooseChart) -> LooseChart:
    zero = tuple(0.0 for _ in chart.axes)
    errors = tuple(ColumnError(name, 1.0, 1e-9, zero, 2e-8, zero) for name in chart.columns)
    nodes = tuple(b.coefficients.shape[:-1] for b in chart.blocks)
    axes = tuple(tuple(chart.axes[k].name for k in b.axes) for b in chart.blocks)
    return replace(chart, certificate=Certificate(1e-8, axes, nodes, 100, 12.5, errors))


# --- crank-slider -----------------------------------------------------------------------------------------------------

CRANK_COLUMNS = (
    "J", "Sx", "Sy", "Sz", "t34", "theta",
    "x", "y", "z", "Rxx", "Rxy", "Rxz", "Ryx", "Ryy", "Ryz", "Rzx", "Rzy", "Rzz", "Ax", "Ay", "Az",
)  # fmt: skip

CRANK_END_ANGLE = 9.5267220328  # [rad] after 5 s from theta = 0, rate 2 rad/s
CRANK_ENERGY = 66.0  # [J]


def crank_functions(th: Array) -> Array:
    """(..., nc) of the crank-slider: crank 1 m, rod 2 m, spring on the slider."""
    phi = -np.arcsin(np.sin(th) / 2)
    dphi = -np.cos(th) / (2 * np.cos(phi))
    t34 = 2 - np.cos(th) - 2 * np.cos(phi)
    dt34 = np.sin(th) + 2 * np.sin(phi) * dphi
    v = (-np.sin(th) - np.sin(phi) * dphi, np.cos(th) + np.cos(phi) * dphi)
    J = 4 + 12 * (v[0] ** 2 + v[1] ** 2) + 4 * dphi**2 + 20 * dt34**2
    c, s, o, i = np.cos(th), np.sin(th), np.zeros_like(th), np.ones_like(th)
    S = (12 * (c + np.cos(phi)) + 20 * (2 - t34), 12 * (s + np.sin(phi)), o)
    return np.stack((J, *S, t34, o, c, s, o, c, -s, o, s, c, o, o, o, i, o, o, i), axis=-1)


def crank_slider(nodes: int = 97, **changes: object) -> ReducedModel:
    """One periodic axis; spring on the slider, an idle damper on the crank angle, marker and port on the pin."""
    spec = ("theta", "rad", 0.0, 2 * np.pi, True, "error", nodes)
    chart = fit_chart([spec], CRANK_COLUMNS, crank_functions, slopes={"theta": [1.0]})
    parameters = (
        *gravity_parameters(0.0, 0.0, 0.0),
        Parameter("spring.slider.k", 100.0, "N/m", "Rate of the spring", 0.0),
        Parameter("spring.slider.s0", 0.0, "m", "Free value"),
        Parameter("damper.crank.c", 0.0, "N.m.s/rad", "Damping at the crank", 0.0),
    )
    at = CRANK_COLUMNS.index("x")
    model = ReducedModel(
        name="CrankSlider",
        description="Crank-slider with a spring",
        source_hash="0" * 64,
        coordinates=(CoordinateInfo("theta", "rad", "Crank angle"),),
        starts=(StartInfo(0.0, 2.0, "Crank angle"),),
        charts=(),
        stiff=(),
        quasistatic=False,
        moving=False,
        mass=0.0,
        couplings=(),
        gravity=(0, 1, 2),
        parameters=parameters,
        elements=(
            Element("spring.slider", "m", (law("spring", (3, 4)),)),
            Element("damper.crank", "rad", (law("damper", (5,)),)),
        ),
        markers=(MarkerInfo("pin", None, None),),
        ports=(PortInfo("pin", 0),),
        stop_time=5.0,
        step_size=1e-3,
        mechanism={"name": "CrankSlider", "units": {"length": "m"}},
    )
    model = replace(model, **changes)
    parts = [(0, 1, 2, 3)] + [(4, 5)] * bool(model.elements) + [range(at, at + 15)] * bool(model.markers)
    return arranged(model, [with_terms(chart, *parts)])


# --- double pendulum --------------------------------------------------------------------------------------------------

M1, M2, L1, L2 = 1.5, 0.7, 0.8, 0.5
ANCHOR = (2.0, 1.0)  # out of reach of the tip, so that its distance is smooth
PENDULUM_COLUMNS = (
    "J11", "J12", "J22", "Sx", "Sy", "Sz", "s",
    "x", "y", "z", "Rxx", "Rxy", "Rxz", "Ryx", "Ryy", "Ryz", "Rzx", "Rzy", "Rzz", "zero", "one",
)  # fmt: skip

PENDULUM_PARAMETERS = (
    ("spring.tip.k", 10.0, "N/m", 0.0), ("spring.tip.s0", 2.7, "m", None),
    ("spring.tip.stop_below.k", 500.0, "N/m", 0.0), ("spring.tip.stop_below.at", 1.0, "m", None),
    ("damper.tip.x[1]", -1.0, "m/s", None), ("damper.tip.x[2]", 0.0, "m/s", None),
    ("damper.tip.x[3]", 1.0, "m/s", None), ("damper.tip.f[1]", 0.0, "N", None),
    ("damper.tip.f[2]", 0.0, "N", None), ("damper.tip.f[3]", 0.0, "N", None),
)  # fmt: skip


def pendulum_functions(a: Array, b: Array) -> Array:
    """(..., nc) of a planar double pendulum in absolute angles from -y, with a spring from the tip to an anchor."""
    o, i = np.zeros_like(a), np.ones_like(a)
    x1, y1 = L1 * np.sin(a), -L1 * np.cos(a)
    x2, y2 = x1 + L2 * np.sin(b), y1 - L2 * np.cos(b)
    s = np.hypot(x2 - ANCHOR[0], y2 - ANCHOR[1])
    J = ((M1 + M2) * L1**2 * i, M2 * L1 * L2 * np.cos(a - b), M2 * L2**2 * i)
    S = (M1 * x1 + M2 * x2, M1 * y1 + M2 * y2, o)
    c, d = np.cos(b), np.sin(b)
    return np.stack((*J, *S, s, x2, y2, o, c, -d, o, d, c, o, o, o, i, o, i), axis=-1)


def double_pendulum(nodes: int = 25, outside: str = "error", **changes: object) -> ReducedModel:
    """Two axes; a spring with a stop and a table damper, gravity, a marker with spin axis and a port at the tip."""
    specs = [("alpha", "rad", -1.6, 1.6, False, outside, nodes), ("beta", "rad", -1.8, 1.8, False, outside, nodes)]
    chart = fit_chart(specs, PENDULUM_COLUMNS, pendulum_functions)
    parameters = (
        *gravity_parameters(0.0, -9.81, 0.0),
        *(Parameter(name, value, unit, f"Parameter {name}", least) for name, value, unit, least in PENDULUM_PARAMETERS),
    )
    at, zero, one = PENDULUM_COLUMNS.index("x"), PENDULUM_COLUMNS.index("zero"), PENDULUM_COLUMNS.index("one")
    angular = (zero, zero, zero, zero, zero, one)
    axis = (0.0, 1.0, 0.0)
    model = ReducedModel(
        name="DoublePendulum",
        description="Planar double pendulum",
        source_hash="1" * 64,
        coordinates=(
            CoordinateInfo("alpha", "rad", "Angle of the upper rod"),
            CoordinateInfo("beta", "rad", "Angle of the lower rod"),
        ),
        starts=(StartInfo(0.5, 0.0, "Angle of the upper rod"), StartInfo(-0.3, 0.0, "Angle of the lower rod")),
        charts=(),
        stiff=(),
        quasistatic=False,
        moving=False,
        mass=0.0,
        couplings=(),
        gravity=(0, 1, 2),
        parameters=parameters,
        elements=(
            Element("spring.tip", "m", (law("spring", (3, 4)), law("stop_below", (5, 6)))),
            Element("damper.tip", "m", (law("damper_table", tuple(range(7, 13))),)),
        ),
        markers=(MarkerInfo("tip", axis, axis),),
        ports=(PortInfo("tip", 0),),
        stop_time=2.0,
        step_size=1e-3,
        mechanism={"name": "DoublePendulum", "bodies": {"upper": {"mass": 1.5}}},
    )
    return arranged(replace(model, **changes), [with_terms(chart, range(6), (6, 6), range(at, at + 12), angular)])


def defaults(model: ReducedModel) -> list[float]:
    """Parameter values as baked."""
    return [parameter.value for parameter in model.parameters]


def no_inputs(model: ReducedModel) -> Array:
    return np.zeros(len(model.coordinates) + 6 * len(model.ports))


def start_state(model: ReducedModel) -> State:
    return State(0.0, 0, 0, np.array([s.value for s in model.starts]), np.array([s.rate for s in model.starts]))
