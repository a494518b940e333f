"""The double wishbone on bushings against the independent full model: rig.py and bushings.py in benchmarks/.

The tables are those of a smaller range, compared at fewer points than usual: that is not what is tested here.
"""

import zlib
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from bushings import LONGEST, TIMES, recorded, with_order
from helpers_baked import baked
from rig import CASES, FILE, FullRig, Motion, ReducedRig

from fmu_src.build.model_writer import to_bytes
from fmu_src.model.rows import CHUNK
from precompute.mechanism_file import load
from precompute.reduction.statics import balanced
from precompute.tables import certificate

RANGE = {"pitman": (-0.05, 0.05), "shock": (-0.005, 0.045)}  # [rad, m] what the step needs
FEW_POINTS = 64
LIVE = 11  # points of the record, 20 ms, that are run again
CASE_NAMES = pytest.mark.parametrize("name", CASES)
HELD = pytest.mark.parametrize("held", [True, False], ids=["held", "free"])


def mechanism():
    whole = with_order(load(FILE), 2)
    short = tuple(replace(c, lower=RANGE[c.name][0], upper=RANGE[c.name][1]) for c in whole.coordinates)
    return replace(whole, coordinates=short)


@cache
def full() -> FullRig:
    return FullRig(load(FILE))


@cache
def second_order() -> ReducedRig:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificate, "CHECK_POINTS", FEW_POINTS)
        return ReducedRig(baked(mechanism()))


@cache
def first_order() -> ReducedRig:
    """What `taylor = 1` bakes: the same tables without the products of two deflections."""
    model = second_order().model
    chart = model.charts[0]
    linear = replace(chart, blocks=tuple(map(without_products, chart.blocks)))
    return ReducedRig(balanced(mechanism(), mechanism(), replace(model, charts=(linear,))))


def without_products(block):
    kept = block.cells[:, 2] < 0
    return replace(block, cells=block.cells[kept], core=block.core[..., np.repeat(kept, CHUNK)])


def test_the_record_is_what_the_full_model_does():
    motion, exact = full().step(TIMES[:LIVE], 1e-7), recorded(load(FILE))
    np.testing.assert_allclose(motion.r, exact.r[:LIVE], atol=1e-10)
    np.testing.assert_allclose(motion.steer, exact.steer[:LIVE], atol=1e-10)


def test_a_record_of_another_mechanism_is_refused():
    with pytest.raises(SystemExit, match=r"double_wishbone\.toml has changed.*--record"):
        recorded(replace(load(FILE), gravity=np.zeros(3)))


def test_the_step_at_the_contact_patch():
    r, steer = second_order().step(TIMES, LONGEST).errors(recorded(load(FILE)))
    assert r < 3e-4  # asked for: 0.5 %
    assert steer < 0.003  # [deg] asked for: 0.01


def test_first_order_is_worse_in_the_step():
    exact = recorded(load(FILE))
    early = Motion(exact.r[:51], exact.steer[:51])
    first, second = (rig().step(TIMES[:51], LONGEST).errors(early) for rig in (first_order, second_order))
    assert first[0] > 10 * second[0]
    assert first[1] > 0.01 > second[1]


def test_natural_frequencies():
    exact = full().frequencies()
    assert exact.size == 12 and 2.0 < exact[0] < 5.0 and 400.0 < exact[-1] < 500.0
    np.testing.assert_allclose(second_order().frequencies(), exact, rtol=3e-4)  # asked for: 0.2 %


def test_first_order_misses_the_fore_aft_modes():
    """The preloaded spring's geometric stiffness is lost."""
    exact = full().frequencies()
    error = first_order().frequencies() / exact - 1.0
    assert 0.01 < error[(exact > 20.0) & (exact < 28.0)].max() < 0.03


@HELD
@CASE_NAMES
def test_compliance(name, held):
    exact = full().compliance(CASES[name], held)
    assert second_order().compliance(CASES[name], held).error(exact) < 1e-3


@HELD
@CASE_NAMES
def test_the_quasi_static_option_at_1_kN(name, held):
    exact = full().statics(CASES[name], held)
    assert second_order().statics(CASES[name], held).error(exact) < 1e-3


def test_the_full_model_gives_way_by_as_much_as_its_equilibria_differ():
    """Linear response and exact statics agree for a small load."""
    small = {"contact": (0.0, 1.0, 0.0)}
    assert full().compliance(small, True).error(full().statics(small, True)) < 1e-4


def test_its_tables_are_stored_in_a_fifth_of_their_size():
    """With loose tolerances; a tenth of those of the demo, whose values without deflections are a smaller share."""
    model = second_order().model
    whole = sum(block.coefficients.nbytes for block in model.charts[0].blocks)
    assert len(zlib.compress(to_bytes(model))) < 0.2 * whole
