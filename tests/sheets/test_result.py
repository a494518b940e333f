"""What users hold in their hands: columns with units and signs, tables, files, the page."""

import builtins
import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from helpers_rig import both_sides, mechanism

from precompute.errors import PrecomputeError
from precompute.kc.record import Choices
from precompute.plain import plain
from precompute.sheets.comparison import comparison
from precompute.sheets.measured import read_measured
from precompute.sheets.result import kc
from precompute.sheets.tables import as_dict, csv_text
from precompute.sheets.text import summary


@cache
def strut(convention="iso"):
    cases = ["bump", "roll", "steering", "lateral"]
    return kc(mechanism(), travel=(-60, 60), steer=20, lateral=1000, cases=cases, points=5, convention=convention)


def test_columns_have_units():
    toe = strut()["toe"]
    assert (toe.name, toe.unit, toe.gradient_unit, toe.input_unit) == ("toe.left", "deg", "deg/m", "mm")
    np.testing.assert_allclose(toe.input, [-60, -30, 0, 30, 60], atol=1e-12)
    assert toe.design == pytest.approx(toe[2]) and len(np.asarray(toe)) == len(toe) == len(list(toe)) == 5
    assert toe.gradient == strut().gradient("toe", "travel") == pytest.approx(-2.07, abs=0.01)
    assert "toe.left [deg] over travel, -60 to 60 mm, 5 points" in repr(toe) and "deg/m" in repr(toe)


def test_gradients_by_their_usual_names():
    found = strut()
    assert found.gradient("camber.left", "roll") == pytest.approx(-found.gradient("camber.right", "roll"))
    assert found["steering"]["steer"].gradient_unit == "deg/mm"
    assert found["lateral"]["toe"].gradient_unit == "deg/kN"
    with pytest.raises(PrecomputeError, match="no gradient along 'speed'"):
        found.gradient("toe", "speed")


def test_columns_are_computed_with():
    toe = strut()["toe"]
    np.testing.assert_array_equal(2.0 * toe - 1.0, 2.0 * toe.values - 1.0)
    np.testing.assert_array_equal(np.abs(toe), np.abs(toe.values))
    assert (toe - strut()["toe.right"]).max() < 1e-10 < np.max(toe)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"travel": "80"}, "travel is '80'; give one number, or two"),
        ({"points": 3.5}, "the number of points is 3.5; give a whole number"),
        ({"convention": "ISO"}, "there is no convention 'ISO'"),
        ({"cases": "bmp"}, "there is no case 'bmp'; did you mean 'bump'"),
        ({"secant": {"travel": "20"}}, "the step of secants along travel is '20'"),
    ],
)
def test_what_a_notebook_gets_wrong(options, words):
    with pytest.raises(PrecomputeError, match=words):
        kc(mechanism(), **options)


def test_a_choice_is_one_of_those_that_there_are():
    with pytest.raises(PrecomputeError, match="the choice held is 'center'; it is one of 'spring', 'centre', 'patch'"):
        Choices(held="center")
    found = kc(mechanism(), travel=20, cases="bump", points=3)
    for name in (lambda: found["steering"], lambda: found.gradient("toe", "lateral")):
        with pytest.raises(PrecomputeError, match="the case (steering|lateral) was not asked for"):
            name()


def test_secants_are_said_with_their_steps():
    """Slopes between two points, of the inputs that are named; the others are tangents, and the foot says which."""
    given = mechanism()
    ranges = {
        "travel": (-40, 40),
        "lateral": 1000,
        "braking": 1000,
        "cases": ["bump", "lateral", "braking"],
        "points": 5,
    }
    found = kc(given, **ranges, secant={"travel": 40, "braking": 1000})
    toe, braking = found["toe"], found["braking"]["toe"]
    assert toe.gradient == pytest.approx((toe[-1] - toe[0]) / 0.08, rel=1e-9)
    assert braking.gradient == pytest.approx(braking[-1] - braking[0], rel=1e-9)
    tangents = kc(given, **ranges)
    assert found["lateral"]["toe"].gradient == tangents["lateral"]["toe"].gradient
    assert abs(toe.gradient - tangents["toe"].gradient) > 1e-3
    assert (
        "Gradients: secants, with a step of 40 mm of travel and 1 kN of braking; other inputs tangents." in found.foot
    )
    assert "Gradients: tangents." in tangents.foot
    far = kc(given, travel=20, cases=["bump"], points=3, secant={"travel": 900})
    assert np.isnan(far["toe"].gradient) and "bump has no gradients: a step of 900 mm is too far" in far.remarks
    for wrong, words in (({"travel": 0}, "positive"), ({"travl": 3}, "did you mean 'travel'")):
        with pytest.raises(PrecomputeError, match=words):
            kc(given, secant=wrong)


