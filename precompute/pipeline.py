"""The whole method on one screen.

    mechanism.toml -> Mechanism -> Topology -> Configuration -> Coordinates -> Atlas -> sweep -> ReducedModel -> FMU

Each stage is a function from frozen data to frozen data; what a stage makes is the argument of the next.
"""

from __future__ import annotations

from fmu_src.model.reduced_model import ReducedModel
from precompute.coordinates.charts import cover
from precompute.coordinates.independent import choose_coordinates
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.topology import spanning_tree
from precompute.model.mechanism import Mechanism
from precompute.reduction.reduced import reduced_model, resolve
from precompute.reduction.statics import balanced
from precompute.tables.sweep import Progress
from precompute.tables.tabulate import tabulate
from precompute.threads import one_thread


@one_thread
def bake(mechanism: Mechanism, progress: Progress | None = None) -> ReducedModel:
    """Solve the loops over the whole range of motion and store what depends on the configuration in tables.

    Args:
        mechanism: bodies, joints, springs, coordinates and table settings.
        progress: called with what is being done, how much of it is done, and how much there is.

    Returns:
        Tables with a certificate, force laws, markers and ports: all that the FMU needs.

    Raises:
        PrecomputeError: the mechanism cannot be assembled, moved or tabulated as asked; the message says what to do.
    """
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    coordinates = choose_coordinates(mechanism, topology, design)
    atlas = cover(coordinates, design)
    resolved = resolve(mechanism, design, atlas)
    tables = tuple(  # sweep, fit, certify, block by block
        tabulate(piece.coordinates, piece.centre, mechanism.tables, progress) for piece in atlas.pieces
    )
    return balanced(mechanism, resolved, reduced_model(mechanism, resolved, atlas, tables))
