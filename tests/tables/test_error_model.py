"""`table.error`: what the FMU says of the error of its tables, beside exact kinematics."""

import tomllib
from contextlib import suppress
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from helpers import ROOT
from helpers_baked import baked
from helpers_corner import Corner
from helpers_kernel import FIRST, Pair, random_numbers

from fmu_src.errors import StepError, TableFormatError
from fmu_src.model.model_checks import check_model
from fmu_src.model.remainder import ANGLES, ANYTHING, LENGTHS, error_estimate, strain
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.reading import read
from fmu_src.numpy_runtime.statics import at_rest
from fmu_src.numpy_runtime.validity import departure
from precompute.kinematics.continuation import follow
from precompute.mechanism_file import from_document
from precompute.pipeline import survey
from precompute.tables.columns import natural_field_scales
from precompute.tables.error_model import covering, rounded
from precompute.tables.field_data import Asked, evaluate_fields

FILES = {
    "corner": "tests/mechanisms/corner.toml",
    "third_order": "tests/mechanisms/corner.toml",
    "five_link": "integration/mechanisms/five_link.toml",
}
SETTINGS = {"third_order": {"taylor": 3, "about": "static"}}
NAMES = ("table.error", "table.error_position", "table.error_angle")


def document(name):
    found = tomllib.loads((ROOT / FILES[name]).read_text(encoding="utf-8"))
    return {**found, "tables": {**found.get("tables", {}), **SETTINGS.get(name, {})}}


class Beside:
    """A baked mechanism with exact kinematics."""

    def __init__(self, name):
        mechanism = from_document(document(name))
        self.model = baked(mechanism)
        (self.runtime,) = prepare(self.model)
        seen = survey(mechanism)
        self.coordinates, self.fields = seen.atlas.pieces[0].coordinates, seen.layouts[0].columns.fields
        self.samples, self.mechanism = seen.layouts[0].samples, mechanism
        self.radius = np.array([stiff.radius for stiff in self.model.stiff])
        self.about = np.array([stiff.about for stiff in self.model.stiff])

    def states(self, rng, n, size):
        """(n, nz) all over the table, deflected by up to about `size` radii."""
        axes = self.runtime.chart.axes
        free = rng.uniform([a.lower for a in axes], [a.upper for a in axes], (n, len(axes)))
        d = rng.standard_normal((n, self.radius.size)) * rng.choice([0.0, 1.0], (n, self.radius.size), p=[0.3, 0.7])
        share = size * 10.0 ** rng.uniform(-1.5, 0.0, (n, 1))
        away = share * d / np.abs(d).sum(axis=1, keepdims=True).clip(1e-3) * self.radius
        return np.concatenate([free, self.about + away], axis=1)

    def relative(self, z):
        """(n, ns) deflections from where tables are expanded about, over their radii."""
        return (z[:, self.runtime.nf :] - self.about) / self.radius

    def exact(self, z):
        """Values (n, number of fields)."""
        full, nf = self.coordinates.full, self.runtime.nf
        start = full.values(full.poses(self.samples))
        near = [int(np.argmin(np.abs(start[:, :nf] - x).max(axis=1))) for x in z[:, :nf]]
        there = follow(full, self.samples[near], start[near], z)
        assert there.reached.all()
        return evaluate_fields(full, self.fields, there.q, Asked.all(self.fields, ())).value

    def errors(self, z):
        """(n, 3) the largest errors of what the run-time reads: relative ones of the inertia, lengths, angles."""
        exact, rows, found = self.exact(z), self.runtime.rows, np.zeros((len(z), 3))
        values = np.array([read(self.runtime.everything, x)[0] for x in z])

        def add(kind, places, fields, scale=1.0):
            error = np.abs(values[:, places] - exact[:, fields]).max(axis=1, initial=0.0) / scale
            found[:, kind] = np.maximum(found[:, kind], error)

        for own, fields in zip(rows.markers, self.fields.markers, strict=False):
            add(LENGTHS, range(own.r, own.r + 3), list(fields.r))
            add(ANGLES, range(own.R, own.R + 9), list(fields.R))
        for row, measure in zip(rows.elements, self.mechanism.acting, strict=True):
            field = self.fields.find(measure)
            add(ANGLES if measure.is_angle(self.mechanism) else LENGTHS, [row], [field])
        scale = natural_field_scales(self.coordinates.full, self.fields, exact)
        nz, place = self.runtime.nz, 0
        for i in range(nz):
            for j in range(i, nz):
                parts = list(self.fields.inertia[i][j])
                error = np.abs(values[:, place] - exact[:, parts].sum(axis=1))
                place += 1
                if parts:
                    found[:, ANYTHING] = np.maximum(found[:, ANYTHING], error / scale[parts[0]])
        return found

    def splines(self, z):
        """(n, 3) the part of the estimates that is of splines: the largest of them, wherever that is."""
        own = self.model.errors
        return np.array(own.splines) + np.abs(self.relative(z)) @ own.spline_slopes.T

    def estimates(self, z):
        return error_estimate(self.model.errors, self.runtime.chart.axes, z[:, : self.runtime.nf], self.relative(z))


