"""What a reduced model must satisfy before it may be written or run.

Types are right by construction (see `model_file`); here are sizes, index ranges, ascending knots, finite numbers.
Each check says what is wrong; the caller adds which file and what to do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from ..errors import StepError, TableFormatError
from .designs import design_problem
from .device_checks import device_problems
from .law_parts import ARGUMENTS, CURVES, SIDES, size_problem
from .laws import check_laws
from .reduced_model import FACTORS, Axis, Block, Chart, ContactInfo, Law, MarkerInfo, ReducedModel, WheelInfo
from .rows import CHUNK, POSITION, ROTATION, TURNING, Need, inertia_count, load_places
from .tracks import track_problem

MOST_AXES = 3
"""Of a block; a chart may have more."""

MOST_DEGREE = 9

MOST_FUNCTION, MOST_ERROR_DEGREE = 8, 4
"""Of an axis, and of deflections, in the error model."""

MOST_NUMBERS = 2**28
"""Of the coefficients of a block."""

UNIT_TOLERANCE = 1e-9
"""How far the length of a direction may be from 1."""

BORDER_TOLERANCE = 1e-12
"""Of the axis' length: how far the borders may be from the knots that bound the spline."""

WRAP_TOLERANCE = 1e-9
"""Of the largest coefficient: how far the wrapped coefficients of a periodic axis may differ."""


def check_model(model: ReducedModel) -> None:
    """Refuse a model that cannot run.

    Raises:
        TableFormatError: what is wrong, in words.
    """
    if not model.charts:
        _fail("there are no charts")
    for chart in model.charts:
        _check_chart(chart)
        if len(chart.axes) != len(model.coordinates):
            _fail(f"there are {len(model.coordinates)} coordinates and {len(chart.axes)} axes")
        _check_borders(model, chart)
        _check_rows(model, chart)
        _check_cells(model, chart)
    _check_coordinates(model)
    _check_stiff(model)
    _check_errors(model)
    _check_drives(model)
    _check_references(model)
    for problem in device_problems(model):
        _fail(problem)
    _check_parameters(model)
    _check_numbers(model)
    if wrong := design_problem(model):
        _fail(wrong)
    shape = len(model.coordinates), len(model.stiff), len(model.charts)
    if model.track is not None and (bad := track_problem(model.track, *shape)):
        _fail(bad)


def _fail(what: str) -> None:
    raise TableFormatError(what)


def _check_chart(chart: Chart) -> None:
    nz = len(chart.axes)
    if not nz:
        _fail("a chart has no axes")
    for axis in chart.axes:
        if axis.unit not in ("rad", "m"):
            _fail(f"coordinate '{axis.name}' is in '{axis.unit}'; rad and m are possible")
    for block in chart.blocks:
        if len(block.axes) > MOST_AXES:
            _fail(f"a block has {len(block.axes)} axes; at most {MOST_AXES} are possible")
        if sorted(set(block.axes)) != list(block.axes) or not set(block.axes) <= set(range(nz)):
            _fail(f"a block has axes {block.axes}; they must ascend and be among the {nz} of the chart")
        _check_block(block)
        if block.axes and not 1 <= block.degree <= MOST_DEGREE:
            _fail(f"the splines of a block have degree {block.degree}; 1 to {MOST_DEGREE} are possible")
        for k, i in enumerate(block.axes):
            _check_axis(chart.axes[i], block, k, block.degree)


def _check_block(block: Block) -> None:
    nb, nc = len(block.axes), len(block.cells)
    if block.core.ndim != nb + 1:
        _fail(f"the coefficients have {block.core.ndim} dimensions; {nb} axes need {nb + 1}")
    if len(block.knots) != nb:
        _fail(f"a block of {nb} axes has knots for {len(block.knots)}")
    if block.cells.shape != (nc, 1 + FACTORS) or block.core.shape[-1] != CHUNK * nc:
        _fail(
            f"a block has cells of shape {block.cells.shape} and {block.core.shape[-1]} columns; "
            f"(n, {1 + FACTORS}) and {CHUNK} n are needed"
        )
    if block.bases:
        _check_bases(block)
    with np.errstate(over="ignore", invalid="ignore"):
        finite = np.isfinite(block.coefficients).all()
    if not finite:
        _fail("the coefficients of a block are not finite")


