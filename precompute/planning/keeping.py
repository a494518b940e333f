"""Whether a mechanism keeps to a plan that was made from other numbers.

The mechanism must satisfy:
  1. it is described the same but for numbers, so that tree and cuts are the same; the same links spin idly;
  2. the coordinates of the plan, which are taken and not ranked again, are regular at design and as many as freedoms;
  3. charts, found anew, are as many, over the same coordinates, and go all round where the plan says so;
  4. nothing depends on a coordinate that the plan excludes.  It may depend on less, as where a geometry becomes
     symmetric: then the plan's dependence is taken, and what does not change gets no table;
  5. the blocks that follow from that and from the settings of the tables have the same columns and degrees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from precompute.coordinates.charts import Piece
from precompute.coordinates.decouple import Dependence
from precompute.coordinates.load_dependence import LoadDependence
from precompute.errors import PlanError, SingularityError
from precompute.kinematics.topology import spanning_tree
from precompute.model.mechanism import Mechanism
from precompute.planning.outline import differences, outline
from precompute.planning.plan import Names, Plan, PlannedBlock, PlannedChart, Survey, idle_groups, planned_chart
from precompute.tables.fields import measure_name
from precompute.tables.layout import Layout, layout_of


def check_structure(plan: Plan, mechanism: Mechanism) -> None:
    """Raises PlanError where a mechanism is described otherwise; else its tree and cuts are those of the plan."""
    problems = differences(plan.mechanism, outline(mechanism))
    if not problems:
        idle = idle_groups(spanning_tree(mechanism))
        problems += [f"a force spins {name} between its balls now" for name in plan.idle if name not in idle]
        problems += [f"no force spins {name} between its balls now" for name in idle if name not in plan.idle]
    if problems:
        raise PlanError(problems, mechanism.name)


@contextmanager
def chosen_serve(plan: Plan, mechanism: Mechanism) -> Iterator[None]:
    """Says that another plan may help, where coordinates that the plan has chosen turn out to be singular."""
    try:
        yield
    except SingularityError as error:
        if not plan.chosen:
            raise
        raise PlanError([f"with {_and(plan.chosen)} as independent coordinates: {error}"], mechanism.name) from None


def keep_to(plan: Plan, found: Survey) -> Survey:
    """A survey whose layouts are those of the plan.

    Raises:
        PlanError: with all that the numbers make otherwise.
    """
    problems = _chart_problems(plan.charts, found.atlas.pieces)
    layouts = []
    for chart, piece, layout in () if problems else zip(plan.charts, found.atlas.pieces, found.layouts, strict=True):
        here = planned_chart(piece, layout)
        excluded = _dependence_problems(chart, here)
        if here != chart and not excluded:
            layout = layout_of(piece.coordinates, _dependence(chart, piece, layout), layout.samples)
            problems += _block_problems(chart, planned_chart(piece, layout))
        problems += excluded
        layouts.append(layout)
    if problems:
        raise PlanError(problems, found.mechanism.name)
    return replace(found, layouts=tuple(layouts))


def _chart_problems(charts: tuple[PlannedChart, ...], pieces: tuple[Piece, ...]) -> list[str]:
    planned, now = [chart.axes for chart in charts], [piece.coordinates.names for piece in pieces]
    if now != planned:
        a, b = (", then ".join(map(_and, axes)) for axes in (now, planned))
        return [f"its charts are over {a}, planned: {b}, since a dead centre has come, gone or changed"]
    problems = []
    for chart, piece in zip(charts, pieces, strict=True):
        for c in piece.coordinates.free:
            if c.periodic != (c.name in chart.periodic):
                problems.append(f"'{c.name}' {'goes all round now' if c.periodic else 'no longer goes all round'}")
    return problems


def _dependence_problems(chart: PlannedChart, here: PlannedChart) -> list[str]:
    planned, now = dict(chart.measures), dict(here.measures)
    problems = [f"what {name} acts on is now what another force acts on" for name in planned if name not in now]
    problems += [f"what {name} acts on is no longer what another force acts on" for name in now if name not in planned]
    loads = [
        (tuple((f"{name} by {part}", on) for part, on in own), dict(chart.loads).get(name, own), name)
        for name, own in here.loads
    ]
    pairs = [(tuple((f"{name} by {part}", on) for part, on in old), new) for new, old, name in loads]
    for old, new in ((chart.bodies, here.bodies), (chart.measures, here.measures), *pairs):
        for name, depends in new:
            if more := [k for k in depends if k not in dict(old).get(name, depends)]:
                problems.append(f"{name} depends on {_and(more)}, which the plan excludes")
    return problems


def _dependence(chart: PlannedChart, piece: Piece, layout: Layout) -> Dependence:
    """The dependence of the plan, for the measures of this mechanism."""
    names = piece.coordinates.all_names

    def numbers(planned: Names) -> tuple[int, ...]:
        return tuple(names.index(name) for name in planned)

    measures = zip(layout.dependence.measures, chart.measures, strict=True)
    return Dependence(
        nf=layout.dependence.nf,
        bodies=tuple(numbers(planned) for _, planned in chart.bodies),
        measures=tuple((on, numbers(planned)) for (on, _), (_, planned) in measures),
        loads=tuple(_load(dict(chart.loads), load, piece, numbers) for load in layout.dependence.loads),
        undefined=layout.dependence.undefined,
        spins=layout.dependence.spins,
    )


def _load(
    planned: dict[str, tuple[tuple[str, Names], ...]],
    load: LoadDependence,
    piece: Piece,
    numbers: Callable[[Names], tuple[int, ...]],
) -> LoadDependence:
    """A load with the dependence of the plan; what that does not know shows in the columns."""
    mechanism, known = piece.coordinates.closure.mechanism, dict(planned.get(load.opening.name, ()))

    def axes(name: str, found: tuple[int, ...] | None) -> tuple[int, ...] | None:
        return numbers(known[name]) if name in known else found

    return replace(
        load,
        bodies=tuple(axes(f"body {b.name}", own) for b, own in zip(mechanism.bodies, load.bodies, strict=True)),
        measures=tuple((on, axes(measure_name(mechanism, on), own) or ()) for on, own in load.measures),
        frames=tuple((i, axes(f"marker {mechanism.frames[i].name}", own) or ()) for i, own in load.frames),
    )


def _block_problems(chart: PlannedChart, here: PlannedChart) -> list[str]:
    problems = []
    planned, now = ({(b.axes, b.level): b for b in c.blocks} for c in (chart, here))
    for key in dict.fromkeys((*planned, *now)):
        nothing = PlannedBlock(*key, 0, ())
        a, b = planned.get(key, nothing), now.get(key, nothing)
        over = f"the tables over {_and(a.axes)}" if a.axes else "the constants"
        if a.columns and b.columns and a.degree != b.degree:
            problems.append(f"{over} have degree {b.degree}, planned: {a.degree}, since other tolerances are asked for")
        problems += [f"{over} have no {name}, planned" for name in a.columns if name not in b.columns][:1]
        problems += [f"{over} have {name}, not planned" for name in b.columns if name not in a.columns][:1]
    return problems


def _and(names: Names | list[str]) -> str:
    return " and ".join(f"'{name}'" for name in names)