@cache
def beside(name):
    return Beside(name)


@pytest.mark.parametrize("name", ["corner", "five_link"])
def test_estimates_are_near_the_errors_at_random_deflections(name):
    """As docs/fmu.md says: within a factor of two, over some powers of ten."""
    own = beside(name)
    z = own.states(np.random.default_rng(5), 150, size=3.0)
    true, found = own.errors(z), own.estimates(z)
    for kind in (LENGTHS, ANGLES):
        some = true[:, kind] > 2.0 * own.splines(z)[:, kind]  # else it is of the splines
        ratio = found[some, kind] / true[some, kind]
        assert some.sum() > 50 and np.ptp(np.log10(true[some, kind])) > 2.5
        assert 0.5 < ratio.min() and ratio.max() < 2.0 and 0.8 < np.median(ratio) < 1.25
        assert (true[:, kind] <= 2.0 * found[:, kind]).all()
        assert np.corrcoef(np.log(found[some, kind]), np.log(true[some, kind]))[0, 1] > 0.95
    assert (true[:, ANYTHING] <= 2.0 * found[:, ANYTHING]).all()  # the inertia is part of it


def test_estimates_of_the_third_order_about_the_static_deflection_are_near_the_errors():
    """They grow with the fourth power, so splines hide all but the largest of them."""
    own = beside("third_order")
    assert (np.abs(own.about) > 1e-4).all() and {rows.degree for rows in own.model.errors.rows} >= {2, 4}
    z = own.states(np.random.default_rng(5), 400, size=5.0)
    true, found = own.errors(z), own.estimates(z)
    for kind in (LENGTHS, ANGLES):
        some = true[:, kind] > 2.0 * own.splines(z)[:, kind]
        ratio = found[some, kind] / true[some, kind]
        assert some.sum() > 50 and 0.5 < ratio.min() and ratio.max() < 2.0 and 0.8 < np.median(ratio) < 1.25
        assert (true[:, kind] <= 2.0 * found[:, kind]).all()


def test_estimates_are_near_the_errors_under_loads():
    """At rest under random forces at the wheel, on rubber so soft that some go beyond the radius."""
    own = beside("corner")
    run, rng = Corner(own.model), np.random.default_rng(8)
    soft = {p.name: 0.1 * p.value for p in own.model.parameters if ".k[" in p.name and p.name[-2] in "123"}
    places = []
    for _ in range(30):
        inputs = run.inputs.copy()
        inputs[run.slots.loads.start : run.slots.loads.start + 2] += 10 ** rng.uniform(2.0, 3.7) * rng.standard_normal(
            2
        )
        with suppress(StepError):  # the arm is pushed out of its table
            places.append(at_rest(run.charts, run.start, run.tuned(soft), inputs).z)
    z = np.array(places)
    true, found = own.errors(z), own.estimates(z)
    strain = (np.abs(z[:, own.runtime.nf :]) / own.radius).max(axis=1)
    assert strain.max() > 1.0 and strain.min() < 0.3
    for kind in (LENGTHS, ANGLES):
        some = true[:, kind] > 2.0 * own.splines(z)[:, kind]
        ratio = found[some, kind] / true[some, kind]
        assert some.sum() > 10 and 0.5 < ratio.min() and ratio.max() < 2.0


