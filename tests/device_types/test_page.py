"""The worked files of docs/elements.md: all of them load, bake and run together."""

import re

import numpy as np
import pytest
from helpers import ROOT
from helpers_devices import stepped

from precompute.device_types import TYPES
from precompute.mechanism_file import loads

PAGE = (ROOT / "docs" / "elements.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```toml\n(.*?)```", PAGE.partition("## Which type")[2].partition("## How they")[0], re.S)
BENCH, *EXAMPLES = BLOCKS


OF_CAMS = {"cam_traction"}
"""Their worked files are in docs/cams.md."""


def test_every_type_has_a_worked_file():
    assert sorted(re.findall(r'^\[elements\.\w+\]\ntype = "(\w+)"', "".join(EXAMPLES), re.M)) == sorted(
        {*TYPES} - OF_CAMS
    )


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda text: text.split("]")[0].removeprefix("[elements."))
def test_each_of_them_loads_alone(example):
    assert loads(BENCH + example).devices


def test_all_of_them_run_together():
    mechanism = loads(BENCH + "".join(EXAMPLES))
    assert len(mechanism.devices) == len(TYPES) - len(OF_CAMS) + 1
    found = stepped(mechanism, 1e-3, 0.02, ("q.travel", "q.roll", "element.steer.current", "element.chain.T"))
    assert np.isfinite(found).all()
    assert (np.abs(found[-1] - found[0]) > 1e-6).all()
