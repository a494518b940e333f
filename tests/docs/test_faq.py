"""Questions and answers: the messages that they quote are what comes."""

import re

import pytest
from helpers import ROOT
from helpers_pages import blocks

import kinetab as kt
from precompute.errors import PrecomputeError

FAQ = " ".join((ROOT / "docs" / "faq.md").read_text(encoding="utf-8").split())
(STRUT,) = [b.text for b in blocks(ROOT / "docs" / "suspension.md") if b.kind == "toml" and "schema = 1" in b.text]
BALL = 'top_mount = { type = "spherical", parent = "ground", child = "strut_rod", at = "strut_top" }'


def told(changes, bake=False):
    """What is said of the strut of the tutorial with some changes: warnings, problems, errors."""
    text = STRUT
    for old, new in changes.items():
        text, count = re.subn(old, new, text, count=1)
        assert count == 1, old
    found = []
    try:
        mechanism = kt.loads(text)
        found += mechanism.warnings
        found += kt.check(mechanism).problems
        if bake:
            kt.bake(mechanism)
    except PrecomputeError as error:
        found.append(str(error))
    return found


CASES = {
    "springs.strut.stifness: unknown key; did you mean 'stiffness'?": {"stiffness = 28 ": "stifness = 28 "},
    "joints.lower_ball.at: there is no point 'lower_bal'; did you mean 'lower_ball'?": {
        'at = "lower_ball"': 'at = "lower_bal"'
    },
    'units.length: is "m", so that the mechanism spans 1177 m. Are its points in mm?': {'"mm"': '"m"'},
    'wheels.left: has a radius of 0.31 mm; units.length is "mm": are its points in another unit?': {
        "0, 760, 310": "0, 0.76, 0.31",
        "radius = 310": "radius = 0.31",
    },
    "joints.tie_rod: lies 690 mm to the right, but the wheel of 'upright', on which it is, 760 mm to the left": {
        r"-130, 690, 250": "-130, -690, 250"
    },
    "mirror.from: nothing has the word 'right' in its name, as hub_right has": {
        r"\[experiment\]": '[mirror]\nfrom = "right"\nto = "left"\n\n[experiment]'
    },
    "gravity: is 9806.65 m/s2; it is given in m/s2 whatever the unit of length": {"-9.80665": "-9806.65"},
    "the principal moments 35000, 45000 and 175000 kg mm2 violate the triangle inequality": {"75e3": "175e3"},
    "'Strut' has 3 degrees of freedom but 2 independent coordinates": {r"top_mount = \{.*": BALL},
    "'Strut' has 1 degree of freedom but 2 independent coordinates": {"cylindrical": "prismatic"},
    "can move in 4 ways; what depends on 4 coordinates at once needs a table with as many axes, and 3 is the most": {
        r'parent = "ground", child = "lower_arm"': 'parent = "upright", child = "lower_arm"'
    },
    "leaves the feasible one, -331.914 mm to 316.614 mm": {"from = -80": "from = -400"},
}


@pytest.mark.parametrize("message", CASES)
def test_messages_come(message):
    assert f"`{message}`" in FAQ
    assert any(message in " ".join(text.split()) for text in told(CASES[message]))


def test_a_tolerance_that_is_not_reached():
    message = "the tables do not reach the tolerance 1e-11 with 17 nodes along 'strut'"
    assert f"`{message}`" in FAQ
    tables = "[tables]\ntolerance = 1e-11\nmax_nodes = 17\n\n[experiment]"
    (text,) = told({r"\[experiment\]": tables}, bake=True)
    assert message in text


def test_all_quoted_messages_are_tried():
    tried = {*CASES, "the tables do not reach the tolerance 1e-11 with 17 nodes along 'strut'"}
    assert set(re.findall(r"\*\*`([^`]{30,})`\*\*", FAQ)) == tried