def _check_bases(block: Block) -> None:
    nb, ranks = len(block.axes), block.core.shape[:-1]
    shapes = [basis.shape for basis in block.bases]
    if len(shapes) != nb or any(len(shape) != 2 or shape[1] != r for shape, r in zip(shapes, ranks, strict=True)):
        _fail(f"a block of {nb} axes has a core of shape {block.core.shape} and bases of shapes {shapes}")
    if math.prod(n for n, _ in shapes) * block.core.shape[-1] > MOST_NUMBERS:
        _fail(f"a block has bases of shapes {shapes}; more than {MOST_NUMBERS} coefficients are not possible")


def _check_axis(axis: Axis, block: Block, k: int, degree: int) -> None:
    n, knots = block.coefficients.shape[k], block.knots[k]
    if n < degree + 1 or knots.shape != (n + degree + 1,):
        _fail(
            f"axis '{axis.name}' has {n} coefficients and knots of shape {knots.shape}; degree {degree} needs "
            f"at least {degree + 1} coefficients and {n + degree + 1} knots"
        )
    if not np.isfinite(knots).all():
        _fail(f"axis '{axis.name}' has knots that are not finite")
    inner = knots[degree : n + 1]
    if (np.diff(knots) < 0).any() or (knots[degree + 1 :] <= knots[:n]).any():  # knots may be multiple
        _fail(f"the knots of axis '{axis.name}' do not ascend")
    slack = BORDER_TOLERANCE * max(abs(inner[0]), abs(inner[-1]))
    if not (abs(axis.lower - inner[0]) <= slack and abs(axis.upper - inner[-1]) <= slack):
        _fail(
            f"axis '{axis.name}' goes from {axis.lower:.9g} to {axis.upper:.9g}, its spline from {inner[0]:.9g} to "
            f"{inner[-1]:.9g}"
        )
    if axis.periodic and block.coefficients.size and knots[0] < knots[degree]:  # else it begins and ends by itself
        c = np.moveaxis(block.coefficients, k, 0)
        with np.errstate(over="ignore"):
            gap = np.abs(c[:degree] - c[n - degree :]).max()
        if gap > WRAP_TOLERANCE * np.abs(c).max():
            _fail(f"axis '{axis.name}' is periodic, but its first and last {degree} coefficients differ")


def _check_coordinates(model: ReducedModel) -> None:
    """Some chart has the coordinates as its axes, and the start lies in the first one."""
    named = [(c.name, c.unit) for c in model.coordinates]
    found = [[(axis.name, axis.unit) for axis in chart.axes] for chart in model.charts]
    if named not in found:
        _fail(f"the coordinates are {named}, the axes {found[0]}; names, units and order must agree")
    count = len(named) + len(model.stiff)
    if len(model.starts) != count:
        _fail(f"there are {len(model.starts)} start values for {count} coordinates")
    for start, axis in zip(model.starts, model.charts[0].axes, strict=False):
        inside = axis.lower <= start.value <= axis.upper
        if not (inside or axis.periodic or axis.outside == "linear"):
            _fail(
                f"coordinate '{axis.name}' starts at {start.value:.9g} {axis.unit}, outside its table "
                f"[{axis.lower:.9g}, {axis.upper:.9g}]"
            )