def test_other_conventions_turn_signs_once():
    iso, sae = strut(), strut("sae")
    assert sae["toe"].values == pytest.approx(iso["toe"].values)
    assert sae["steer"].values == pytest.approx(-iso["steer"].values)
    a, b = iso["lateral"], sae["lateral"]
    assert b.input == pytest.approx(a.input)
    assert b["steer.left"].values == pytest.approx(-a["steer.left"].values[::-1])  # the force points to the right now
    assert b["steer.left"].gradient == pytest.approx(a["steer.left"].gradient)
    assert b["toe.left"].gradient == pytest.approx(-a["toe.left"].gradient)
    assert (a.positive, b.positive) == ("to the left", "to the right")
    assert "positive: to the right" in str(sae) and "positive: to the left" in str(iso)


def test_what_is_missing_says_why():
    bare = kc(mechanism(vehicle=None), travel=20, cases=["bump"], points=3)
    with pytest.raises(KeyError, match=r"anti_dive needs \[vehicle\]"):
        bare["anti_dive"]
    with pytest.raises(PrecomputeError, match="no metric 'toee'; did you mean 'toe'"):
        bare["toee"]
    assert "Not given: anti_dive needs [vehicle]" in str(bare)


def test_compliance_matrices():
    C = strut().at_design("compliance_wheel_centre.left")
    assert C.shape == (6, 6)
    np.testing.assert_allclose(C, C.T, atol=1e-9 * np.abs(C).max())
    assert strut().at_design("toe") == strut()["toe"].design


def test_the_summary_is_a_table():
    text = str(strut())
    assert text.startswith("MacPherson, axle 'front' (left wheel, the other by symmetry)")
    line = next(line for line in text.splitlines() if line.startswith("  toe.left"))
    assert line.split()[1:5] == ["-0.02853", "deg", "-2.07", "deg/m"]
    assert "Axes: ISO 8855" in text and "Ackermann" in text and "toe.right" in text
    assert "camber.left" not in summary(strut(), names=["toe"])
    assert len(summary(strut(), everything=True).splitlines()) > 300


def test_csv_comes_back(tmp_path):
    path = strut().to_csv(tmp_path / "kc.csv")
    found = read_measured(path)
    x, y = found.curve("roll", "camber.right", "left")
    np.testing.assert_array_equal(y, strut()["roll"]["camber.right"].values)
    np.testing.assert_array_equal(x, strut()["roll"].input)
    assert csv_text(strut()).splitlines()[-2].startswith("# Ackermann")


def test_json_has_no_nan(tmp_path):
    def refused(word):
        raise ValueError(word)

    path = strut().to_json(tmp_path / "kc.json")
    found = json.loads(path.read_text(), parse_constant=refused)
    assert found == plain(as_dict(strut()))
    toe = found["cases"]["bump"]["columns"]["toe.left"]
    assert toe["unit"] == "deg" and toe["gradient_unit"] == "deg/m" and len(toe["values"]) == 5
    assert len(found["matrices_si"]["compliance_axle_centre"]) == 12


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("travel,toe\n", "no table"),
        ("travel,toe\n0,x\n", "line 2: 'toe' is 'x', which is no number"),
        ("travel,toe\n0\n", "line 2: 1 entries, but 2 names"),
        ("time,speed\n0,1\n", "no column that is a metric"),
        ("travel,to e\n0,1\n", "called 'to e'"),
        ("travel;toe\n0;1,5\n", "write a decimal point"),
        ("travel [kN],toe\n0,1\n", r"'travel' of bump is in \[kN\]; it must be in mm"),
        ("travel,toe [mm]\n0,1\n", r"'toe' is in \[mm\]; it must be in deg"),
        ("travel,toe [furlong]\n0,1\n", r"'toe' is in \[furlong\]"),
        ("case,travel,toe\nbmp,0,1\n", "no case 'bmp'; did you mean 'bump'"),
        ("travel,toe\nnan,1\n", "no column that is a metric with numbers"),
    ],
)
def test_bad_measured_files(tmp_path, text, message):
    path = tmp_path / "rig.csv"
    path.write_text(text)
    with pytest.raises(PrecomputeError, match=message):
        read_measured(path)


def test_measured_curves_are_compared(tmp_path):
    path = tmp_path / "rig.csv"
    toe = strut()["toe"]
    rows = [f"{x},{y + 0.01 * (x > 50)}" for x, y in zip(toe.input, toe.values, strict=True)]
    path.write_text("\ufefftravel [mm],toe [deg]\n" + "\n".join(rows))
    text = comparison(strut(), "rig.csv", read_measured(path))
    assert "toe.left" in text and "0.01 deg at 60 mm" in text and "camber" not in text


