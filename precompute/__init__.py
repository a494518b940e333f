"""kinetab, the offline half: closed-loop mechanisms to lookup tables.

mechanism.toml -> Mechanism -> Topology -> Configuration -> Coordinates -> sweep -> ReducedModel -> FMU
"""

from precompute.mechanism_file import load, save  # isort: skip
from precompute.mechanism import (
    Body,
    Coordinate,
    Damper,
    Distance,
    Experiment,
    ForceTable,
    Joint,
    JointCoordinate,
    Marker,
    MarkerCoordinate,
    Mechanism,
    Port,
    Primitive,
    Rod,
    Spring,
    Stop,
    TableSettings,
    joint_primitives,
)
from precompute.topology import Topology, spanning_tree
from precompute.assembly import Configuration, close_loops
from precompute.coordinates import Coordinates, choose_coordinates
from precompute.certificate import Tabulated, tabulate
from precompute.reduction import reduced_model
from precompute.pipeline import bake
from precompute.errors import (
    AssemblyError,
    MechanismError,
    PrecomputeError,
    SingularityError,
    SweepError,
    TopologyError,
)
