"""Forces on the full model: springs, stops, tables, preloads, dampers, ports."""

from dataclasses import replace

import numpy as np
import pytest
from helpers_reference import INTEGRATED, POINTWISE, ZERO, X, Y, Z, body, joint, moving
from scipy.spatial.transform import Rotation

from precompute.errors import MechanismError, SingularityError
from precompute.model.mechanism import (
    ConstantForce,
    Coordinate,
    Damper,
    Distance,
    ForceTable,
    JointCoordinate,
    Marker,
    Mechanism,
    Port,
    Spring,
    Stop,
)
from precompute.reference import Loads, accelerations, assemble, full_model, simulate
from precompute.reference.dynamics import potential_energy


def strut(spring=None, damper=None) -> Mechanism:
    """A mass of 2 kg on a vertical slide, 0.5 m above the ground at design."""
    return Mechanism(
        "strut",
        (body("mass", 2.0, [0.0, 0.0, 0.5]),),
        (joint("slide", "prismatic", "ground", "mass", [0.0, 0.0, 0.5], Z),),
        springs=(spring,) if spring else (),
        dampers=(damper,) if damper else (),
        coordinates=(Coordinate("z", JointCoordinate("slide")),),
    )


LENGTH = Distance("ground", "mass", ZERO, np.array([0.0, 0.0, 0.5]))
TABLE = ForceTable([-0.1, 0.0, 0.1, 0.2], [-50.0, 0.0, 100.0, 400.0])