def test_without_deflection_it_is_what_the_certificate_says():
    own = beside("corner")
    z = own.states(np.random.default_rng(6), 40, size=0.0)
    true, found = own.errors(z), own.estimates(z)
    np.testing.assert_allclose(found, np.broadcast_to(own.model.errors.splines, found.shape))
    assert (true[:, LENGTHS] <= 2.0 * found[:, LENGTHS] + 1e-15).all()


def test_where_the_radius_is_met_the_largest_error_is_about_the_tolerance():
    own = beside("five_link")
    ns = own.radius.size
    z = own.states(np.random.default_rng(7), 60, size=0.0)
    z[:, own.runtime.nf :] = np.eye(ns)[np.arange(60) % ns] * own.radius
    found = own.estimates(z)[:, ANYTHING]
    assert found.max() < 1.2e-3 and found.max() > 0.7e-3


def test_beyond_a_radius_the_estimated_error_decides_what_is_in_range():
    own = beside("five_link")
    (runtime,) = prepare(own.model)
    z = own.states(np.random.default_rng(9), 400, size=4.0)
    beyond = (np.abs(z[:, own.runtime.nf :]) > own.radius).any(axis=1)
    good = np.array([departure(runtime, x) is None for x in z])
    error = own.estimates(z)[:, ANYTHING]
    assert good[~beyond].all() and (good == (~beyond | (error <= 1e-3))).all()
    assert (good & beyond).any() and (~good).any()
    np.testing.assert_array_equal(good, strain(own.model, z) <= 1.0)


@pytest.mark.parametrize("name", FILES)
def test_both_run_times_say_the_same(name, tmp_path):
    own = beside(name)
    both, rng = Pair(own.model, tmp_path), np.random.default_rng(1)
    shown = [both.names.index(name) - both.outputs.start for name in (*NAMES, "table.inRange")]
    seen = set()
    for z in own.states(rng, 30, size=4.0):
        numbers = random_numbers(both, rng)
        numbers[FIRST : FIRST + both.nz] = z
        block = both.block(numbers)
        ours, theirs = (both.outcome(instance, block, 0.0)[shown] for instance in (both.numpy, both.compiled))
        np.testing.assert_allclose(ours[:3], theirs[:3], rtol=1e-12)
        assert ours[3] == theirs[3]
        seen.add(ours[3])
    assert seen == {0.0, 1.0}


def test_outputs_are_in_the_fmu_with_units():
    run = Corner(beside("corner").model)
    shown = run.outputs(run.start, run.inputs)
    assert all(0.0 < shown[name] < 1e-3 for name in NAMES)
    assert list(run.names[-3:]) == list(NAMES)


def test_some_rows_stand_for_all():
    rng = np.random.default_rng(3)
    values = np.abs(rng.standard_normal((200, 5)) @ rng.standard_normal((5, 40)))
    chosen = covering(values)
    assert len(chosen) < 24 and (values[:, chosen].max(axis=1) >= 0.8 * values.max(axis=1)).all()
    x = rng.standard_normal(100) * 10.0 ** rng.uniform(-12, 3, 100)
    np.testing.assert_allclose(rounded(x), x, rtol=2.0**-12)


def test_a_wrong_error_model_is_refused():
    model = beside("corner").model
    rows = model.errors.rows[0]
    for changed in (
        replace(model.errors, functions=model.errors.functions + 20),
        replace(model.errors, spline_slopes=model.errors.spline_slopes[:2]),
        replace(model.errors, splines=(0.0, float("nan"), 0.0)),
        replace(model.errors, rows=(replace(rows, kind=7),)),
        replace(model.errors, rows=(replace(rows, coefficients=rows.coefficients[..., :-1]),)),
    ):
        with pytest.raises(TableFormatError):
            check_model(replace(model, errors=changed))
