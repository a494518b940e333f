"""The suspension in MuJoCo: the tree as bodies with joints, each cut as a `connect` constraint.

Constraints of MuJoCo are soft.  Here they are as stiff as the step allows: impedance IMPEDANCE, and errors decay within
a few steps.  The rates of an arm's two bushings are those of its six coordinates, exact to first order in a deflection.
Loads act through a massless body at the wheel centre.  `mujoco.rollout` runs the whole manoeuvre in C.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import mujoco
import numpy as np
from mujoco import rollout

from engines.common import Case, Motion, forces
from engines.tree import Cut, Link, Tree, tree
from engines.truth import PORT, Truth
from precompute.arrays import Array
from precompute.geometry.spatial import rotation_quaternion
from precompute.model.mechanism import GROUND

IMPEDANCE = 0.9999  # share of a constraint's acceleration that is enforced; 1 is rigid
SETTLING = {"RK4": 0.5}  # steps: time constant of constraint errors, two for other integrators

STEPS = {
    "RK4": (2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4),
    "implicitfast": (1e-3, 5e-4, 2.5e-4, 1e-4, 5e-5),
    "Euler": (1e-3, 5e-4, 2.5e-4, 1e-4, 5e-5),
    "discrete": (1e-3, 5e-4, 2.5e-4, 1e-4, 5e-5),
}
"""The last is implicit in springs too; newer versions of MuJoCo have it."""


mujoco.set_mju_user_warning(lambda _: None)  # of unstable runs; it would write a file


@dataclass(frozen=True)
class Settings:
    """How MuJoCo computes a step."""

    integrator: str
    step: float  # [s]
    solver: str = "Newton"
    iterations: int = 1  # the problem is quadratic: one step of Newton's method solves it
    jacobian: str = "dense"

    def option(self, gravity: Array) -> str:
        """Of MJCF."""
        return (
            f'<option integrator="{self.integrator}" timestep="{self.step}" solver="{self.solver}" '
            f'iterations="{self.iterations}" ls_iterations="1" tolerance="0" jacobian="{self.jacobian}" '
            f'gravity="{numbers(gravity)}">'
            '<flag contact="disable" limit="disable" frictionloss="disable" actuation="disable" sensor="disable" '
            'clampctrl="disable" refsafe="disable" warmstart="disable" midphase="disable" filterparent="disable" '
            'energy="disable" island="disable"/></option>'
        )


class MujocoCase(Case):
    """MuJoCo in one configuration."""

    engine = "mujoco"

    def __init__(self, truth: Truth, settings: Settings) -> None:
        self.truth, self.step = truth, settings.step
        self.configuration = settings.integrator
        cut = tree(truth)
        self.model = mujoco.MjModel.from_xml_string(mjcf(cut, truth, settings))
        self.data = mujoco.MjData(self.model)
        self.start = start_state(self.model, self.data, cut)
        self.control = np.zeros((1, round(1e-3 * truth.milliseconds / settings.step), 6 * self.model.nbody))
        first = 6 * self.model.body(PORT).id
        self.control[0, :, first : first + 3] = forces(truth.milliseconds, settings.step)
        self.spec = mujoco.mjtState.mjSTATE_XFRC_APPLIED.value
        self.states = np.zeros((1, self.control.shape[1], self.start.size))

    def run(self) -> None:
        """One rollout."""
        rollout.rollout(
            [self.model], [self.data], self.start[None], self.control,
            control_spec=self.spec, skip_checks=True, nstep=self.control.shape[1],
            state=self.states,
        )  # fmt: skip

    def simulate(self) -> Motion:
        """Run and look at the wheel once per millisecond."""
        self.run()
        every = max(1, round(1e-3 / self.step))
        states = np.concatenate([self.start[None], self.states[0, every - 1 :: every]])
        found = [self.wheel(state) for state in states]
        return Motion(np.array([r for r, _ in found]), np.array([axis for _, axis in found]))

    def wheel(self, state: Array) -> tuple[Array, Array]:
        """Position and spin axis of the wheel."""
        mujoco.mj_setState(self.model, self.data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS.value)
        mujoco.mj_kinematics(self.model, self.data)
        body = self.data.body(PORT)
        return body.xpos.copy(), body.xmat.reshape(3, 3) @ self.truth.wheel[2]


def cases(truth: Truth) -> list[Case]:
    """Every integrator at every step size."""
    names = [name for name in STEPS if hasattr(mujoco.mjtIntegrator, f"mjINT_{name.upper()}")]
    return [MujocoCase(truth, Settings(name, step)) for name in names for step in STEPS[name]]


# -- MJCF -------------------------------------------------------------------------------------------------------------


def mjcf(cut: Tree, truth: Truth, settings: Settings) -> str:
    """The mechanism as an MJCF text; every body frame has the axes of the ground at design."""
    settling = settings.step * SETTLING.get(settings.integrator, 2.0)
    stiff = f'solref="{settling} 1" solimp="{IMPEDANCE} {IMPEDANCE} 1"'
    origins = {GROUND: np.zeros(3)} | {link.name: link.point for link in cut.links}
    connects = "".join(connect(c, origins, stiff) for c in cut.cuts)
    return (
        f'<mujoco><compiler angle="radian" autolimits="false" fusestatic="false"/>{settings.option(cut.gravity)}'
        f"<worldbody>{bodies(GROUND, cut, truth)}</worldbody><equality>{connects}</equality></mujoco>"
    )


def bodies(parent: str, cut: Tree, truth: Truth) -> str:
    """All links that a body carries, with what they carry; on the hub also the massless body of the port."""
    origin = next((link.point for link in cut.links if link.name == parent), np.zeros(3))
    text = "".join(body(link, origin, bodies(link.name, cut, truth)) for link in cut.links if link.parent == parent)
    hub, centre, _ = truth.wheel
    if hub != parent:
        return text
    inertial = '<inertial pos="0 0 0" mass="1e-9" diaginertia="1e-12 1e-12 1e-12"/>'  # loads act at its centre of mass
    return f'{text}<body name="{PORT}" pos="{numbers(centre - origin)}">{inertial}</body>'


def body(link: Link, origin: Array, inside: str) -> str:
    """A link; its frame is at its joint."""
    six = link.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    return (
        f'<body name="{link.name}" pos="{numbers(link.point - origin)}">'
        f'<inertial mass="{link.mass}" pos="{numbers(link.com - link.point)}" fullinertia="{numbers(six)}"/>'
        f"{joints(link)}{inside}</body>"
    )


def joints(link: Link) -> str:
    """The joints of a link, from the parent outward."""
    a, k, c = link.axes.T, link.stiffness, link.damping
    match link.kind:
        case "ball":
            return f'<joint name="{link.joint}" type="ball"/>'
        case "hinge" | "slide":
            return scalar(link.joint, link.kind, a[0], k[0], c[0], link.rest)
        case "rod":
            return "".join(scalar(f"{link.joint}.{i}", "hinge", a[i]) for i in (0, 1))
    slides = "".join(scalar(f"{link.joint}.{i}", "slide", a[i], k[i], c[i]) for i in (0, 1, 2))
    return slides + "".join(scalar(f"{link.joint}.{3 + i}", "hinge", a[i], k[3 + i], c[3 + i]) for i in (1, 2, 0))


def scalar(name: str, kind: str, axis: Array, k: float = 0.0, c: float = 0.0, rest: float = 0.0) -> str:
    """A joint with one coordinate, its spring and damper."""
    spring = f'stiffness="{float(k)!r}" damping="{float(c)!r}" springref="{float(rest)!r}"'
    return f'<joint name="{name}" type="{kind}" axis="{numbers(axis)}" {spring}/>'


def connect(cut: Cut, origins: dict[str, Array], stiff: str) -> str:
    """The constraint that closes a cut."""
    anchor = numbers(cut.point - origins[cut.parent])
    return f'<connect name="{cut.name}" body1="{cut.parent}" body2="{cut.child}" anchor="{anchor}" {stiff}/>'


def numbers(values: Iterable[float]) -> str:
    """Numbers as MJCF has them."""
    return " ".join(repr(float(x)) for x in values)


def start_state(model: mujoco.MjModel, data: mujoco.MjData, cut: Tree) -> Array:
    """Full physics state of rest at the start of the truth."""
    values: list[float] = []
    for link in sorted(cut.links, key=lambda x: model.body(x.name).id):
        values += rotation_quaternion(link.start.R).tolist() if link.kind == "ball" else link.start_angles()
    data.qpos[:] = values
    state = np.zeros(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS.value))
    mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS.value)
    return state