def _check_stiff(model: ReducedModel) -> None:
    if model.stiff and len(model.charts) > 1:
        _fail(f"there are {len(model.charts)} charts; with stiff coordinates one is possible")
    if model.quasistatic and not model.stiff:
        _fail("stiff coordinates are quasi-static, but there are none")
    names = [c.name for c in model.coordinates] + [stiff.name for stiff in model.stiff]
    if len(set(names)) != len(names):
        _fail(f"two of the coordinates {', '.join(names)} have the same name")
    for stiff in model.stiff:
        if stiff.unit not in ("rad", "m"):
            _fail(f"stiff coordinate '{stiff.name}' is in '{stiff.unit}'; rad and m are possible")
        if not 0.0 < stiff.tolerance < math.inf:
            _fail(f"the tolerance of stiff coordinate '{stiff.name}' is {stiff.tolerance:.9g}; it must be positive")
        if not 0.0 < stiff.radius < math.inf:
            _fail(f"the radius of stiff coordinate '{stiff.name}' is {stiff.radius:.9g}; it must be positive")
        if not math.isfinite(stiff.about):
            _fail(f"stiff coordinate '{stiff.name}' is expanded about {stiff.about}")


def _check_errors(model: ReducedModel) -> None:
    own, nf, ns = model.errors, len(model.charts[0].axes), len(model.stiff)
    if own is None:
        return
    shapes = own.functions.shape, own.spline_slopes.shape
    if own.functions.ndim != 2 or shapes != ((len(own.functions), nf), (3, ns)):
        _fail(f"the error model has shapes {shapes[0]} and {shapes[1]}; (n, {nf}) and (3, {ns}) fit")
    if not ((own.functions >= 0) & (own.functions <= MOST_FUNCTION)).all():
        _fail(f"the error model has functions of axes beyond number {MOST_FUNCTION}")
    for rows in own.rows:
        if not (0 <= rows.kind < 3 and 1 <= rows.degree <= MOST_ERROR_DEGREE):
            _fail(f"the error model has remainders of kind {rows.kind} and degree {rows.degree}")
        fits = len(own.functions), math.comb(ns + rows.degree - 1, rows.degree) if ns else 0
        if rows.coefficients.ndim != 3 or not len(rows.coefficients) or rows.coefficients.shape[1:] != fits:
            _fail(f"remainders have the shape {rows.coefficients.shape}; (n, {fits[0]}, {fits[1]}) fits")
    numbers = [np.array(own.splines), own.spline_slopes, *(rows.coefficients for rows in own.rows)]
    if not all(np.isfinite(part).all() for part in numbers):
        _fail("the error model has numbers that are not finite")


def _check_drives(model: ReducedModel) -> None:
    for c in model.coordinates:
        if c.driven != "no" and len(model.charts) > 1:
            _fail(f"coordinate '{c.name}' is driven; with {len(model.charts)} charts that is not possible")
        if c.driven == "filtered" and not 0.0 < c.filter_time < math.inf:
            _fail(f"the filter time of coordinate '{c.name}' is {c.filter_time:.9g} s; it must be positive")
    if model.moving and not 0.0 <= model.mass < math.inf:
        _fail(f"the mass of all bodies is {model.mass:.9g} kg")


