import json

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT
from helpers_rough import rough_four_bar

from precompute.errors import AssemblyError, PrecomputeError, ReachError, SingularityError
from precompute.mechanism_file import load, loads
from precompute.pipeline import survey
from precompute.report.assemblies import assemblies


def test_rssr_has_the_two_angles_of_the_literature():
    """Of marker B about O_B from the X axis, with the crank held at psi = 0."""
    result = assemblies(load(MECHANISMS / "rssr.toml"), branches=True)
    B = [result.places(each)["B"] for each in result.found]
    theta = [np.rad2deg(np.arctan2(p[1], p[0])) for p in B]
    np.testing.assert_allclose(theta, [122.102339, -94.029852], atol=1e-6)
    assert result.on_design and "1  the design's" in str(result)


def test_inputs_elsewhere_are_reached_along_the_motion():
    m = load(MECHANISMS / "four_bar.toml")
    result = assemblies(m, {"crank": 0.5}, branches=True)
    assert len(result.found) == 2 and result.on_design and result.way == "the motion from the design"
    np.testing.assert_array_equal(result.z, [0.5])
    assert "1  the one that the design leads to" in str(result) and "crank = 28.6479 deg" in str(result)


def test_beyond_a_dead_centre_nothing_is_on_the_motion_from_the_design():
    """The slider of a crank-slider starts on one branch; what is beyond its stroke is out of reach."""
    m = load(MECHANISMS / "crank_slider_charts.toml")
    with pytest.raises(ReachError, match="slider = 9 m is out of reach"):
        assemblies(m, {"slider": 9.0})


def test_a_drawing_out_of_reach_is_assembled_where_it_is_asked_for():
    m = loads(rough_four_bar(coupler=0.5))
    with pytest.raises(ReachError):
        assemblies(m)
    result = assemblies(m, {"crank": np.deg2rad(-30.0)}, branches=True)
    assert result.design is None and not result.on_design and len(result.found) == 2
    assert "does not close as it is drawn" in str(result)


@pytest.mark.parametrize(
    ("lengths", "error"), [((1.0, 0.5, 2.0), ReachError), ((1.0, 0.5, 1.0), AssemblyError), ((1.0, 2.5, 2.0), None)]
)
def test_assembling_checking_and_baking_agree(lengths, error):
    m = loads(rough_four_bar(*lengths))
    said = set()
    for stage in (assemblies, survey):  # both check and bake begin with a survey
        if error is None:
            found = stage(m)
            said.add(tuple(found.design.q.tolist()))
        else:
            with pytest.raises(error) as caught:
                stage(m)
            said.add(str(caught.value))
    assert len(said) == 1


def test_inputs_that_the_file_does_not_name_are_those_that_check_finds():
    m = load(ROOT / "tests" / "mechanisms" / "andrews.toml")
    result = assemblies(m, branches=True)
    assert [c.name for c in result.inputs] == ["beta"] and len(result.found) == 4
    with pytest.raises(PrecomputeError, match="no input 'crank'; known: beta. .* chosen for it: beta"):
        assemblies(m, {"crank": 0.1})


def test_inputs_must_fit_the_freedoms():
    text = rough_four_bar(coupler_at=20.0, rocker_at=100.0) + '[coordinates.free.rocker]\nof = "joint.rocker"\n'
    with pytest.raises(SingularityError, match="1 degree of freedom but 2 independent coordinates"):
        assemblies(loads(text))


@pytest.mark.parametrize("value", [1e300, -1e5, float("nan")])
def test_a_value_out_of_this_world(value):
    with pytest.raises(PrecomputeError, match="is no place for 'FourBar'; ask for at most 572958 deg"):
        assemblies(load(MECHANISMS / "four_bar.toml"), {"crank": value})


def test_as_data():
    result = assemblies(load(MECHANISMS / "four_bar.toml"), branches=True)
    data = json.loads(json.dumps(result.as_dict(), allow_nan=False))
    assert data["inputs"] == {"crank": 0.0} and data["starts"] == data["closed"] == 400
    assert [each["design"] for each in data["assemblies"]] == [True, False]
    assert data["assemblies"][0]["markers"]["coupler_pin"] == pytest.approx([2.7367945, 1.9826051, 0.0])
