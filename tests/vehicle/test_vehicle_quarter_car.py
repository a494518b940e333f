"""The quarter car over its kerb: loads, energy, order of the coupling, masters and kinds of FMU."""

from functools import cache

import numpy as np
import pytest
from convergence import FINE, convergence
from corners.car import GRAVITY, loads
from coupling.fmpy_master import run
from coupling.libcosim_master import run_apart
from coupling.system import difference
from energy import quarter_car_balance
from quarter_car import KERB, KERB_AFTER, RECORDED, STEP, main, quarter_car, suspension_mass

pytestmark = pytest.mark.fmu

STOP = 0.4  # [s]
MASTERS, KINDS = 1e-6, 1e-9  # how well results must agree, relative to their range


@cache
def record(kind="native", step=STEP, stop=STOP):
    return run(quarter_car(kind), stop, step, RECORDED)


def test_it_stands_still_until_the_kerb():
    found = record()
    before = found.time < KERB_AFTER - 2e-3
    weight = (quarter_car().starts["mass.mass"] + suspension_mass()) * GRAVITY
    assert found["tyre.N"][0] == pytest.approx(weight, rel=1e-12)
    assert np.abs(found["tyre.N"][before] - weight).max() < 1e-6 * weight
    assert np.abs(found["mass.z"][before]).max() < 1e-8


def test_it_ends_on_the_kerb_with_the_load_of_before():
    end = record(step=2e-3, stop=4.0)
    assert end["mass.z"][-1] == pytest.approx(KERB, abs=2e-5)
    assert end["tyre.N"][-1] == pytest.approx(end["tyre.N"][0], rel=1e-4)
    assert end["tyre.N"].max() > 1.3 * end["tyre.N"][0]


def balance(step):
    system = quarter_car()
    return quarter_car_balance(record(step=step), system.starts["mass.mass"], suspension_mass())


def test_the_work_of_the_tyre_is_stored_or_lost_and_the_rest_falls_with_the_step():
    coarse, fine = balance(STEP), balance(FINE)
    assert coarse.work[-1] > 50.0 and coarse.lost[-1] > 10.0
    assert coarse.residual < 3e-3
    assert fine.residual == pytest.approx(coarse.residual * FINE / STEP, rel=0.3)


def test_the_error_of_the_coupling_is_of_first_order():
    for name in ("mass.z", "suspension.q.wheel"):
        found = convergence(quarter_car(), STOP, (name,))
        assert found.steps[2] == STEP and found.errors[2] < 0.02
        assert (found.orders > 0.9).all() and (found.orders < 1.5).all(), (found.errors, found.orders)


def test_both_kinds_of_fmu_agree():
    assert difference(record("native"), record("python")) < KINDS


@pytest.mark.parametrize("kind", ["native", "python"])
def test_libcosim_agrees_with_fmpy(kind):
    pytest.importorskip("libcosimpy", reason="libcosimpy has no wheels for this Python")
    theirs = run_apart(quarter_car(kind), STOP, STEP, RECORDED)
    assert theirs.time.shape == (record(kind).time.size - 1,)
    assert difference(record(kind), theirs) < MASTERS


def test_the_master_says_which_variable_is_not_there():
    with pytest.raises(ValueError, match="no variable 'tyre.M'"):
        run(quarter_car(), 0.1, STEP, ["tyre.M"])


def test_the_script_says_what_happened(capsys):
    main()
    said = capsys.readouterr().out
    assert f"{loads(True)['rear_left']:.0f} N at rest" in said
    assert "kerb 30 mm" in said and "times faster than real time" in said