def _check_rows(model: ReducedModel, chart: Chart) -> None:
    """Every quantity has its rows, where its need is."""
    rows, nz = chart.rows, len(chart.axes) + len(model.stiff)
    if len(rows.ends) != len(Need) or any(end % CHUNK for end in rows.ends) or list(rows.ends) != sorted(rows.ends):
        _fail(f"the rows of a chart end at {rows.ends}; {len(Need)} ascending multiples of {CHUNK} are needed")
    motion, several = rows.ends[Need.MOTION], len(model.charts) > 1
    carried = motion if model.moving else rows.ends[Need.SHOWN]
    measures = rows.varying + rows.fixed
    for what, given, expected in (
        ("elements", rows.elements, model.elements),
        ("markers", rows.markers, model.markers),
        ("borders", rows.borders, chart.borders),
        ("read measures", rows.measures, model.measures),
        ("loads", rows.loads, model.loads),
    ):
        if len(given) != len(expected):
            _fail(f"there are rows for {len(given)} {what}, but {len(expected)} of them")
    own = load_places(nz, measures, len(model.loaded), model.moving)
    places: list[tuple[str, int, int, int]] = [
        ("J", 0, inertia_count(nz), motion),
        ("measures", rows.s, measures, motion),
        *(("S", first, 1, rows.ends[Need.ACROSS]) for first in rows.S),
        *((("N", rows.N, 6 * nz, carried), ("I", rows.I, 6, carried)) if model.carried else ()),
        *((("G", rows.G, nz * nz, motion), ("c", rows.c, nz, rows.count)) if several else ()),
        *(("a border", first, nz, rows.count) for first in rows.borders),
        *(("a read measure", row, 1, rows.count) for row in rows.measures),
        *(("a position", marker.r, POSITION, rows.ends[Need.SHOWN]) for marker in rows.markers),
        *(("a rotation", marker.R, ROTATION, rows.count) for marker in rows.markers),
        *(("an angular Jacobian", marker.A, TURNING * nz, rows.count) for marker in rows.markers),
        *(
            ("a load", first, own.C.stop if load.acceleration else own.count, rows.count)
            for load, first in zip(model.loads, rows.loads, strict=True)
        ),
    ]
    for what, first, size, end in places:
        if size and not 0 <= first <= end - size:
            _fail(f"the rows of {what} are {first} to {first + size - 1}; they must lie below {end}")
    for name, row in zip((element.name for element in model.elements), rows.elements, strict=True):
        if not rows.s <= row < rows.s + measures:
            _fail(f"the measure of '{name}' has row {row}; those of measures are {rows.s} to {rows.s + measures - 1}")


def _check_cells(model: ReducedModel, chart: Chart) -> None:
    """Rows and monomials exist, in order, and no block contributes twice to the same monomial of a row."""
    ns, count = len(model.stiff), chart.rows.count
    for _, *factors in (cell for block in chart.blocks for cell in block.cells.tolist()):
        own = [i for i in factors if i != -1]
        if own != sorted(own) or own != factors[: len(own)] or not set(own) <= set(range(ns)):
            _fail(
                f"a cell has stiff coordinates {factors}; they must ascend, each below {ns}, and end with -1 for none"
            )
    for slope in chart.slopes:
        _check_indices("a slope", (slope.row,), count, "rows")
        _check_indices("a slope", (slope.axis,), len(chart.axes), "axes")
        if not (math.isfinite(slope.slope) and math.isfinite(slope.reference)):
            _fail("a slope is not finite")
    for block in chart.blocks:
        _check_indices("a cell", block.cells[:, 0].tolist(), count, "rows")
        if (block.cells[:, 0] % CHUNK).any():
            _fail(f"the rows of a cell do not begin at a multiple of {CHUNK}")
        order = [(row, sum(i >= 0 for i in factors), *factors) for row, *factors in block.cells.tolist()]
        if len(set(order)) != len(order):
            _fail("a block contributes twice to the same row of a chart")
        if order != sorted(order):
            _fail("the cells of a block are not in order")


def _check_borders(model: ReducedModel, chart: Chart) -> None:
    for border in chart.borders:
        _check_indices("a border", (border.axis,), len(chart.axes), "axes")
        _check_indices("a border", (border.chart,), len(model.charts), "charts")
        axis = chart.axes[border.axis]
        if not axis.lower < border.at < axis.upper:
            _fail(f"a border at {border.at:.9g} is outside its table [{axis.lower:.9g}, {axis.upper:.9g}]")
        if len(border.offset) != len(chart.axes) or not all(map(math.isfinite, border.offset)):
            _fail(f"the offset of a border is {border.offset}; {len(chart.axes)} finite numbers are needed")


