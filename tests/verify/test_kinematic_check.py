"""Tables against natural coordinates: what is right passes, and what is wrong anywhere is found."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT, joint, random_body
from helpers_baked import baked, baked_file
from helpers_branching import parallelogram
from helpers_corner import document

from fmu_src.model.rows import CHUNK, inertia_rows
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.reading import read
from precompute.mechanism_file import from_document, load
from precompute.model.mechanism import Marker
from precompute.verify.kinematic_check import kinematic_check, shown

SHIPPED = sorted(path.stem for path in MECHANISMS.glob("*.toml"))
SHORT = sorted(f"short/{path.stem}" for path in (MECHANISMS / "short").glob("*.toml"))
CHEAP = ["crank_slider_charts", "rssr", "short/trailing_arm"]
WRONG = 1e-3


def checked(model):
    return kinematic_check(model, from_document(model.mechanism, "the mechanism"))


def assert_passes(model):
    """All differences within their limits, all tables covered, and no check that cannot fail."""
    found = checked(model)
    failed = [d for d in found.differences if not d.passes]
    assert not failed, failed
    assert found.configurations >= 200
    assert all(c.share > 0.95 for c in found.coverage)
    assert all(0.0 < d.limit < np.inf for d in found.differences)
    return found


@pytest.mark.parametrize("name", CHEAP)
def test_some_mechanisms_pass(name):
    assert_passes(baked_file(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in (*SHIPPED, *SHORT) if name not in CHEAP])
def test_all_mechanisms_pass(name):
    assert_passes(baked_file(name))


# -- a coefficient changed --------------------------------------------------------------------------------------------


def model_of(name):
    """A rigid mechanism with one axis, one with two decoupled pairs, or one on bushings on a moving chassis."""
    return baked_file(name) if name == "crank_slider" else baked(load(ROOT / "tests" / "mechanisms" / f"{name}.toml"))


def row_of(model, what):
    """A row of the first chart: that of its kind that varies most."""
    rows = model.charts[0].rows
    found = {
        "marker": [m.r + i for m in rows.markers for i in range(3)],
        "spring": [row for e, row in zip(model.elements, rows.elements, strict=True) if e.name.startswith("spring.")],
        "S": list(rows.S),
        "J": np.diag(inertia_rows(len(model.starts))).tolist(),
    }[what]
    return max(found, key=lambda row: range_of(model, row))


def range_of(model, row):
    """How far a row ranges over the tables."""
    runtime, rng = prepare(model)[0], np.random.default_rng(3)
    z = np.zeros((60, runtime.nz))
    for k, axis in enumerate(runtime.chart.axes):
        z[:, k] = rng.uniform(axis.lower, axis.upper, len(z))
    return float(np.ptp([read(runtime.everything, one)[0][row] for one in z]))


def column_of(model, row, deflection=-1):
    """The number of a block and the column in it that a row takes from it, with one deflection or none."""
    for number, block in enumerate(model.charts[0].blocks):
        first, i, *others = block.cells.T
        for cell in np.flatnonzero((first == row - row % CHUNK) & (i == deflection) & (np.max(others, axis=0) < 0)):
            column = int(cell) * CHUNK + row % CHUNK
            if block.axes and block.coefficients[..., column].any():
                return number, column
    raise AssertionError("the row is constant")


def changed(model, number, column, by, at=()):
    """The model with one coefficient changed: that in the middle, or another."""
    chart = model.charts[0]
    core = chart.blocks[number].coefficients.copy()
    core[(*(at if len(at) else (n // 2 for n in core.shape[:-1])), column)] += by
    block = replace(chart.blocks[number], core=core, bases=())
    blocks = (*chart.blocks[:number], block, *chart.blocks[number + 1 :])
    return replace(model, charts=(replace(chart, blocks=blocks), *model.charts[1:]))


@pytest.mark.parametrize("name", ["crank_slider", "two_pairs", "corner"])
def test_models_that_are_changed_below_pass_unchanged(name):
    assert_passes(model_of(name))


@pytest.mark.parametrize("what", ["marker", "spring", "S", "J"])
@pytest.mark.parametrize("name", ["crank_slider", "two_pairs", "corner"])
def test_a_coefficient_that_is_wrong_in_the_middle_fails(name, what):
    model = model_of(name)
    row = row_of(model, what)
    wrong = changed(model, *column_of(model, row), WRONG * range_of(model, row))
    begins = {"marker": "marker.", "spring": "spring.", "S": "S", "J": "J"}[what]
    found = [d for d in checked(wrong).differences if d.quantity.startswith(begins) and ", " not in d.quantity]
    assert max(d.excess for d in found) > 3.0, found


@pytest.mark.slow
@pytest.mark.parametrize("what", ["marker", "spring", "S", "J"])
@pytest.mark.parametrize("name", ["front_axle", "double_wishbone", "short/pushrod_axle"])
def test_so_it_does_in_suspensions(name, what):
    model = baked_file(name)
    row = row_of(model, what)
    wrong = changed(model, *column_of(model, row), WRONG * range_of(model, row))
    assert not all(d.passes for d in checked(wrong).differences)


def test_a_coefficient_that_is_wrong_anywhere_fails():
    """Over two axes, where there are most of them."""
    model, rng = model_of("two_pairs"), np.random.default_rng(5)
    row = row_of(model, "spring")
    number, column = column_of(model, row)
    sizes = model.charts[0].blocks[number].coefficients.shape[:-1]
    assert len(sizes) == 2
    for at in [(0, 0), (0, sizes[1] - 1), *(rng.integers(sizes) for _ in range(3))]:
        wrong = changed(model, number, column, WRONG * range_of(model, row), at)
        assert not all(d.passes for d in checked(wrong).differences), at


def test_a_wrong_taylor_coefficient_fails():
    """What multiplies a deflection is held to its share of the tolerance under deflection."""
    model = model_of("corner")
    row = model.charts[0].rows.markers[0].r + 1
    wrong = changed(model, *column_of(model, row, deflection=0), 0.01)
    failed = [d.quantity for d in checked(wrong).differences if not d.passes]
    assert "marker.wheel.r, rate" in failed, failed


def test_numbers_that_are_none_fail():
    model = model_of("crank_slider")
    wrong = changed(model, *column_of(model, row_of(model, "J")), np.nan)
    assert any(d.quantity == "J" and not d.passes and d.excess == np.inf for d in checked(wrong).differences)


# -- what is compared -------------------------------------------------------------------------------------------------


def test_every_kind_of_number_is_compared():
    """On a moving chassis with bushings there are all of them, at rest and deflected."""
    found = assert_passes(model_of("corner"))
    names = {d.quantity for d in found.differences}
    for name in ("J", "S", "N", "I", "inertia force", "marker.wheel.r", "marker.wheel, rotation", "marker.wheel.w"):
        assert {name, f"{name}, deflected"} <= names
    for name in ("marker.wheel.r", "spring.coil.length", "bushing.front.deflection[1]", "S"):
        assert {f"{name}, rate", f"{name}, acceleration", f"{name}, rate, deflected"} <= names
    assert {c.coordinate for c in found.coverage} == {"arm", "rack", "arm_mount.x", "arm_mount.y"}


def test_all_charts_and_their_borders_are_compared():
    found = assert_passes(baked_file("crank_slider_charts"))
    names = {d.quantity for d in found.differences}
    assert {"q.slider", "qd.slider", "crank beyond a border", "slider beyond a border"} <= names
    charts = enumerate(("slider", "crank") * 2)
    assert [c.coordinate for c in found.coverage] == [f"{name} (chart {k + 1})" for k, name in charts]


def test_a_chart_on_the_wrong_branch_fails():
    """The two charts over the slider have the same range, and other branches."""
    model = baked_file("crank_slider_charts")
    a, b, c, d = model.charts
    swapped = replace(model, charts=(a, b, replace(c, blocks=a.blocks, slopes=a.slopes), d))
    assert not all(d.passes for d in checked(swapped).differences)


def test_the_worst_place_is_named_in_units_of_the_file():
    found = {d.quantity: d for d in checked(baked_file("four_bar")).differences}
    assert found["J"].unit == "kg m2" and found["J"].where.startswith("[crank,crank] at crank ")
    assert found["J"].where.endswith(" deg")
    assert found["marker.coupler_pin.r"].unit == "mm" and found["marker.coupler_pin.r"].span > 100.0
    assert found["marker.coupler_pin.r, rate"].unit == "mm/s"
    assert found["marker.coupler_pin.w"].unit == "deg/s"


def test_units():
    assert shown("m/s2") == ("mm/s2", 1e3)
    assert shown("rad")[0] == "deg" and shown("kg m2/s") == ("kg m2/s", 1.0)


def test_links_between_balls_are_compared_too():
    """Both sides turn them by the least rotation from design; a lopsided one has inertia about its line."""
    mechanism = load(MECHANISMS / "spatial_slider_crank.toml")
    rod = next(b for b in mechanism.bodies if b.name == "rod")
    lopsided = replace(rod, com=rod.com + np.array([0.0, 0.01, 0.02]))
    bodies = tuple(lopsided if b is rod else b for b in mechanism.bodies)
    markers = (*mechanism.markers, Marker("side", "rod", rod.com + np.array([0.0, 0.05, 0.0])))
    found = assert_passes(baked(replace(mechanism, bodies=bodies, markers=markers)))
    assert {"marker.side.r", "marker.side, rotation"} <= {d.quantity for d in found.differences}


def test_beyond_branch_points_too():
    """Only what is next to them is left out, and said so."""
    found = assert_passes(baked(parallelogram()))
    assert len(found.notes) == 2 and all("0.57 deg of the branch point at crank = " in note for note in found.notes)
    assert found.configurations >= 250


def test_what_is_welded_to_a_moving_chassis_counts():
    mechanism = from_document(document())
    box = random_body(np.random.default_rng(0), "box")
    weld = joint("fixed", "weld", "ground", "box", np.array([0.1, 0.2, 0.3]))
    assert_passes(baked(replace(mechanism, bodies=(*mechanism.bodies, box), joints=(*mechanism.joints, weld))))
