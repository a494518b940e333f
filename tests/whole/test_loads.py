"""Loads of joints as outputs of the reduced model: published numbers, the full model, balances; exact ones beside them.

Without stiff coordinates the difference is that of the tables.  With them it is the same where nothing is deflected;
elsewhere it falls with the square of the deflections at rest, and in proportion to them in motion, as accelerations do.
"""

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers import GOLDEN
from helpers_baked import baked
from helpers_corner import FRONT, Corner, document
from helpers_kernel import Pair
from helpers_loads import CRANK_AXIS, CRANK_SPEED, Exact, driven_rssr, watched

from fmu_src.model.rows import load_places
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.outputs import Shown, _instant
from fmu_src.numpy_runtime.reading import read
from fmu_src.numpy_runtime.state import State
from fmu_src.numpy_runtime.steps.integrator import advance
from precompute.mechanism_file import from_document
from precompute.reference import ChassisState, Loads, WheelLoad, accelerations, on_chassis

TABLES = 1e-7  # relative, as asked for in the file
SPAN = np.array([0.08, 0.015, 5e-4, 5e-4])  # of random coordinates: two free ones, two deflections [rad, m]
SPEED = np.array([2.0, 0.3, 0.05, 0.05])


def corner(stiff, axes, chassis="moving"):
    """A small suspension that gives all its loads."""
    return Corner(baked(watched(from_document(document(stiff=stiff, chassis=chassis)), axes)))


class Random:
    """A suspension and a chassis in random motion, under random loads, with the rack driven."""

    def __init__(self, seed, stiff, axes="joint", share=1.0, speed=1.0, c=None):
        rng = np.random.default_rng(seed)
        self.c = c or corner(stiff, axes)
        turn = rng.standard_normal(4)
        self.chassis = ChassisState(
            rng.uniform(-1, 1, 3), turn / np.linalg.norm(turn), speed * rng.uniform(-2, 2, 6), rng.uniform(-9, 9, 6)
        )
        self.load = rng.uniform(-1, 1, (2, 3)) * [[1000.0], [100.0]]
        n = self.c.runtime.nz
        self.z, self.zd = (SPAN * rng.uniform(-1, 1, 4))[:n], speed * (SPEED * rng.uniform(-1, 1, 4))[:n]
        self.z[2:] *= share
        self.drive = (self.z[1], self.zd[1], rng.uniform(-5, 5))
        self.wheel = None
        if c and c.mechanism.wheels:
            self.wheel = rng.uniform(-1, 1, 3) * 3000.0, np.array([0.1, -0.15, 1.0]), rng.uniform(-80, 80, 3)

    def errors(self):
        """Of forces and of moments, over the largest of their kind."""
        c, at = self.c, self.chassis
        u = c.inputs.copy()
        u[c.slots.twist], u[c.slots.twist_rate], u[c.slots.loads] = at.twist, at.rate, self.load.ravel()
        u[c.slots.drives[0].first :][:3] = self.drive
        load = Loads(ports={"wheel": (at.R @ self.load[0], at.R @ self.load[1])})
        if self.wheel is not None:
            F, n, M = self.wheel
            u[c.slots.wheels] = [*F, *M, -300.0, 0.0, *n, 0.1]
            load = replace(load, wheels={"front": WheelLoad(at.R @ F, at.R @ n, at.R @ M, -300.0)})
        ours = c.outputs(State(0.0, 0, 0, self.z, self.zd), u, c.in_gravity(at.R.T @ c.mechanism.gravity))
        state = on_chassis(c.full_state(self.z, self.zd), at)
        theirs = accelerations(c.full, state, 0.0, lambda t: load, {"rack": lambda t: self.drive}).loads
        assert theirs.keys() == {info.name for info in c.model.loads if not info.acceleration}
        moments = [name for name in theirs if ".M[" in name]
        return [
            max(abs(ours[name] - theirs[name]) for name in some) / max(abs(theirs[name]) for name in some)
            for some in (moments, theirs.keys() - moments)
        ]