def _check_contact(model: ReducedModel, contact: ContactInfo) -> None:
    name = f"the contact of '{contact.name}'"
    _check_indices(name, (contact.load,), len(model.loads), "loads")
    _check_indices(name, (contact.axis,), len(model.charts[0].axes), "axes")
    axis = model.charts[0].axes[contact.axis]
    if len(model.charts) > 1:
        _fail(f"{name} is watched in one chart, and there are {len(model.charts)}")
    if list(contact.borders) != sorted(set(contact.borders)):
        _fail(f"the borders of {name} are {contact.borders}; they must ascend")
    if not all(axis.lower <= border <= axis.upper for border in contact.borders):
        _fail(f"a border of {name} is outside its table [{axis.lower:.9g}, {axis.upper:.9g}]")


def _check_references(model: ReducedModel) -> None:
    for marker in model.markers:
        _check_marker(marker)
    for port in model.ports:
        _check_indices(f"port '{port.name}'", (port.marker,), len(model.markers), "markers")
    for load in model.loads:
        if not math.isfinite(load.factor):
            _fail(f"the factor of '{load.name}' is {load.factor}")
    for contact in model.contacts:
        _check_contact(model, contact)
    _check_indices("what is held", model.held, len(model.coordinates), "coordinates")
    for wheel in model.wheels:
        _check_wheel(model, wheel)


def _check_wheel(model: ReducedModel, wheel: WheelInfo) -> None:
    _check_indices(f"wheel '{wheel.name}'", (wheel.marker,), len(model.markers), "markers")
    if len(wheel.axes) != 3:
        _fail(f"wheel '{wheel.name}' has {len(wheel.axes)} axes; forward, left and up are needed")
    if len(wheel.balls) not in (0, 2) or not all(math.isfinite(x) for ball in wheel.balls for x in ball.at):
        _fail(f"wheel '{wheel.name}' has {len(wheel.balls)} balls; none or two with finite places are needed")
    _check_indices(f"wheel '{wheel.name}'", (ratio.element for ratio in wheel.ratios), len(model.elements), "elements")
    _check_indices(
        f"wheel '{wheel.name}'", [i for i in (wheel.spring,) if i is not None], len(model.elements), "elements"
    )
    known = wheel.ratios or wheel.steering is not None
    if known and (len(model.wheels) + len(model.held) != len(model.coordinates) or (model.held and model.charts[1:])):
        _fail(f"wheel '{wheel.name}' is shown in motion, but travels and what is held are not as many as coordinates")
    if wheel.steering is not None and wheel.steering not in model.held:
        _fail(f"what steers wheel '{wheel.name}' is coordinate {wheel.steering}, which is not held while it travels")
    for axis in (wheel.spin_axis, *wheel.axes):
        if not abs(math.hypot(*axis) - 1.0) <= UNIT_TOLERANCE:
            _fail(f"an axis of wheel '{wheel.name}' is {axis}, no unit vector")
    if not (0.0 < wheel.radius < math.inf and math.isfinite(wheel.road) and all(map(math.isfinite, wheel.centre))):
        _fail(f"radius, centre and road of wheel '{wheel.name}' are {wheel.radius}, {wheel.centre} and {wheel.road}")
    for chart in model.charts:
        rows, moments = chart.rows.markers[wheel.marker], chart.rows.ends[Need.MOMENTS]
        if rows.R + ROTATION > moments:
            _fail(f"the rotation of wheel '{wheel.name}' has rows from {rows.R} on; they must lie below {moments}")


def _check_marker(marker: MarkerInfo) -> None:
    if (marker.spin_axis is None) != (marker.spin_design is None):
        _fail(f"marker '{marker.name}' has only one of spin_axis and spin_design")
    for axis in (marker.spin_axis, marker.spin_design):
        if axis is not None and not 0.0 < math.hypot(*axis) < math.inf:
            _fail(f"the spin axis of marker '{marker.name}' has no direction")


