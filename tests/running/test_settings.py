"""What --set says."""

import math

import pytest

from precompute.running.settings import settings
from precompute.running.simulation import SimulationError

pytestmark = pytest.mark.fmu


def test_units_of_the_variables(fmu):
    found = settings(
        ["q_start.crank=5deg", "qd_start.crank = 30 rpm", "spring.slider.k=0.1N/mm", "Q.crank=7"], fmu("crank_slider")
    )
    assert found == pytest.approx(
        {"q_start.crank": math.radians(5), "qd_start.crank": math.pi, "spring.slider.k": 100.0, "Q.crank": 7.0},
        rel=1e-15,
    )


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ("q_start.crank=5mm", r"--set q_start.crank=5mm: mm is no unit of an angle \(rad or deg\), but of a length"),
        ("Q.crank=3kN", r"--set Q.crank=3kN: kN is no unit of a moment \(N.m\), but of a force"),
        (
            "spring.slider.k=-90N/mm",
            r"--set spring.slider.k=-90N/mm: -90 N/mm is outside \[0, inf\] N/mm; set a value inside",
        ),
        ("solver.check=7", r"--set solver.check=7: 7 is outside \[0, 1\]; set a value inside"),
        ("q_start.crank", "write NAME=VALUE with a number, such as q_start.crank=0.1"),
        ("q_start.crank=", "write NAME=VALUE"),
        ("q_start.crank=five", "--set q_start.crank=five: 'five' is no number"),
        (
            "q_start.crnk=5deg",
            "'q_start.crnk' is no parameter or input of crank_slider.fmu; did you mean 'q_start.crank'",
        ),
    ],
)
def test_what_is_refused(fmu, pair, message):
    with pytest.raises(SimulationError, match=message):
        settings([pair], fmu("crank_slider"))