@pytest.mark.parametrize(
    ("spring", "at", "force"),
    [
        (Spring("s", LENGTH, stiffness=100.0, free_length=0.6), 0.1, 0.0),
        (Spring("s", LENGTH, stiffness=100.0, preload=30.0), 0.0, 30.0),
        (Spring("s", LENGTH, stiffness=100.0, preload=30.0), 0.05, 25.0),
        (Spring("s", LENGTH, stiffness=0.0, preload=0.0), 0.05, 0.0),
        (Spring("s", LENGTH, stiffness=0.0, preload=30.0), 0.05, 30.0),  # a constant force
        (Spring("s", LENGTH, table=TABLE, free_length=0.6), 0.05, 50.0),
        (Spring("s", LENGTH, table=TABLE, free_length=0.6), -0.2, 700.0),  # beyond the table
        (Spring("s", LENGTH, table=TABLE, free_length=0.6), 0.3, -100.0),  # beyond the other end
        (Spring("s", LENGTH, table=TABLE, preload=250.0), 0.0, 250.0),
        (Spring("s", LENGTH, table=TABLE, preload=-25.0), -0.05, 0.0),
        (Spring("s", JointCoordinate("slide"), table=TABLE, preload=100.0), 0.1, 0.0),
        (Spring("s", LENGTH, 100.0, free_length=0.5, bump_stop=Stop(0.45, 1000.0)), -0.1, 10.0 + 50.0),
        (Spring("s", LENGTH, 100.0, free_length=0.5, bump_stop=Stop(0.45, 1000.0)), 0.1, -10.0),
        (
            Spring("s", LENGTH, 100.0, free_length=0.5, rebound_stop=Stop(0.55, table=ForceTable([0, 1], [0, 600]))),
            0.1,
            -10.0 - 30.0,
        ),
    ],
)
def test_spring_forces_are_as_documented_and_derive_from_their_energy(spring, at, force):
    model, state = moving(strut(spring), {"z": at})

    motion = simulate(model, state, [0.0])

    assert motion.springs["s"].force[0] == pytest.approx(force, abs=1e-9)
    assert accelerations(model, state).coordinates["z"] == pytest.approx(force / 2.0, abs=1e-9)
    h = 1e-6
    energy = [simulate(model, assemble(model, {"z": at + d}), [0.0]).potential[0] for d in (-h, h)]
    if spring.table is None or at == -0.2:  # elsewhere a kink of the table may be near
        assert (energy[0] - energy[1]) / (2.0 * h) == pytest.approx(force, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("law", [{"stiffness": 100.0}, {"stiffness": 0.0}, {"table": TABLE}], ids=str)
def test_a_spring_with_a_preload_has_no_energy_at_design(law):
    model, state = moving(strut(Spring("s", LENGTH, **law, preload=30.0)))
    assert potential_energy(model, state) == pytest.approx(0.0, abs=1e-12)
    free = Spring("s", LENGTH, stiffness=100.0, free_length=0.6)
    assert potential_energy(*moving(strut(free))) == pytest.approx(0.5)  # it is 0.5 m long at design


def test_a_preload_may_be_that_at_another_length():
    """Where a rough design is closed in another way, the length at design is given."""
    mechanism = strut(Spring("s", LENGTH, stiffness=100.0, preload=30.0))
    model = full_model(mechanism, lengths={"s": 0.7})
    assert simulate(model, assemble(model, {"z": 0.0}), [0.0]).springs["s"].force[0] == pytest.approx(50.0)


@pytest.mark.parametrize("on", [LENGTH, JointCoordinate("slide")])
def test_a_constant_force_pushes_and_gives_its_work(on):
    model, state = moving(replace(strut(), forces=(ConstantForce("f", on, 7.0),)))
    assert accelerations(model, state).coordinates["z"] == pytest.approx(3.5)
    motion = simulate(model, state, [0.0, 0.3])
    np.testing.assert_allclose(motion.coordinates["z"].value, [0.0, 0.5 * 3.5 * 0.09], atol=INTEGRATED)
    np.testing.assert_allclose(motion.forces["f"].force, 7.0)
    np.testing.assert_allclose(motion.energy, 0.0, atol=INTEGRATED)


def test_a_mass_bounces_between_stops_without_loss():
    stops = {
        "bump_stop": Stop(0.4, 4e3),
        "rebound_stop": Stop(0.6, table=ForceTable([0.0, 0.01, 0.1], [0.0, 20.0, 900.0])),
    }
    model, state = moving(strut(Spring("s", LENGTH, 50.0, preload=5.0, **stops)), {}, {"z": 2.0})

    motion = simulate(model, state, np.linspace(0.0, 0.5, 26))

    assert motion.springs["s"].value.min() < 0.4 and motion.springs["s"].value.max() > 0.6
    np.testing.assert_allclose(motion.energy, motion.energy[0], rtol=INTEGRATED)


def test_a_table_that_never_has_the_preload_is_reported():
    table = ForceTable([0.0, 0.1, 0.2], [0.0, 10.0, 10.0])
    spring = Spring("s", LENGTH, table=table, preload=20.0)
    with pytest.raises(MechanismError, match="springs.s: its table, from 0 to 10 .* never has the preload 20"):
        full_model(strut(spring))


def test_dampers_act_against_the_rate():
    model, state = moving(strut(damper=Damper("d", LENGTH, 3.0)), {}, {"z": 2.0})
    motion = simulate(model, state, [0.0, 0.5])
    np.testing.assert_allclose(motion.coordinates["z"].rate, [2.0, 2.0 * np.exp(-0.75)], atol=INTEGRATED)
    np.testing.assert_allclose(motion.dampers["d"].force, -3.0 * motion.coordinates["z"].rate, atol=INTEGRATED)
    by_table = Damper("d", LENGTH, table=ForceTable([-1.0, 0.0, 1.0], [-10.0, 0.0, 40.0]))
    model, state = moving(strut(damper=by_table), {}, {"z": 2.0})
    assert accelerations(model, state).coordinates["z"] == pytest.approx(-40.0)


def test_forces_and_moments_enter_at_ports_in_global_axes():
    mechanism = Mechanism(
        "floating",
        (body("brick", 2.0, [1.0, 0.0, 0.0], 0.2, 0.3, 0.4),),
        (joint("float", "free", "ground", "brick", ZERO),),
        markers=(Marker("corner", "brick", [1.5, 0.2, 0.0]),),
        ports=(Port("push", "corner"),),
    )
    model = full_model(mechanism)
    F, M, turn = np.array([1.0, 2.0, 3.0]), np.array([0.4, -0.5, 0.6]), Rotation.from_rotvec([0.3, -0.8, 0.5])
    state = replace(model.design, quaternion=[turn.as_quat()[[3, 0, 1, 2]]])

    found = accelerations(model, state, 2.0, lambda t: Loads(ports={"push": (t * F, t * M)}))

    R = turn.as_matrix()
    arm = R @ [0.5, 0.2, 0.0]
    alpha = R @ np.diag([5.0, 1.0 / 0.3, 2.5]) @ R.T @ (2.0 * M + np.cross(arm, 2.0 * F))
    np.testing.assert_allclose(found.rotations["corner"], alpha, atol=POINTWISE)
    np.testing.assert_allclose(found.markers["corner"], F + np.cross(alpha, arm), atol=POINTWISE)
    with pytest.raises(MechanismError, match="no port 'pusch'; did you mean 'push'"):
        accelerations(model, model.design, 0.0, lambda t: Loads(ports={"pusch": (F, M)}))


def test_a_force_on_something_without_inertia_is_refused():
    mechanism = Mechanism(
        "feather",
        (body("mass", 1.0, X), body("feather", 0.0, Y)),
        (joint("a", "prismatic", "ground", "mass", ZERO, X), joint("b", "prismatic", "mass", "feather", ZERO, Y)),
        coordinates=(Coordinate("y", JointCoordinate("b")),),
    )
    model = full_model(mechanism)
    np.testing.assert_allclose(accelerations(model, model.design).bodies, 0.0, atol=POINTWISE)
    with pytest.raises(SingularityError, match="has no inertia"):
        accelerations(model, model.design, 0.0, lambda t: Loads(coordinates={"y": 1.0}))


def test_a_preload_that_statics_must_find_is_asked_for():
    with pytest.raises(MechanismError, match='springs.s: its preload is "static"'):
        full_model(strut(Spring("s", LENGTH, stiffness=100.0, static_preload=True)))
