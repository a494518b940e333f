"""Planar linkages that pass branch points, with closed forms of their motion."""

from __future__ import annotations

import numpy as np
from helpers import joint, random_body

from precompute.model.mechanism import Coordinate, JointCoordinate, Marker, Mechanism

Z = np.array([0.0, 0.0, 1.0])
X = np.array([1.0, 0.0, 0.0])


def mechanism(name, hinges, at, coordinate, slide=False):
    """Bodies crank, link and output, hinged at four points, or the last on a slide; a marker at the third point."""
    names = ["ground", "crank", "link", "output"]
    kinds = ["revolute"] * 3 + ["prismatic" if slide else "revolute"]
    joints = [
        joint(kind, label, a, b, p, X if kind == "prismatic" else Z)
        for kind, label, a, b, p in zip(
            kinds, ("crank", "pin", "end", "output"), names, [*names[1:], "ground"], hinges, strict=True
        )
    ]
    rng = np.random.default_rng(3)
    return Mechanism(
        name,
        [random_body(rng, n) for n in names[1:]],
        joints,
        markers=[Marker("Q", "link", hinges[2])],
        coordinates=(Coordinate("crank", JointCoordinate("crank"), *coordinate[:2], periodic=coordinate[2]),),
        gravity=np.array([0.0, -9.81, 0.0]),
    )


def parallelogram(start=1.0, ground=3.0, coordinate=(-2.0, 2.5, False)):
    """Crank and rocker of 1 m, coupler of 3 m: flat at crank angles of 0 and 180 deg, `start` at design."""
    P = np.array([np.cos(start), np.sin(start), 0.0])
    B = np.array([ground, 0.0, 0.0])
    return mechanism("Parallelogram", [np.zeros(3), P, P + 3.0 * X, B], start, coordinate)


def two_parallelograms(apart, coordinate=(-2.0, 1.0, False)):
    """Two of them on one crank, with pins `apart` [rad]: each is flat at an angle of its own."""
    rng = np.random.default_rng(3)
    bodies, joints = [random_body(rng, "crank")], [joint("revolute", "crank", "ground", "crank", np.zeros(3), Z)]
    for i, (angle, ground) in enumerate(((1.0, 3.0), (1.0 + apart, 4.0))):
        P, link, output = np.array([np.cos(angle), np.sin(angle), 0.0]), f"link{i}", f"output{i}"
        bodies += [random_body(rng, link), random_body(rng, output)]
        joints += [
            joint("revolute", f"pin{i}", "crank", link, P, Z),
            joint("revolute", f"end{i}", link, output, P + ground * X, Z),
            joint("revolute", output, output, "ground", ground * X, Z),
        ]
    crank = Coordinate("crank", JointCoordinate("crank"), *coordinate[:2], periodic=coordinate[2])
    return Mechanism("TwoParallelograms", bodies, joints, coordinates=(crank,))


def kite(start=1.0, coordinate=(-2.0, 1.0, False)):
    """Crank and ground of 1 m, link and rocker of 2 m: where the crank's pin meets the rocker's, both could spin."""
    P = np.array([np.cos(start), np.sin(start), 0.0])
    return mechanism("Kite", [np.zeros(3), P, kite_end(start), X], start, coordinate)


def kite_end(angle):
    """The joint of link and rocker: on the line from the crank's bearing that halves the angle."""
    half, middle = 0.5 * angle, np.cos(0.5 * angle)
    return (middle + np.sqrt(4.0 - np.sin(half) ** 2)) * np.array([np.cos(half), np.sin(half), 0.0])


def equal_crank_slider(start=1.0, coordinate=(0.0, 2.0 * np.pi, True)):
    """Crank and rod of 1 m: with the slider at the bearing, both could turn together."""
    P = np.array([np.cos(start), np.sin(start), 0.0])
    return mechanism("EqualCrankSlider", [np.zeros(3), P, 2.0 * P[0] * X, 2.0 * P[0] * X], start, coordinate, True)