def test_measured_curves_in_other_units_and_with_gaps(tmp_path):
    path = tmp_path / "rig.csv"
    path.write_text(
        "case;force [N];toe [rad];wheel_rate [N/m]\nlateral;-1000;0.1;25000\nlateral;;0.2;\nlateral;1000;nan;26000\n"
    )
    found = read_measured(path).cases["lateral"]
    np.testing.assert_allclose(found["toe"], [[-1.0], [np.degrees(0.1)]])
    np.testing.assert_allclose(found["wheel_rate"], [[-1.0, 1.0], [25.0, 26.0]])
    path.write_text("travel [in],camber\n1,2\n")
    np.testing.assert_allclose(read_measured(path).cases["bump"]["camber"], [[25.4], [2.0]])
    path.write_text("case,rack [cm],toe\nsteering,1,2\n")
    np.testing.assert_allclose(read_measured(path).cases["steering"]["toe"], [[10.0], [2.0]])


def test_signs_of_another_convention_are_not_compared(tmp_path):
    path = strut("sae").to_csv(tmp_path / "sae.csv")
    with pytest.raises(PrecomputeError, match="'sae.csv' has the signs of 'sae', and this table those of 'iso'"):
        comparison(strut(), "sae.csv", read_measured(path))
    with pytest.raises(PrecomputeError, match="signs of 'sae'"):
        strut().plot(None, {"sae.csv": read_measured(path)})


def test_the_page_has_every_curve_and_says_what_was_chosen(tmp_path):
    other = kc(mechanism(), travel=(-60, 60), cases=["bump"], points=3, elastic=False)
    figure = strut().plot(tmp_path / "kc.png", {"rigid": other})
    assert (tmp_path / "kc.png").stat().st_size > 50_000
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert {"Toe in bump", "Camber in roll", "Steer angles", "Toe under lateral force"} <= set(titles)
    words = " ".join(text.get_text() for text in figure.texts)
    assert "Axes: ISO 8855" in words and "MacPherson" in words and "rigid" in words
    legend = figure.axes[0].get_legend().get_texts()[0].get_text()
    assert legend == "toe: -0.02853 deg, -2.07 deg/m"
    assert "At design: toe -0.0285 deg" in words and "wheel rate 28.4 N/mm" in words and "kc --list NAME" in words
    assert "force [kN], positive to the left" in [ax.get_xlabel() for ax in figure.axes]
    seen = figure.axes[1]
    assert all(seen.get_ylim()[0] < y < seen.get_ylim()[1] for y in other["camber"].values)
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_pandas_is_an_extra(monkeypatch):
    real = builtins.__import__

    def without(name, *arguments, **named):
        if name == "pandas":
            raise ImportError(name)
        return real(name, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(PrecomputeError, match=r"pip install kinetab\[pandas\]"):
        strut().to_pandas()


def test_a_table_of_pandas():
    pytest.importorskip("pandas")
    table = strut().to_pandas("roll")
    assert table.index.name == "roll [deg]" and "toe.left [deg]" in table.columns
    assert table.attrs["units"]["wheel_rate.left"] == "N/mm"
    with pytest.raises(PrecomputeError, match="no case 'jump'"):
        strut().to_pandas("jump")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"travel": (80, -80)}, "travel goes from 80 to -80"),
        ({"travel": "far"}, "travel is 'far'"),
        ({"travel": float("inf")}, "finite"),
        ({"convention": "din"}, "no convention 'din'"),
        ({"axle": "back"}, "no axle 'back'"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(PrecomputeError, match=message):
        kc(mechanism(), **options)


def test_choices_reach_the_foot():
    found = kc(mechanism(), travel=20, cases=["bump"], points=3, choices=Choices(held="patch", contact="fixed"))
    assert any("height of the contact point held" in line for line in found.foot)
    assert any("fixed to the carrier" in line for line in found.foot)


def test_of_springs_on_both_sides_that_do_the_same_one_is_told():
    axle = both_sides()
    same = str(kc(axle, cases=["bump"], points=3, travel=20))
    assert "spring_motion_ratio.strut.left " in same and "spring_motion_ratio.strut_r.right" not in same
    stiffer = replace(axle.springs[2], stiffness=2.0 * axle.springs[2].stiffness)
    other = str(kc(replace(axle, springs=(*axle.springs[:2], stiffer)), cases=["bump"], points=3, travel=20))
    assert "wheel_rate.right " in other and "spring_motion_ratio.strut_r.right" in other  # rubber gives way otherwise