@pytest.mark.parametrize("axes", ["joint", "ground"])
@pytest.mark.parametrize("seed", range(3))
def test_a_rigid_suspension_has_the_loads_of_the_full_model(seed, axes):
    assert max(Random(seed, stiff=False, axes=axes).errors()) < 10 * TABLES


@pytest.mark.parametrize("seed", range(3))
def test_one_on_bushings_has_them_where_it_is_not_deflected(seed):
    assert max(Random(seed, stiff=True, share=0.0).errors()) < 100 * TABLES


@pytest.mark.parametrize(("speed", "order"), [(0.0, 2), (1.0, 1)])
def test_the_error_falls_with_the_deflections(speed, order):
    errors = [np.max([Random(seed, True, "joint", share, speed).errors() for seed in range(4)]) for share in (1.0, 0.1)]
    assert errors[0] < 2e-3 and errors[1] < 1.5 * 0.1**order * errors[0]


def special(change, stiff=True):
    """The small suspension with something changed in its file."""
    found = document(stiff=stiff)
    change(found)
    return Corner(baked(watched(from_document(found))))


def with_cardan_angles(found):
    for bushing in found["bushings"].values():
        bushing["law"] = "cardan"


def with_wheel(found):
    found["wheels"], found["axles"] = {"front": FRONT}, {"front": {"left": "front", "steering": "rack"}}


@pytest.mark.parametrize(
    ("change", "stiff"),
    [(with_cardan_angles, True), (with_wheel, False), pytest.param(with_wheel, True, marks=pytest.mark.slow)],
)
def test_bushings_with_cardan_angles_and_ports_of_wheels(change, stiff):
    """A force and a moment at the contact, and a brake's torque on the carrier."""
    c = special(change, stiff)
    for seed in range(2):
        assert max(Random(seed, stiff, share=0.0, c=c).errors()) < 100 * TABLES
        assert max(Random(seed, stiff, c=c).errors()) < 2e-3


def test_tables_about_the_static_deflection_are_as_good_there_as_others_without_any():
    """Deflected as at rest, whatever else moves; there, tables about zero have an error of Taylor's."""

    def about_rest(found):
        found["tables"]["about"] = "static"
        found["experiment"] = {**found.get("experiment", {}), "static": True}

    errors, about_zero = [], corner(True, "joint")
    for c in (special(about_rest), about_zero):
        errors.append([])
        for seed in range(2):
            at = Random(seed, True, c=c)
            if c is not about_zero:
                rest = [stiff.about for stiff in c.model.stiff]
            at.z[2:] = rest
            errors[-1].append(max(at.errors()))
    assert max(np.abs(rest)) > 1e-5
    assert max(errors[0]) < 100 * TABLES < max(errors[1])


def test_quasistatic_deflections_take_no_part_in_the_motion():
    """Exact loads with deflections as they are found, at rest, and what has no inertia without acceleration."""
    found = document(chassis="fixed")
    found["tables"]["stiff"] = "quasistatic"
    mechanism = watched(from_document(found))
    c, exact, rng = Corner(baked(mechanism)), Exact(mechanism), np.random.default_rng(3)
    for _ in range(3):
        z, zd = SPAN * rng.uniform(-1, 1, 4) * [1, 1, 0, 0], SPEED * rng.uniform(-1, 1, 4) * [1, 1, 0, 0]
        u = c.inputs.copy()
        u[c.slots.loads] = rng.uniform(-1, 1, 6) * np.repeat([1000.0, 100.0], 3)
        u[c.slots.drives[0].first :][:3] = z[1], zd[1], 2.0
        state = State(0.0, 0, 0, z, zd)
        shown = Shown(c.runtime, state, c.parameters, u, _instant(c.runtime, state, c.parameters, u))
        now, ours = shown.now, c.outputs(state, u)
        assert not now.u[2:].any() and not now.zdd[2:].any() and np.abs(now.at.z[2:]).max() > 1e-5
        wrenches = u[c.slots.loads].reshape(1, 1, 2, 3)
        forces = np.array([shown.forces])
        theirs = exact.at(now.at.z[None], now.u[None], now.zdd[None], forces, wrenches)
        largest = max(abs(value[0]) for value in theirs.values())
        assert max(abs(ours[name] - theirs[name][0]) for name in theirs) < 1e-4 * largest


