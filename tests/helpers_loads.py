"""Mechanisms whose joints ask for their loads, and what acts on them at an instant."""

from dataclasses import replace

import numpy as np
from helpers import MECHANISMS

from precompute.coordinates.decouple import find_dependence
from precompute.coordinates.independent import choose_coordinates
from precompute.coordinates.load_dependence import loaded_frames
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.continuation import follow
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import from_document, load, to_document
from precompute.model.mechanism import Coordinate
from precompute.reduction.exact_loads import Acting, ExactLoads
from precompute.reference import (
    Loads,
    accelerations,
    assemble,
    bushing_state,
    full_model,
    on_chassis,
)
from precompute.reference.assembly import led, set_moving
from precompute.reference.dynamics import law_forces
from precompute.reference.measures import measure_motion

CRANK_SPEED = 10.471975511965978
CRANK_AXIS = np.array([0.0, -0.5, 0.8660254037844386])

BEARINGS = {
    0: {
        "crank.F": (-0.36807381, -0.38353435, -0.05932191),
        "crank.M": (0.0, 0.0029661, -0.01917672),
        "rocker.F": (0.00504496, -0.07903708, 0.05932191),
        "rocker.M": (5.02516e-3, 3.15256e-3, 0.0),
    },
    90: {
        "crank.F": (-0.19293678, -0.42226038, -0.13695905),
        "crank.M": (0.00462601, -0.00482342, 0.00835441),
        "rocker.F": (0.02765108, -0.15369729, -0.04946681),
        "rocker.M": (-4.46827e-3, -2.12230e-3, 0.0),
    },
}
"""Ground on link in ground axes, at angles of the crank [deg], the drive's torque included."""


def driven_rssr():
    """The published linkage with its crank driven and no other force, loads in ground axes, as good as tables get."""
    mechanism = watched(load(MECHANISMS / "rssr.toml"), "ground")
    return replace(
        mechanism,
        springs=(),
        coordinates=tuple(replace(c, driven=True, start_rate=0.0) for c in mechanism.coordinates),
        tables=replace(mechanism.tables, tolerance=1e-9),
    )


def watched(mechanism, axes="joint", fixed_to=None):
    """The mechanism with all loads asked for, and accelerations of all markers.

    Args:
        mechanism: any.
        axes: of the loads.
        fixed_to: per joint, the body that carries its own axes.
    """
    document = to_document(mechanism)
    for name, entry in document["joints"].items():
        entry["load"] = True
        if axes == "ground" and entry["type"] != "rod":
            entry["load_axes"] = "ground"
        if name in (fixed_to or {}) and entry["type"] != "sequence":
            entry["stiff_axes"] = fixed_to[name]
    for entry in document.get("markers", {}).values():
        entry["acceleration"] = True
    return from_document(document)


class Exact:
    """Exact loads of a mechanism, led from its design."""

    def __init__(self, mechanism):
        topology = spanning_tree(mechanism)
        self.design = close_loops(mechanism, topology)
        self.coordinates = choose_coordinates(mechanism, topology, self.design)
        self.dependence, self.samples = find_dependence(self.coordinates, self.design)
        self.loads = ExactLoads.of(self.coordinates, self.dependence)
        self.mechanism = mechanism

    def configurations(self, z, steps=6):
        """(n, nq) at values (n, nz) of all coordinates."""
        full = self.coordinates.full
        start = np.concatenate([self.coordinates.design, np.zeros(len(self.coordinates.stiff))])
        q, here = np.repeat(self.design.q[None], len(z), 0), np.repeat(start[None], len(z), 0)
        for share in np.linspace(0.0, 1.0, steps + 1)[1:]:
            done = follow(full, q, here, start + share * (z - start))
            assert done.reached.all()
            q, here = done.q, done.z
        return q

    def at(self, z, rates, accelerations, forces=None, wrenches=None, gravity=None, **ground):
        """Name -> (n,) loads."""
        n, m = len(z), self.mechanism
        acting = Acting(
            rates,
            accelerations,
            np.tile(m.gravity, (n, 1)) if gravity is None else gravity,
            np.zeros((n, len(m.acting))) if forces is None else forces,
            np.zeros((n, len(loaded_frames(m)), 2, 3)) if wrenches is None else wrenches,
            **ground,
        )
        return dict(zip(self.loads.names, self.loads.at(self.configurations(z), acting).T, strict=True))


class Full:
    """The full model with all coordinates measured, stiff ones too: loads from its multipliers."""

    def __init__(self, exact):
        m, c = exact.mechanism, exact.coordinates
        stiff = tuple(Coordinate(name, of) for name, of in zip(c.all_names[len(c.free) :], c.stiff, strict=True))
        self.mechanism, self.names, self.free = m, c.all_names, c.names
        self.model = full_model(replace(m, coordinates=(*c.free, *stiff)))

    def at(self, z, rates, ports=None, chassis=None):
        """Loads by name at one state, and the arguments of `Exact.at` for it."""
        values = dict(zip(self.names, z.tolist(), strict=True))
        free = [c.name for c in self.model.coordinates if c.name in self.free]
        state = assemble(self.model, {name: values[name] for name in free})
        state = led(self.model, state, values)
        state = set_moving(self.model, state, dict(zip(self.names, rates.tolist(), strict=True)))
        if chassis is not None:
            state = on_chassis(state, chassis)
        ports = ports or {}
        loads = Loads(ports=ports, carried=True)
        found = accelerations(self.model, state, 0.0, lambda _: loads)
        zdd = np.array([[found.coordinates[name] for name in self.names]])
        m, frames = self.mechanism, loaded_frames(self.mechanism)
        forces = law_forces(self.model, measure_motion(self.model.measures, state))
        if m.bushings:
            forces = np.concatenate([forces, bushing_state(self.model.bushings, state).force.ravel()])
        wrenches, names = np.zeros((1, len(frames), 2, 3)), [marker.name for marker in m.frames]
        for port in (port for port in m.ports if port.name in ports):
            wrenches[0, frames.index(names.index(port.marker))] += np.array(ports[port.name])
        ground = {}
        if chassis is not None:
            ground = {"twist": chassis.twist[None], "twist_rate": chassis.rate[None]}
            ground["gravity"] = (chassis.R.T @ m.gravity)[None]
        given = np.array([z]), np.array([rates]), zdd, forces[None], wrenches
        return found, (given, ground)


def random_ports(mechanism, rng):
    """A force and a moment on every port."""
    return {port.name: (rng.normal(size=3) * 1e3, rng.normal(size=3) * 1e2) for port in mechanism.ports}
