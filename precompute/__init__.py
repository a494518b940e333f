"""kinetab, the offline half: closed-loop mechanisms to lookup tables.

mechanism.toml -> Mechanism -> Topology -> Configuration -> Coordinates -> sweep -> ReducedModel -> FMU
"""

# ruff: noqa: E402
import os

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # before NumPy: on batches of small matrices threads only wait for each other

from precompute.assembly import Configuration, close_loops
from precompute.coordinates import Coordinates, choose_coordinates
from precompute.errors import (
    AssemblyError,
    MechanismError,
    PrecomputeError,
    SingularityError,
    SweepError,
    TopologyError,
)
from precompute.mechanism import (
    Body,
    Bushing,
    BushingDeflection,
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
    stiff_primitives,
)
from precompute.mechanism_file import load, save
from precompute.pipeline import bake
from precompute.reduction import reduced_model
from precompute.tabulate import Tabulated, tabulate
from precompute.topology import Topology, spanning_tree

__all__ = [
    "AssemblyError",
    "Body",
    "Bushing",
    "BushingDeflection",
    "Configuration",
    "Coordinate",
    "Coordinates",
    "Damper",
    "Distance",
    "Experiment",
    "ForceTable",
    "Joint",
    "JointCoordinate",
    "Marker",
    "MarkerCoordinate",
    "Mechanism",
    "MechanismError",
    "Port",
    "PrecomputeError",
    "Primitive",
    "Rod",
    "SingularityError",
    "Spring",
    "Stop",
    "SweepError",
    "TableSettings",
    "Tabulated",
    "Topology",
    "TopologyError",
    "bake",
    "choose_coordinates",
    "close_loops",
    "joint_primitives",
    "load",
    "reduced_model",
    "save",
    "spanning_tree",
    "stiff_primitives",
    "tabulate",
]
