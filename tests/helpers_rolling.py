"""The thin disc of the golden motion, drawn upright, and its angles."""

from dataclasses import replace

import numpy as np

from precompute.model.contacts import TrackStart, WheelContact
from precompute.model.mechanism import (
    GROUND,
    Body,
    Coordinate,
    Joint,
    JointCoordinate,
    Marker,
    Mechanism,
    ReadMeasure,
    Spring,
    TableSettings,
    joint_primitives,
)

MASS, RADIUS, GRAVITY = 2.0, 0.5, 9.81
TH = 0.5 * np.pi
"""Tilt of a disc that stands upright, as the disc is drawn."""

PSI, PHI = 0.3, 0.0
UP = np.array([0.0, 0.0, 1.0])
AXIS = np.array([0.0, -1.0, 0.0])


def disc(kind="rolling", com=None, start=None, **more):
    """A thin disc: m R^2/2 about its axis, m R^2/4 across; e along x, u along -y at design."""
    centre = np.array([0.0, 0.0, RADIUS])
    contact = WheelContact("contact", kind, "disc", centre, AXIS, RADIUS, UP, start or TrackStart())
    inertia = MASS * RADIUS**2 * np.diag([0.25, 0.5, 0.25])
    lean = Joint(
        contact.lean, "revolute", GROUND, contact.fork, contact.point, contact.point,
        joint_primitives("revolute", [-contact.forward]),
    )  # fmt: skip
    spin = Joint(
        contact.spin, "revolute", contact.fork, "disc", centre, centre, joint_primitives("revolute", [contact.axis])
    )
    return Mechanism(
        "rolling_disc",
        bodies=(
            Body("disc", MASS, centre if com is None else com, inertia),
            Body(contact.fork, 0.0, centre, np.zeros((3, 3))),
        ),
        joints=(lean, spin),
        coordinates=(
            Coordinate("lean", JointCoordinate(contact.lean), -1.3, 1.3, start=1.2 - TH),
            Coordinate("spin", JointCoordinate(contact.spin), -np.pi, np.pi, periodic=True, start_rate=-6.0),
        ),
        gravity=[0.0, 0.0, -GRAVITY],
        contact=contact,
        **more,
    )


def disc_axes(psi, th):
    """(e, u) of the golden disc."""
    e = np.array([np.cos(psi), np.sin(psi), 0.0])
    return e, np.array([np.sin(th) * np.sin(psi), -np.sin(th) * np.cos(psi), np.cos(th)])


def with_pendulum(kind, com=None, start=None, **more):
    """The disc with a bob that swings on the frame that leans with it, on a floor that leans."""
    plain, hub = disc(kind, com, start), np.array([0.0, 0.0, RADIUS])
    swing = Joint(
        "swing", "revolute", "contact_fork", "bob", hub, hub, joint_primitives("revolute", [np.array([0.0, 1.0, 0.0])])
    )
    return replace(
        plain,
        bodies=(*plain.bodies, Body("bob", 1.5, [0.05, 0.1, RADIUS - 0.3], 0.02 * np.eye(3))),
        joints=(*plain.joints, swing),
        coordinates=(
            *(plain.coordinates or ()),
            Coordinate("swing", JointCoordinate("swing"), -1.2, 1.2, start=0.3, start_rate=0.5, outside="linear"),
        ),
        springs=(Spring("swing", JointCoordinate("swing"), stiffness=3.0, free_length=0.1),),
        markers=(Marker("bob", "bob", [0.05, 0.1, RADIUS - 0.4]), Marker("rim", "disc", [0.2, 0.0, 0.9])),
        measures=(ReadMeasure("swing", JointCoordinate("swing")),),
        gravity=[0.5, 0.3, -9.7],
        tables=TableSettings(tolerance=1e-7),
        **more,
    )
