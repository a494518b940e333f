"""Any variable of any file: it changes, joints or nothing else absorbs it, and the new file says so and is closed."""

import random
import re

import pytest
from helpers import MECHANISMS, ON_DISCS, ROOT

from precompute.design.moved import Design
from precompute.errors import PrecomputeError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.loops import reference_length
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.redesign.amending import rewritten
from precompute.redesign.changing import redesigned
from precompute.redesign.closing import weight

ALL = [*MECHANISMS.rglob("*.toml"), *(ROOT / "tests" / "mechanisms").glob("*.toml")]
FILES = sorted(path for path in ALL if path.stem not in ON_DISCS)
SHARE = 0.01  # of the reference length, by which variables change
EACH = 5


def redesigned_somehow(mechanism, changes):
    """By nothing else, or else by joints; None where a planar loop cannot follow out of its plane."""
    for joints in (False, True):
        try:
            return redesigned(mechanism, changes, joints=joints)
        except PrecomputeError as error:
            assert re.search("cannot absorb|nothing may absorb|out of reach|too large", str(error)), error
    return None


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_any_change_is_written_into_the_text(file, tmp_path):
    m = load(file)
    length = reference_length(m)
    known = [v for v in Design.of(m).variables.values() if v.value != 0.0 or v.unit in ("m", "mm", "in", "rad", "deg")]
    written = 0
    for variable in random.Random(file.stem).sample(known, min(EACH, len(known))):
        found = redesigned_somehow(m, {variable.name: SHARE * length / weight(variable, length)})
        if found is None:
            continue
        new = found.redrawn()
        assert rewritten(file, tmp_path / "new.toml", found.document, new.mechanism, new.poses), variable.name
        text = (tmp_path / "new.toml").read_text(encoding="utf-8")
        assert re.findall(r"^ *#.*", text, re.M) == re.findall(r"^ *#.*", file.read_text(encoding="utf-8"), re.M)
        again = load(tmp_path / "new.toml")
        assert close_loops(again, spanning_tree(again)).iterations == 0, variable.name
        written += 1
    assert written