def _check_parameters(model: ReducedModel) -> None:
    count = len(model.parameters)
    _check_indices("gravity", model.gravity, count, "parameters")
    for element in model.elements:
        for law in element.laws:
            _check_indices(f"a law of '{element.name}'", law.all_parameters, count, "parameters")
            _check_law(element.name, law)
        if not 0 <= element.direction <= 6:
            _fail(f"'{element.name}' has direction {element.direction}; 1 to 6 of a bushing or 0 are possible")
    for pair in model.couplings:
        _check_indices("a coupling", (pair.a, pair.b), len(model.elements), "elements")
        _check_indices("a coupling", (pair.stiffness, pair.damping), count, "parameters")
        if pair.a == pair.b:
            _fail(f"a coupling joins '{model.elements[pair.a].name}' with itself")
    for first in model.cardans:
        own = model.elements[first : first + 6] if first >= 0 else ()
        if [element.direction for element in own] != [1, 2, 3, 4, 5, 6] or len({element.name for element in own}) != 1:
            _fail(f"the bushing with Cardan angles whose first element is {first} has not all six directions there")
    try:
        check_laws(model, [parameter.value for parameter in model.parameters])
    except StepError as error:
        raise TableFormatError(str(error)) from None


def _check_law(element: str, law: Law) -> None:
    parts = (("argument", law.argument, ARGUMENTS), ("side", law.side, SIDES), ("curve", law.curve, CURVES))
    for what, name, known in parts:
        if name not in known:
            _fail(f"a law of '{element}' has the {what} '{name}'; known are {', '.join(known)}")
    given = len(law.parameters)
    if problem := size_problem(law.curve, given):
        _fail(f"law '{law.curve}' of '{element}' has {given} parameters; {problem}")
    if ARGUMENTS[law.argument].rate and law.reference is not None:
        _fail(f"law '{law.curve}' of '{element}' is one of the rate and has a reference")
    if law.preload is not None:
        plain = not ARGUMENTS[law.argument].rate and not SIDES[law.side].beyond and CURVES[law.curve].inverse
        if not plain or law.reference is not None or law.design is None:
            _fail(f"law '{law.curve}' of '{element}' has a preload; then it acts on both sides of the design alone")
    if law.design is not None and not math.isfinite(law.design):
        _fail(f"law '{law.curve}' of '{element}' has the design value {law.design}")


def _check_numbers(model: ReducedModel) -> None:
    times = ("stop_time", "step_size", "solver_step")
    numbers: list[tuple[str, float]] = [(name, getattr(model, name)) for name in times]
    names = [axis.name for axis in model.charts[0].axes] + [stiff.name for stiff in model.stiff]
    for start, name in zip(model.starts, names, strict=True):
        numbers += [(f"q_start.{name}", start.value), (f"qd_start.{name}", start.rate)]
    numbers += [(f"the lap of coordinate {coordinate.name}", coordinate.lap) for coordinate in model.coordinates]
    numbers += [(f"the lap of {element.name}", element.lap) for element in model.elements]
    numbers += [(f"the lap of measure {measure.name}", measure.lap) for measure in model.measures]
    for name, value in numbers:
        if not math.isfinite(value):
            _fail(f"'{name}' is {value}")
    if model.step_size <= 0.0 or model.stop_time <= 0.0 or model.solver_step < 0.0:
        _fail(f"step size {model.step_size:.9g} s and stop time {model.stop_time:.9g} s must be positive")
    for chart in model.charts:
        if not 0.0 < chart.certificate.tolerance < math.inf:
            _fail(f"the tolerance of the tables is {chart.certificate.tolerance:.9g}; it must be positive")
    for parameter in model.parameters:
        if parameter.minimum is not None and not parameter.minimum <= parameter.value:
            _fail(f"parameter '{parameter.name}' = {parameter.value:.9g} is below its minimum {parameter.minimum:.9g}")
    if not model.name:
        _fail("the model has no name")


def _check_indices(what: str, indices: Iterable[int], count: int, of: str) -> None:
    wrong: Sequence[int] = [i for i in indices if not 0 <= i < count]
    if wrong:
        _fail(f"{what} points to number {wrong[0]} of {count} {of}")