@pytest.mark.parametrize(("taylor", "inertia"), [(2, 1), pytest.param(3, 2, marks=pytest.mark.slow)])
def test_rows_of_loads_are_polynomials_of_their_order(taylor, inertia):
    """Against exact ones, deflected: what forces, accelerations and products of large rates are multiplied by.

    Of those products only the first order is there, whatever is asked for; they come from differences.
    """
    mechanism = watched(from_document(document(stiff=True, chassis="moving")))
    settings = replace(mechanism.tables, taylor=taylor, inertia=inertia, tolerance=1e-9, stiff_tolerance=1e-6)
    mechanism = replace(mechanism, tables=settings)
    exact, charts = Exact(mechanism), prepare(baked(mechanism))
    i, j = np.triu_indices(4)
    of_model = load_places(4, charts[0].rows.varying + charts[0].rows.fixed, len(charts[0].model.loaded), True)

    def parts(places, rows):
        """Both kinds of rows of all loads, but for those of measures, which have an order of their own."""
        C, D = rows[:, places.C][:, j < 2], rows[:, places.D].reshape(-1, 3, 4)[..., :2].reshape(len(rows), -1)
        linear = np.hstack([rows[:, part] for part in (places.J, places.S, places.r, places.h)])
        return {"linear": linear, "products": np.hstack([C, D, rows[:, places.I]])}

    errors = []
    loads = [
        first for first, load in zip(charts[0].rows.loads, charts[0].model.loads, strict=True) if not load.acceleration
    ]
    for share in (4.0, 1.0):
        z = np.array([[0.03, 0.005, *(share * SPAN[2:])]])
        theirs = parts(exact.loads.places, exact.loads.rows(exact.configurations(z))[0, : len(loads)])
        value = read(charts[0].everything, z[0])[0]
        ours = parts(of_model, np.array([value[first : first + of_model.count] for first in loads]))
        errors.append({name: np.abs(ours[name] - theirs[name]).max() / np.abs(theirs[name]).max() for name in ours})
    assert errors[1]["linear"] < 1.5 * 0.25**taylor * errors[0]["linear"] < 1e-3
    assert errors[1]["products"] < 1.5 * 0.25**2 * errors[0]["products"] < 1e-3


# -- published numbers -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rssr(tmp_path_factory):
    """Both run-times of the published linkage."""
    return Pair(baked(driven_rssr()), tmp_path_factory.mktemp("rssr")).start()


def test_forces_in_the_balls_of_the_rssr(rssr):
    golden = json.loads((GOLDEN / "rssr.json").read_text())
    for k, psi in enumerate(golden["psi_deg"]):
        for name, value in (("q", np.radians(psi)), ("qd", CRANK_SPEED), ("qdd", 0.0)):
            rssr.put(f"drive.crank.{name}", value)
        for instance in (rssr.numpy, rssr.compiled):
            instance.step(k * 1e-9, 1e-9)
            found = dict(zip(rssr.names, instance.get(range(len(rssr.names))), strict=True))
            for joint, expected in (("A", golden["fA_RSSR"][k]), ("B", -np.array(golden["fB_RSSR"][k]))):
                np.testing.assert_allclose(
                    [found[f"joint.{joint}.F[{i}]"] for i in (1, 2, 3)], expected, rtol=0.0, atol=1e-7
                )
            torque = np.dot(CRANK_AXIS, [found[f"joint.crank.M[{i}]"] for i in (1, 2, 3)])
            assert torque == pytest.approx(golden["tau_RSSR"][k], abs=1e-8)
            assert torque == pytest.approx(found["drive.crank.force"], abs=1e-9)


# -- balances ----------------------------------------------------------------------------------------------------------


