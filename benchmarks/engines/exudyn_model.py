"""The suspension in Exudyn: rigid bodies with Euler parameters, every joint a constraint, bushings as its connectors.

Measured: this is two to five times faster than one `ObjectKinematicTree` with its loops closed.  Exudyn's explicit
integrators do not take joints, so only the implicit ones are of use.  `SolveDynamic` runs the whole manoeuvre in C++;
the load is a symbolic function, which C++ evaluates without Python.  These integrators weigh the load at both ends of a
step, so it is not held but the same sine half a millisecond later, whose mean over each millisecond is the held force.
"""

from __future__ import annotations

import contextlib
import io
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.common import AMPLITUDE, FREQUENCY, HOLD, STATIC, Case, Motion
from engines.truth import Truth
from precompute.arrays import Array
from precompute.model.joints import plane_axes
from precompute.model.mechanism import GROUND, Bushing, Damper, Joint, Mechanism, Spring

sys.exudynFast = True  # type: ignore[attr-defined]  # the module without range checks
with contextlib.redirect_stdout(io.StringIO()):  # it greets
    import exudyn as exu
    from exudyn import itemInterface as eii
    from exudyn.advancedUtilities import CreateSymbolicUserFunction
    from exudyn.rigidBodyUtilities import RigidBodyInertia

IN_PLANE = ("link_idler",)
"""Revolute joints of a planar loop that need only hold two directions, so that no constraint repeats another."""

SOLVERS = {
    "trapezoidal": exu.DynamicSolverType.TrapezoidalIndex2,
    "generalized alpha": exu.DynamicSolverType.GeneralizedAlpha,
}
STEPS = (2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4)


@dataclass(frozen=True)
class Settings:
    """How Exudyn computes a step."""

    solver: str
    step: float  # [s]
    tolerance: float  # relative, of modified Newton's method

    def __str__(self) -> str:
        return f"{self.solver}, Newton to {self.tolerance:.0e}"

    def simulation(self, duration: float) -> Any:
        """Settings of the solver: one thread, fixed steps, nothing written."""
        s = exu.SimulationSettings()
        ti = s.timeIntegration
        ti.numberOfSteps, ti.endTime = round(duration / self.step), duration
        ti.adaptiveStep = ti.automaticStepSize = False
        ti.verboseMode = 0
        ti.newton.useModifiedNewton = True
        ti.newton.relativeTolerance = self.tolerance
        s.solution.file.write = False
        s.solution.sensors.writePeriod = max(self.step, HOLD)
        s.parallel.numberOfThreads = 1
        s.linearSolver.solverType = exu.LinearSolverType.EigenSparse
        return s


CONFIGURATIONS = (("trapezoidal", 1e-6), ("trapezoidal", 1e-4), ("generalized alpha", 1e-6))


class ExudynCase(Case):
    """Exudyn in one configuration."""

    engine = "exudyn"

    def __init__(self, truth: Truth, settings: Settings) -> None:
        self.truth, self.configuration, self.step = truth, str(settings), settings.step
        self.system, self.watched = System(truth), System(truth, watched=True)
        self.settings, self.solver = settings.simulation(1e-3 * truth.milliseconds), SOLVERS[settings.solver]

    def run(self) -> None:
        """One call of the solver; nothing is recorded."""
        self.system.mbs.SolveDynamic(self.settings, solverType=self.solver)

    def simulate(self) -> Motion:
        """Run with sensors at two points of the wheel's axis."""
        self.watched.mbs.SolveDynamic(self.settings, solverType=self.solver)
        r, end = (self.watched.mbs.GetSensorStoredData(s)[:, 1:] for s in self.watched.sensors)
        return Motion(r, end - r)


def cases(truth: Truth) -> list[Case]:
    """Every configuration at every step size."""
    return [ExudynCase(truth, Settings(name, step, tol)) for name, tol in CONFIGURATIONS for step in STEPS]


