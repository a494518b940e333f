"""kinetab: closed-loop mechanisms, solved once, as small fast FMI 2.0 co-simulation FMUs.

    import kinetab as kt

    mechanism = kt.load("front_axle.toml")        # or built from kt.Body, kt.Joint, ... in SI units
    print(kt.check(mechanism))                    # freedoms, loops, coordinates, conditioning, feasible range
    moved = kt.solve(mechanism, t, {"wheel": z})  # a given motion, exactly; moved.outputs["marker.hub.a[3]"]
    model = kt.bake(mechanism)                    # tables with a certificate
    fmu = kt.build(model, "FrontAxle.fmu")        # or native=True, which needs no Python where it runs
    run = kt.run(fmu, stop=2.0)                   # run.time, run.outputs["q.wheel"], all SI
    print(kt.verify(fmu).passed)                  # against two independent models

Kinematics and compliance of a suspension need no tables and no FMU:

    kc = kt.load("strut.toml").kc(travel=(-80, 80))
    kc["toe"]                                     # a column over travel, with its unit; kc["roll"]["camber.left"]
    kc.gradient("toe", "travel")                  # at design, in deg/m
    kc.to_pandas()
    kc.plot()

What every joint carries along a given motion, by exact kinematics:

    loads = kt.load("strut.toml").loads({"time": t, "rack": x, "strut": s, "port.contact.F[3]": F}, axes="ground")
    loads.outputs["joint.lower_ball.F[1]"]        # N; loads.extremes(name), loads.cycles(name), loads.to_folder("out")

Models and FMUs run where they are:

    reduced = kt.bake("strut.toml")
    run = reduced.simulate({"time": t, "port.contact.F[3]": load}, stop=2.0)
    run = kt.Fmu("Strut.fmu").simulate(stop=2.0)

What is decided of a mechanism before its sweep, such as coordinates, charts and what depends on what, is its plan.  It
can be filled with other numbers of the same structure, such as moved hardpoints:

    plan = kt.plan(mechanism)                     # plan.key is equal for equal structures
    model = kt.fill(plan, moved)                  # or kt.PlanError, where the numbers do not allow it

A rough drawing closes by itself; `assemble` closes it with coordinates elsewhere, or in every way that there is:

    ways = kt.assemble(mechanism, at={"crank": 0.5}, branches=True)
    kt.save(ways.redrawn(1).mechanism, "other_way.toml")   # the second one as the design position

The command line, `kinetab` or `python -m kinetab`, does the same.  The work is done in `precompute` (offline) and
`fmu_src` (what runs inside the FMU, and its builders).
"""

from fmu_src import __version__
from fmu_src.errors import FmuError
from kinetab.commands import assemble, build, check, run, solve, verify
from kinetab.mechanism import Mechanism, load, loads
from kinetab.models import Fmu, ReducedModel, bake, fill
from precompute.design import Variable
from precompute.errors import (
    AssemblyError,
    MechanismError,
    PlanError,
    PrecomputeError,
    ReachError,
    SingularityError,
    SweepError,
    TopologyError,
)
from precompute.fitting import Fit
from precompute.kc.record import Choices
from precompute.loading.record import JointLoads
from precompute.mechanism_file import save
from precompute.model.mechanism import (
    Axes,
    Axle,
    Body,
    Bushing,
    BushingDeflection,
    ConstantForce,
    Coordinate,
    Damper,
    Distance,
    Experiment,
    ForceTable,
    Joint,
    JointCoordinate,
    Marker,
    MarkerCoordinate,
    Port,
    Primitive,
    ReadMeasure,
    Rod,
    Spring,
    Stop,
    TableSettings,
    Vehicle,
    Wheel,
    joint_primitives,
    stiff_primitives,
)
from precompute.modes import Linear, Mode, natural_modes
from precompute.pipeline import plan
from precompute.planning.plan import Plan
from precompute.redesign.changing import Redesign
from precompute.report.assemblies import Assemblies
from precompute.report.inspection import Report
from precompute.running.input_table import read_inputs
from precompute.running.samples import Samples, write_csv
from precompute.running.simulation import Run, StoppedError
from precompute.sheets.columns import CaseResult, Column
from precompute.sheets.measured import Measured, read_measured
from precompute.sheets.result import Kc, kc
from precompute.verify.limits import Limits
from precompute.verify.verification import Verification

__all__ = [
    "Assemblies",
    "AssemblyError",
    "Axes",
    "Axle",
    "Body",
    "Bushing",
    "BushingDeflection",
    "CaseResult",
    "Choices",
    "Column",
    "ConstantForce",
    "Coordinate",
    "Damper",
    "Distance",
    "Experiment",
    "Fit",
    "Fmu",
    "FmuError",
    "ForceTable",
    "Joint",
    "JointCoordinate",
    "JointLoads",
    "Kc",
    "Limits",
    "Linear",
    "Marker",
    "MarkerCoordinate",
    "Measured",
    "Mechanism",
    "MechanismError",
    "Mode",
    "Plan",
    "PlanError",
    "Port",
    "PrecomputeError",
    "Primitive",
    "ReachError",
    "ReadMeasure",
    "Redesign",
    "ReducedModel",
    "Report",
    "Rod",
    "Run",
    "Samples",
    "SingularityError",
    "Spring",
    "Stop",
    "StoppedError",
    "SweepError",
    "TableSettings",
    "TopologyError",
    "Variable",
    "Vehicle",
    "Verification",
    "Wheel",
    "__version__",
    "assemble",
    "bake",
    "build",
    "check",
    "fill",
    "joint_primitives",
    "kc",
    "load",
    "loads",
    "natural_modes",
    "plan",
    "read_inputs",
    "read_measured",
    "run",
    "save",
    "solve",
    "stiff_primitives",
    "verify",
    "write_csv",
]
