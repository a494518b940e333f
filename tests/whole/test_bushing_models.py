"""A suspension on bushings as it runs: tunable rates, stability at 1 ms, order of convergence, the rigid limit."""

import numpy as np
import pytest
from helpers_corner import corner, document
from helpers_fmu import Host

from fmu_src.build.python_fmu import build_fmu
from fmu_src.numpy_runtime.dynamics import energies, generalized_force, mechanics
from fmu_src.numpy_runtime.state import State
from fmu_src.numpy_runtime.steps.integrator import advance
from fmu_src.numpy_runtime.tangent import law_tangents
from precompute.mechanism_file import from_document
from precompute.pipeline import bake

STEP = 1e-3
SAME = 1e-9  # relative: two runs of one model


# -- tunable rates -----------------------------------------------------------------------------------------------------


def observed(host, names):
    return np.array(host.get(*names))


@pytest.mark.fmu
def test_a_rate_changed_while_running_is_the_rate_baked(tmp_path):
    """After the change the FMU moves as one that was baked with the new rates and starts from where it is."""
    new = {"bushing.front.k[1]": 5.6e5, "bushing.rear.k[2]": 9e6, "bushing.rear.c[1]": 400.0}
    again = document(rack=False)
    again["bushings"]["front"]["stiffness"][0] = 560
    again["bushings"]["rear"]["stiffness"][1] = 9000
    again["bushings"]["rear"]["damping"][0] = 0.4
    running = Host(build_fmu(corner(rack=False).model, tmp_path / "first.fmu"))
    rebaked = Host(build_fmu(bake(from_document(again)), tmp_path / "second.fmu"))
    same = Host(tmp_path / "first.fmu")
    try:
        move_on(running, rebaked, same, new)
    finally:
        for host in (running, rebaked, same):
            host.close()


def move_on(running, rebaked, same, new):
    outputs = ["q.arm", "marker.wheel.r[1]", "marker.wheel.r[2]", "bushing.front.force[1]", "bushing.rear.force[2]"]
    load = {"port.wheel.F[1]": 800.0, "port.wheel.F[2]": 1500.0}
    for host in (running, same):
        host.start()
    for name, value in load.items():
        for host in (running, rebaked, same):
            host.set(name, value)
    steps = [running, same]
    for i in range(40):
        if i == 20:
            assert observed(running, new) == pytest.approx([8e5, 5e6, 150.0])
            for name, value in new.items():
                running.set(name, value)
            for k in ("arm", "arm_mount.x", "arm_mount.y"):
                rebaked.set(f"q_start.{k}", running.get(f"q.{k}")[0])
                rebaked.set(f"qd_start.{k}", running.get(f"qd.{k}")[0])
            rebaked.start()
            assert observed(rebaked, new) == pytest.approx(list(new.values()), rel=1e-14)
        for host in steps:
            host.step(i * STEP, STEP)
        if i >= 20:
            rebaked.step((i - 20) * STEP, STEP)
    found, expected, unchanged = (observed(host, outputs) for host in (running, rebaked, same))
    np.testing.assert_allclose(found, expected, rtol=SAME)
    assert np.abs(found / unchanged - 1.0).max() > 1e-2


# -- stability and order -----------------------------------------------------------------------------------------------


def stiffer(c, factor, share=None):
    """Parameters with the translational rates times a factor; damping as it is, or a share of critical in all modes."""
    changes = {p.name: factor * p.value for p in c.model.parameters if ".k[" in p.name and p.name[-2] in "123"}
    p = c.tuned(changes)
    if share is None:
        return p
    for q in c.model.parameters:
        if ".c[" in q.name:
            rate = q.name.replace(".c[", ".k[")
            changes[q.name] = 2.0 * share / slowest(c, p) * changes.get(rate, 0.0)
    return c.tuned({**changes, "damper.shock.c": 0.0})


def slowest(c, parameters):
    """Angular frequency [rad/s] of the slowest of the modes of the bushings."""
    at = mechanics(c.runtime, c.start.z)
    K = law_tangents(c.runtime, at, c.start.zd, parameters)[0]
    return np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(at.J, K)).real))[c.runtime.nf]


def moved(c, parameters, factor, stop, h, rate=(0.8, 0.0, 0.0)):
    """The state after a motion from design with given rates and the deflections of statics."""
    share = np.concatenate([np.ones(c.runtime.nf), np.full(len(c.model.stiff), 1.0 / factor)])
    state = State(0.0, 0, 0, share * c.start.z, np.array(rate[: c.runtime.nz]))
    for _ in range(round(stop / h)):
        state = advance(c.charts, state, h, parameters, c.inputs, h)
    return state


def balanced_load(c, parameters, horizontal):
    """Force on the wheel whose vertical part keeps the arm in balance at the start."""
    at, u = mechanics(c.runtime, c.start.z), c.inputs.copy()
    u[c.slots.loads][:3] = [*horizontal, 0.0]
    left = generalized_force(c.runtime, at, c.start.zd, parameters, u)[0]
    return np.array([*horizontal, -left / at.dr[0, 2]])


@pytest.mark.parametrize("share", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("factor", [0.1, 1.0, 100.0])
def test_one_millisecond_is_stable(factor, share):
    """A load that jumps on the wheel; energy and the work of the loads never grow, within the error of a step."""
    c = corner(rack=False)
    p, u = stiffer(c, factor, share), c.inputs.copy()
    force = balanced_load(c, p, [1500.0, 1000.0])
    u[c.slots.loads][:3] = force

    def energy(state):
        at = mechanics(c.runtime, state.z).value[c.runtime.ports[:3]]
        return energies(c.runtime, state.z, state.zd, p).total - force @ at

    state = State(0.0, 0, 0, c.start.z, c.start.zd)
    first, found = energy(state), []
    for _ in range(200):
        state = advance(c.charts, state, STEP, p, u, STEP)
        found.append(energy(state))
    assert max(found) < first
    assert np.abs(state.z[1:]).max() < 2e-3 / factor


def test_the_order_is_three_at_least():
    """All modes in motion and resolved: errors of the coordinates after 10 ms, against steps of 8 us."""
    c, rate = corner(rack=False), (0.8, 0.05, 0.05)
    exact = moved(c, c.parameters, 1.0, 0.01, 7.8125e-6, rate).z
    steps = (2.5e-4, 1.25e-4, 6.25e-5)
    errors = [np.linalg.norm(moved(c, c.parameters, 1.0, 0.01, h, rate).z - exact) for h in steps]
    assert np.log2(np.divide(errors[:-1], errors[1:])).min() > 2.8


# -- rigid limit -------------------------------------------------------------------------------------------------------


def test_stiff_bushings_tend_to_the_rigid_suspension():
    """The difference from the rigid tables' motion falls with one over the stiffness."""
    rigid, c, h = corner(rack=False, stiff=False), corner(rack=False), 1e-4
    exact = moved(rigid, rigid.parameters, 1.0, 0.02, h).z[0]
    factors = [1e1, 1e2, 1e3]
    errors = [abs(moved(c, stiffer(c, f), f, 0.02, h).z[0] - exact) for f in factors]
    assert errors[0] < 1e-4 and np.allclose(np.divide(errors[:-1], errors[1:]), 10.0, rtol=0.1)
    for factor in (1e6, 1e8):
        assert abs(moved(c, stiffer(c, factor), factor, 0.02, h).z[0] - exact) < 1e-8
