"""The whole method on one screen.

    mechanism.toml -> Mechanism -> Topology -> Configuration -> Coordinates -> Atlas -> sweep -> ReducedModel -> FMU

Each stage is a function from frozen data to frozen data; what a stage makes is the argument of the next.  All that is
decided before the sweep is a plan, and structure; the sweep fills in numbers.  bake(m) is fill(plan(m), m), without
looking twice.
"""

from __future__ import annotations

from collections.abc import Callable

from fmu_src.model.reduced_model import ReducedModel
from precompute.cache.stages import NO_CACHE, Stages
from precompute.coordinates.charts import cover
from precompute.coordinates.independent import choose_coordinates
from precompute.errors import RangeError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.topology import spanning_tree
from precompute.model.mechanism import Mechanism
from precompute.planning.keeping import check_structure, chosen_serve, keep_to
from precompute.planning.plan import Plan, Survey, plan_of
from precompute.planning.reach import reach
from precompute.progress import Progress, part, stages, unheard
from precompute.reduction.default_step import with_default_step
from precompute.reduction.departure import departure
from precompute.reduction.device_start import check_start
from precompute.reduction.expansion import expanded
from precompute.reduction.floating import with_floats
from precompute.reduction.reduced import reduced_model, resolve
from precompute.reduction.statics import balanced
from precompute.tables.tabulate import tabulate
from precompute.tables.unforced import unforced
from precompute.threads import one_thread
from precompute.variants.moved_tables import with_changes
from precompute.variants.numbers import with_designs
from precompute.variants.polynomials import designs, probes
from precompute.variants.surveys import Variants, find_variants

SURVEYED = 0.15
"""About the share of a bake that comes before the sweep."""

ANOTHER = 0.3
"""How long tables at another design take, about, in times of those of the base: they have their grid."""


@one_thread
def bake(
    mechanism: Mechanism,
    progress: Progress = unheard,
    note: Callable[[str], None] | None = None,
    kept: Stages = NO_CACHE,
) -> ReducedModel:
    """Solve the loops over the whole range of motion and store what depends on the configuration in tables.

    Args:
        mechanism: bodies, joints, springs, coordinates and table settings.
        progress: called with what is being done, and which share of all is done.
        note: called, before the sweep, with what may not be meant: that the motion will leave the tables at once.
        kept: takes from the user's cache what was made before, if it is to; the model is the same to the bit.

    Returns:
        Tables with a certificate, force laws, markers and ports: all that the FMU needs.

    Raises:
        PrecomputeError: the mechanism cannot be assembled, moved or tabulated as asked; the message says what to do.
    """
    progress("loops, coordinates and ranges", 0.0)
    found = survey(mechanism)
    if note is not None:
        for text in found.notes:
            note(text)
    return tabulated(found, part(progress, SURVEYED, 1.0), kept)


@one_thread
def plan(mechanism: Mechanism) -> Plan:
    """Decide what can be decided without the sweep: coordinates, charts, what depends on what, columns.

    Raises:
        PrecomputeError: the mechanism cannot be assembled or moved; the message says what to do.
    """
    return plan_of(survey(mechanism))


@one_thread
def fill(plan: Plan, mechanism: Mechanism, progress: Progress = unheard) -> ReducedModel:
    """Bake a mechanism by a plan that was made from other numbers: hardpoints, masses, rates, ranges.

    Where the mechanism's own plan is the same, so is the model that `bake` makes.

    Raises:
        PlanError: the mechanism has another structure, or its numbers do not allow the plan; the message says where.
        PrecomputeError: as `bake`.
    """
    check_structure(plan, mechanism)
    progress("loops and ranges", 0.0)
    with chosen_serve(plan, mechanism):
        found = survey(mechanism, plan.chosen)
    return tabulated(keep_to(plan, found), part(progress, SURVEYED, 1.0))


def survey(mechanism: Mechanism, chosen: tuple[str, ...] = ()) -> Survey:
    """All that is found before the sweep, and the verdict; with coordinates that a plan has chosen, if any."""
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    coordinates = choose_coordinates(mechanism, topology, design, chosen)
    atlas = expanded(mechanism, cover(coordinates, design), design)
    reached = reach(atlas)
    resolved = resolve(mechanism, reached.atlas)
    check_start(resolved, reached.atlas, design)
    still = mechanism.contact is None  # what falls on its track turns as it falls
    note = None if reached.problems or not still else departure(mechanism, resolved, reached.atlas, design)
    return Survey(mechanism, design, reached.atlas, reached.layouts, resolved, note, reached.problems)


def variants_of(found: Survey) -> Variants | None:
    """The mechanism at the ends of the ranges of its design parameters, if it has any.

    Raises:
        MechanismError: one is no design variable, or the mechanism cannot be moved there.
    """
    return find_variants(found) if found.mechanism.designs and not found.problems else None


def others(mechanism: Mechanism) -> int:
    """At how many designs but that of the file there are tables."""
    count = len(mechanism.designs)
    return 1 + len(designs(count)) + len(probes(count)) if count else 0


def tabulated(found: Survey, progress: Progress, kept: Stages = NO_CACHE) -> ReducedModel:
    """Sweep, fit and certify, block by block; then the model, in equilibrium if asked for, and its step."""
    if found.problems:
        raise RangeError(found.problems)
    mechanism, resolved, design, atlas = found.mechanism, found.resolved, found.design, found.atlas
    variants = variants_of(found)
    *each, changes = stages(progress, [*(1.0 for _ in atlas.pieces), ANOTHER * others(mechanism)])
    tables = tuple(
        kept.of("tables", tabulate, *unforced(piece, layout), mechanism.tables, progress=told)
        for piece, layout, told in zip(atlas.pieces, found.layouts, each, strict=True)
    )
    errors = None
    if variants is not None:
        table, errors = with_changes(variants, tables[0], mechanism.tables, changes)
        tables = (table,)
    model = reduced_model(mechanism, resolved, design, atlas, tables)
    if variants is not None and errors is not None:
        model = with_designs(model, variants, errors.tolist())
    return with_default_step(balanced(mechanism, resolved, with_floats(mechanism, model)))
