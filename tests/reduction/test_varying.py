from dataclasses import replace

import numpy as np
from helpers import MECHANISMS
from helpers_stiff import loose_pendulum

from fmu_src.model.reduced_model import Coupling
from fmu_src.numpy_runtime.dynamics import fixed_gradients, mechanics, prepare
from precompute.mechanism_file import load
from precompute.model.mechanism import BushingDeflection
from precompute.reduction.arrangement import arranged, chart_quantities
from precompute.reduction.varying import measures


def test_gradients_that_do_not_vary_are_those_without_deflection(baked):
    model = baked("macpherson")
    runtime = prepare(model)[0]
    fixed, gradient = fixed_gradients(model, model.charts[0])
    rows = model.charts[0].rows
    assert fixed.any() and not fixed.all()
    z = np.zeros(runtime.nz)
    for share in (0.2, 0.7):
        z[: runtime.nf] = [axis.lower + share * (axis.upper - axis.lower) for axis in model.charts[0].axes]
        np.testing.assert_allclose(mechanics(runtime, z).ds[:, fixed], gradient[:, fixed], atol=1e-12)
    z[runtime.nf :] = [stiff.radius for stiff in model.stiff]
    moved = np.abs(mechanics(runtime, z).ds - gradient).max(axis=0)
    first = rows.s + rows.varying
    hardly = [c for row, c in zip(rows.elements, moved, strict=True) if row >= first]
    assert 1e-4 < max(hardly) < 0.1 and min(hardly) < 1e-12


def varying(model, charts):
    return measures(model, charts, chart_quantities(model, charts, charts[0]).s).varying


def test_what_is_coupled_varies_together():
    model, charts = loose_pendulum()
    assert varying(model, charts) == (False, False, True)
    rows = arranged(model, charts).charts[0].rows
    assert (rows.varying, rows.fixed) == (1, 2) and rows.elements[2] == rows.s
    coupled = replace(model, couplings=(*model.couplings, Coupling(1, 2, 0, 0)))
    assert all(varying(coupled, charts))


def test_a_law_that_is_not_linear_makes_its_measure_vary():
    model, charts = loose_pendulum()
    bent = replace(model.elements[0], laws=(replace(model.elements[0].laws[0], side="beyond"),))
    model = replace(model, elements=(bent, *model.elements[1:]), couplings=())
    assert varying(model, charts) == (True, False, True)


def test_bushings_that_turn_alike_share_their_rotations():
    """Both bushings of an arm have its axis; their centres move differently."""
    mechanism = load(MECHANISMS / "double_wishbone.toml")
    found = mechanism.acting[len(mechanism.elements) :]
    names = [b.name for b in mechanism.bushings]
    for k, name in enumerate(names):
        assert found[6 * k : 6 * k + 3] == tuple(BushingDeflection(name, i) for i in range(3))
        shared = {on.bushing for on in found[6 * k + 3 : 6 * k + 6]}
        assert shared == {name.replace("rear", "front")}