class System:
    """The model; its reference configuration is the start."""

    def __init__(self, truth: Truth, watched: bool = False) -> None:
        mechanism = truth.mechanism
        self.container = exu.SystemContainer()
        self.mbs = self.container.AddSystem()
        self.bodies, self.com = {GROUND: self.mbs.CreateGround()}, {GROUND: np.zeros(3)}
        self.add_bodies(truth)
        for joint in mechanism.joints:
            if not joint.stiff:
                self.join(joint)
        for bushing in mechanism.bushings:
            self.mount(bushing)
        for spring in mechanism.springs:
            damper = next(d for d in mechanism.dampers if d.name == spring.name)
            self.hold(mechanism, spring, damper)
        hub, centre, axis = truth.wheel
        self.load = self.push(self.point(hub, centre))
        self.sensors = [self.watch(hub, p) for p in (centre, centre + axis)] if watched else []
        self.mbs.Assemble()

    def add_bodies(self, truth: Truth) -> None:
        """Every body where it starts; the origin of its frame is its centre of mass."""
        for body in truth.mechanism.bodies:
            X = truth.start[body.name]
            self.com[body.name] = body.com
            self.bodies[body.name] = self.mbs.CreateRigidBody(
                referencePosition=X.point(body.com).tolist(),
                referenceRotationMatrix=X.R,
                inertia=RigidBodyInertia(mass=body.mass, inertiaTensor=body.inertia),
                gravity=truth.mechanism.gravity.tolist(),
                nodeType=exu.NodeType.RotationEulerParameters,
            )

    def point(self, body: str, p: Array) -> Any:
        """A point of a body, given at design in G."""
        local = (p - self.com[body]).tolist()
        return self.mbs.AddMarker(eii.MarkerBodyPosition(bodyNumber=self.bodies[body], localPosition=local))

    def frame(self, body: str, p: Array, R: Array) -> Any:
        """A frame on a body, its origin and axes given at design in G."""
        local = exu.HT(rotation=R, translation=(p - self.com[body]).tolist())
        return self.mbs.AddMarker(eii.MarkerBodyRigid(bodyNumber=self.bodies[body], localHT=local))

    def join(self, joint: Joint) -> None:
        """A joint as a constraint."""
        ends = ((joint.parent, joint.p_P), (joint.child, joint.p_C))
        if joint.kind == "spherical":
            self.mbs.AddObject(eii.ObjectJointSpherical(markerNumbers=[self.point(*end) for end in ends]))
            return
        R = along(joint)
        frames = [self.frame(*end, R) for end in ends]
        if joint.kind == "prismatic":
            self.mbs.AddObject(eii.ObjectJointPrismaticX(markerNumbers=frames))
        elif joint.name in IN_PLANE:
            self.mbs.AddObject(eii.ObjectJointGeneric(markerNumbers=frames, constrainedAxes=[1, 1, 0, 0, 0, 0]))
        else:
            self.mbs.AddObject(eii.ObjectJointRevoluteZ(markerNumbers=frames))

    def mount(self, bushing: Bushing) -> None:
        """A bushing; Exudyn measures its rotation by Tait-Bryan angles, which differs in the second order."""
        frames = [self.frame(body, bushing.p, bushing.R) for body in (bushing.parent, bushing.child)]
        rates = {"stiffness": bushing.stiffness, "damping": bushing.damping}
        self.mbs.AddObject(eii.ObjectConnectorRigidBodySpringDamper(markerNumbers=frames, **rates))

    def hold(self, mechanism: Mechanism, spring: Spring, damper: Damper) -> None:
        """A spring and the damper beside it."""
        rates = {"stiffness": spring.stiffness, "damping": damper.damping}
        if spring.on.segment is not None:
            (_, p_a), (_, p_b) = spring.on.segment
            assert spring.stiffness is not None and spring.preload is not None
            length = float(np.linalg.norm(p_b - p_a)) + spring.preload / spring.stiffness
            ends = [self.point(*end) for end in spring.on.segment]
            self.mbs.AddObject(eii.ObjectConnectorSpringDamper(markerNumbers=ends, referenceLength=length, **rates))
            return
        joint = mechanism.joint(dict(spring.on.refers)["joint"])
        R = along(joint)
        frames = [self.frame(body, joint.p_P, R) for body in (joint.parent, joint.child)]
        self.mbs.AddObject(eii.ObjectConnectorTorsionalSpringDamper(markerNumbers=frames, **rates))

    def push(self, marker: Any) -> Any:
        """The load; what is returned must be kept."""

        def force(mbs: Any, t: Any, loadVector: Any) -> Any:  # the names are Exudyn's
            swing = [exu.symbolic.sin((2.0 * np.pi * f) * (t - 0.5 * HOLD)) for f in FREQUENCY.tolist()]
            return [s + a * x for s, a, x in zip(STATIC.tolist(), AMPLITUDE.tolist(), swing, strict=True)]

        function = CreateSymbolicUserFunction(self.mbs, force, "loadVectorUserFunction", itemTypeName="LoadForceVector")
        self.mbs.AddLoad(eii.LoadForceVector(markerNumber=marker, loadVectorUserFunction=function))
        return function

    def watch(self, body: str, p: Array) -> Any:
        """Position of a point over time."""
        return self.mbs.AddSensor(
            eii.SensorBody(
                bodyNumber=self.bodies[body],
                localPosition=(p - self.com[body]).tolist(),
                outputVariableType=exu.OutputVariableType.Position,
                storeInternal=True,
                writeToFile=False,
            )
        )


def along(joint: Joint) -> Array:
    """(3, 3) axes of a joint as Exudyn wants them: x along a slide, z along a hinge."""
    axis = joint.primitives[0].axis
    assert axis is not None
    u, v = plane_axes(axis)
    return np.array([axis, u, v] if joint.kind == "prismatic" else [u, v, axis]).T
