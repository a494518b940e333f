"""Toe and camber of the double wishbone at 5 kN lateral and 3 kN braking: expansion.py in benchmarks/.

The tables are those of a smaller range, compared at fewer points than usual: that is not what is tested here.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from expansion import LOADS, ExactStatics, TableStatics, full_change, loaded, table_change
from rig import FILE, FullRig

from precompute.mechanism_file import load
from precompute.tables import certificate

RANGE = {"pitman": (-0.03, 0.03), "shock": (-0.01, 0.012)}  # [rad, m]
FEW_POINTS = 64
WITHIN = 1e-3  # of what a load changes of toe and camber


def short():
    whole = load(FILE)
    coordinates = tuple(replace(c, lower=RANGE[c.name][0], upper=RANGE[c.name][1]) for c in whole.coordinates)
    return replace(whole, coordinates=coordinates)


@cache
def exact():
    return ExactStatics(load(FILE))


@cache
def tables(order, about, load_case=None) -> TableStatics:
    mechanism = short()
    if load_case:
        mechanism = replace(mechanism, ports=loaded(mechanism, LOADS[load_case]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificate, "CHECK_POINTS", FEW_POINTS)
        return table_change(mechanism, order, about)


def errors(order, about):
    return np.array([tables(order, about).change(f, True) / exact().change(f, True) - 1.0 for f in LOADS.values()])


def test_exact_statics_are_those_of_the_full_model():
    full = FullRig(load(FILE))
    for forces in (LOADS["lateral 5 kN, inward"], LOADS["braking 3 kN"]):
        np.testing.assert_allclose(exact().change(forces, True), full_change(full, forces, True), atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("about", ["zero", "static"])
def test_toe_and_camber_of_third_order_are_within_a_tenth_of_a_percent(about):
    assert np.abs(errors(3, about)).max() < WITHIN
    assert np.abs(errors(2, about)).max() > WITHIN  # so much braking is too much for the second order
    assert np.abs(errors(2, about)).max() < 0.1 * np.abs(errors(1, about)).max()


@pytest.mark.slow
def test_about_the_loaded_equilibrium_the_second_order_does():
    """Start loads are part of what is expanded about."""
    name = "braking 3 kN"
    there, rest = tables(2, "static", name), exact().rest
    z = np.array([start.value for start in there.model.starts])
    loaded_q = exact().at(rest, LOADS[name], 1)
    change = exact().angles(loaded_q) - exact().angles(rest)
    assert np.abs((there.angles(z) - exact().angles(rest)) / change - 1.0).max() < WITHIN