def test_what_the_ground_carries_is_the_wrench_on_the_chassis():
    """Forces of all joints, rods, springs and bushings on the ground, against the tables of momentum."""
    at = Random(1, stiff=False, axes="ground")
    c = at.c
    u = c.inputs.copy()
    u[c.slots.twist], u[c.slots.twist_rate], u[c.slots.loads] = at.chassis.twist, at.chassis.rate, at.load.ravel()
    u[c.slots.drives[0].first :][:3] = at.drive
    out = c.outputs(State(0.0, 0, 0, at.z, at.zd), u)
    state = c.full_state(at.z, at.zd)  # for the directions of the rods and of the spring
    places = {body.name: (state.R[i], state.r[i], body.com) for i, body in enumerate(c.mechanism.bodies)}

    def place(body, p):
        R, r, com = places[body]
        return r + R @ (p - com)

    total = np.zeros(3)
    for joint in ("arm_mount", "rack"):
        total -= [out[f"joint.{joint}.F[{i}]"] for i in (1, 2, 3)]
    for rod in (rod for rod in c.mechanism.rods if rod.parent == "ground"):
        line = place(rod.child, rod.p_C) - rod.p_P
        total += out[f"rod.{rod.name}.force"] * line / np.linalg.norm(line)
    for element in (*c.mechanism.springs, *c.mechanism.dampers):
        kind = "spring" if element in c.mechanism.springs else "damper"
        on = element.on
        line = place(on.body_b, on.p_b) - on.p_a
        total -= out[f"{kind}.{element.name}.force"] * line / np.linalg.norm(line)
    wrench = np.array([out[f"chassis.F[{i}]"] for i in (1, 2, 3)])
    assert np.abs(total - wrench).max() < 10 * TABLES * np.abs(wrench).max()


def test_power_of_the_drive_is_change_of_energy_and_what_dampers_take():
    c, step = corner(stiff=False, axes="joint", chassis="fixed"), 1e-4
    u, state, rows = c.inputs.copy(), c.start, []
    first = c.slots.drives[0].first
    for k in range(401):
        t = k * step
        u[first : first + 3] = 0.01 * np.sin(20 * t), 0.2 * np.cos(20 * t), -4.0 * np.sin(20 * t)
        state = replace(state, z=np.array([state.z[0], u[first]]), zd=np.array([state.zd[0], u[first + 1]]))
        rows.append(c.outputs(state, u))
        state = advance(c.charts, state, step, c.parameters, u, step)

    def history(name):
        return np.array([row[name] for row in rows])

    port = sum(u[c.slots.loads][i] * history(f"marker.wheel.v[{i + 1}]") for i in range(3))
    loss = -history("damper.shock.force") * history("damper.shock.rate")
    power = history("drive.rack.force") * history("qd.rack") + port - loss
    work = step * np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]))])
    energy = history("energy.total") - history("energy.total")[0]
    assert np.abs(work - energy).max() < 1e-5 * np.abs(energy).max()


def test_accelerations_are_derivatives_of_velocities():
    """On a moving chassis those relative to it."""
    c, h, rng = corner(stiff=False, axes="joint"), 1e-6, np.random.default_rng(5)
    u = c.inputs.copy()
    u[c.slots.twist] = rng.uniform(-1, 1, 6)
    z, zd = 0.5 * SPAN[:2] * rng.uniform(-1, 1, 2), SPEED[:2] * rng.uniform(-1, 1, 2)
    u[c.slots.drives[0].first :][:3] = z[1], zd[1], 0.7
    here = c.outputs(State(0.0, 0, 0, z, zd), u)
    zdd = np.array([here["qdd.arm"], 0.7])
    sides = [c.outputs(State(0.0, 0, 0, z + s * zd + 0.5 * s * s * zdd, zd + s * zdd), u) for s in (h, -h)]
    for symbol, of in (("a", "v"), ("wd", "w")):
        for i in (1, 2, 3):
            slope = (sides[0][f"marker.wheel.{of}[{i}]"] - sides[1][f"marker.wheel.{of}[{i}]"]) / (2 * h)
            assert here[f"marker.wheel.{symbol}[{i}]"] == pytest.approx(slope, rel=1e-5, abs=1e-4)
