from dataclasses import replace

import numpy as np
import pytest
from helpers import Solved, five_point, random_mechanism

from precompute.geometry.spatial import rotation
from precompute.kinematics import measures
from precompute.model.mechanism import Bushing, BushingDeflection, Distance, JointCoordinate, MarkerCoordinate

STEP = 1e-3


def all_measures(mechanism):
    a, b = mechanism.bodies[0].name, mechanism.bodies[-1].name
    found = [Distance("ground", b, np.array([1.0, 2, 3]), np.array([0.1, 0.2, -0.3]))]
    if a != b:
        found.append(Distance(a, b, np.array([0.5, -1, 0.2]), np.array([-0.4, 0.2, 0.3])))
    found += [BushingDeflection(bushing.name, i) for bushing in mechanism.bushings for i in range(6)]
    found += [MarkerCoordinate(f"m_{b}", axis) for axis in "xyz"]
    found += [
        JointCoordinate(j.name, i) for j in mechanism.joints for i, p in enumerate(j.primitives) if p.kind != "ball"
    ][:2]
    return found


def with_bushings(mechanism):
    """The mechanism with a bushing between the ground and its last body, and one between its first and last."""
    a, b = mechanism.bodies[0].name, mechanism.bodies[-1].name
    R = rotation(np.array([0.6, 0.0, 0.8]), 0.7)
    bushings = [Bushing("to_ground", "ground", b, np.array([0.3, -0.2, 0.5]), R)]
    if a != b:
        bushings.append(Bushing("between", b, a, np.array([-0.4, 0.1, 0.2]), R.T))
    return replace(mechanism, bushings=tuple(bushings))


@pytest.mark.parametrize("seed", range(12))
def test_gradients_and_second_derivatives_agree_with_differences(seed):
    s = Solved(with_bushings(random_mechanism(seed)))
    m, t = s.closure.mechanism, s.closure.topology
    P, B, _, W, dW = s.velocities(s.q[None])
    around = s.stencil(STEP)
    for measure in all_measures(m):
        gradient = (measures.row(m, t, P, measure) @ B[0])[0]
        hessian = measures.second(m, t, P, W, dW, measure)[0]
        if isinstance(measure, JointCoordinate):
            assert not hessian.any()  # its second derivative is dB itself
        for j in range(s.dof):
            P_j, B_j, *_ = s.velocities(around[j])
            values = measures.value(m, t, P_j, around[j], measure)
            rows = (measures.row(m, t, P_j, measure)[:, None, :] @ B_j)[:, 0]
            scale = max(1.0, np.abs(gradient).max(), np.abs(hessian).max())
            assert abs(five_point(values, STEP) - gradient[j]) < 1e-5 * scale
            if not isinstance(measure, JointCoordinate):
                assert np.abs(five_point(rows, STEP) - hessian[:, j]).max() < 1e-5 * scale
        if not isinstance(measure, JointCoordinate):
            np.testing.assert_allclose(hessian, hessian.T, atol=1e-10 * max(1.0, np.abs(hessian).max()))
