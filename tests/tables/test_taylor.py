"""Taylor polynomials in the stiff coordinates: golden numbers, orders of error, and the tables that hold them."""

import json
from dataclasses import replace
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pytest
from helpers import GOLDEN, ROOT
from helpers_baked import baked

from fmu_src.build.python_fmu import build_fmu
from fmu_src.numpy_runtime.dynamics import mechanics, prepare
from precompute.coordinates.decouple import find_dependence
from precompute.coordinates.independent import choose_coordinates
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.continuation import follow
from precompute.kinematics.inertia import quadratic_coefficients
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import Damper, JointCoordinate
from precompute.pipeline import survey, tabulated
from precompute.progress import unheard
from precompute.running.simulation import run_fmu
from precompute.tables import walking
from precompute.tables.columns import Level, asked_for, column_sizes, evaluate, plan_columns
from precompute.tables.field_data import Asked, differences, evaluate_fields
from precompute.tables.layout import find_layout

FILES = ROOT / "tests" / "mechanisms"
INCH = 0.0254
SIDES = {"A": "child", "B": "parent", "FS": "child", "SF": "parent"}


def golden(name):
    return json.loads((GOLDEN / f"{name}.json").read_text())


def variant(name, order, **settings):
    """A mechanism file with its stiff directions measured on the golden's side."""
    m = load(FILES / f"{name}.toml")
    joints = tuple(replace(j, stiff_axes=SIDES[order]) if j.stiff else j for j in m.joints)
    return replace(m, joints=joints, tables=replace(m.tables, **settings))


class Solved:
    """All fields of a mechanism at values of its free coordinates, without deflection."""

    def __init__(self, mechanism):
        topology = spanning_tree(mechanism)
        design = close_loops(mechanism, topology)
        self.coordinates = choose_coordinates(mechanism, topology, design)
        dependence, _ = find_dependence(self.coordinates, design)
        self.fields = plan_columns(mechanism, self.coordinates.all_names, dependence).fields
        self.design = design.q

    def at(self, z):
        """Configuration at the coordinates z (nz,), stiff ones too."""
        full = self.coordinates.full
        q, here = self.design[None], full.values(full.poses(self.design))[None]
        for share in np.linspace(0.0, 1.0, 9)[1:]:
            done = follow(full, q, here, here + share * (z - here))
            assert done.reached.all()
            q = done.q
            here = done.z
        return q


@cache
def crank_slider(order, inertia):
    return baked(variant("crank_slider_stiff", order, inertia=inertia, tolerance=1e-9, stiff_tolerance=1e-8))


@pytest.mark.parametrize("order", ["A", "B"])
def test_inertia_of_the_crank_slider_from_its_tables(order):
    runtime = prepare(crank_slider(order, 2))[0]
    for row in golden("crank_slider_stiff")["table"][order]:
        at = mechanics(runtime, np.array([np.deg2rad(row["deg"]), row["s"]]))
        close = 1e-6 if row["s"] == 0.0 else 5e-4  # of the third order in s
        np.testing.assert_allclose(at.J, row["J"], atol=close)
        if row["s"] == 0.0:
            np.testing.assert_allclose(at.dJ, [row["dJ_dth"], row["dJ_ds"]], atol=close)
            Q = quadratic_coefficients(np.moveaxis(at.dJ, 0, -1))
            np.testing.assert_allclose(Q, [row["Q_th"], row["Q_s"]], atol=2 * close)


@pytest.mark.fmu
@pytest.mark.parametrize("order", ["A", "B"])
def test_trajectories_of_the_crank_slider_from_the_fmu(order, tmp_path):
    """Inertia of second order reaches 1e-6; of first order 1e-4, however small the step."""
    expected = golden("crank_slider_stiff")["trajectories"][order]
    for inertia, step, close in ((2, 2e-4, 1e-6), (1, 1e-3, 1e-4)):
        path = build_fmu(crank_slider(order, inertia), tmp_path / f"{inertia}.fmu")
        values = {"solver.step": step, "q_start.crank_pin.y": 0.0}  # the golden starts without deflection
        found = run_fmu(path, stop=2.0, step=0.25, values=values).outputs
        assert found["q.crank"][-1] == pytest.approx(expected["th01"][-1], abs=close)
        assert found["q.crank_pin.y"][-1] == pytest.approx(expected["s"][-1], abs=close)


def test_the_centrifugal_force_on_the_stiff_direction():
    at = mechanics(prepare(crank_slider("B", 1))[0], np.array([np.pi / 2, 0.0]))
    assert quadratic_coefficients(np.moveaxis(at.dJ, 0, -1))[1, 0, 0] == pytest.approx(24.0, abs=1e-6)


@pytest.mark.parametrize("order", ["FS", "SF"])
def test_errors_of_both_orders_on_the_suspension(order):
    """Arm angles of 5.8.2 with both stiff angles at e: golden errors of first and second order."""
    m = variant("suspension_stiff", order)
    arms = tuple(Damper(f"watch_{n}", JointCoordinate(n), damping=0.0) for n in ("lower_arm", "upper_arm"))
    solved = Solved(replace(m, dampers=(*m.dampers, *arms)))
    fields, full = solved.fields, solved.coordinates.full
    index = [fields.find(d.on) for d in arms]
    rows = [row for row in golden("suspension_stiff")["taylor"] if row["order"] == order]
    assert rows
    for row in rows:
        at_rest = np.array([0.0, row["t"] * INCH, 0.0, 0.0])
        data = evaluate_fields(full, fields, solved.at(at_rest))
        for case in row["err"]:
            d = np.array([0.0, 0.0, case["e"], case["e"]])
            exact = evaluate_fields(full, fields, solved.at(at_rest + d)).value[0, index]
            first = data.value[0, index] + data.gradient[0, index] @ d
            second = first + [0.5 * d @ data.second[f][0] @ d for f in index]
            for ours, theirs in ((first, case["first"]), (second, case["second"])):
                np.testing.assert_allclose(np.abs(exact - ours), np.abs(theirs[:2]), atol=2e-9)


def every_coefficient(fields, order):
    """All that differences must give of polynomials of an order."""
    return frozenset(
        (f, own)
        for f, field in enumerate(fields.items)
        if order > field.exact
        for own in combinations_with_replacement(field.stiff, field.exact + 1)
    )


def polynomial(data, fields, f, order, d):
    """The Taylor polynomial of a field at deflections d (ns,), with the coefficients that tables hold."""
    terms = (own for n in range(order + 1) for own in combinations_with_replacement(fields.items[f].stiff, n))
    return sum(float(data.coefficient(f, own)[0]) * np.prod(d[list(own)]) for own in terms)


@pytest.mark.parametrize("about", [(0.0, 0.0), (0.03, -0.02)], ids=["zero", "elsewhere"])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_errors_fall_with_a_power_above_the_order(order, about):
    solved = Solved(variant("suspension_stiff", "FS"))
    full, fields, nf = solved.coordinates.full, solved.fields, solved.fields.nf
    at = np.array([0.1, 0.02, *about])
    asked = replace(Asked.all(fields, (nf, nf + 1)), beyond=every_coefficient(fields, order))
    data = evaluate_fields(full, fields, solved.at(at), asked)
    kinds = ("marker.wheel.r", "marker.wheel.R", "moment", "measure")
    position = [f for f, field in enumerate(fields.items) if field.name.startswith(kinds) and field.stiff]
    errors = []
    for e in (0.04, 0.02):
        d = np.array([e, -e])
        exact = evaluate_fields(full, fields, solved.at(at + [0.0, 0.0, *d])).value[0, position]
        errors.append(np.abs(exact - [polynomial(data, fields, f, order, d) for f in position]).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order + 1.0, abs=0.3)


def test_derivatives_by_differences_are_the_same_whichever_way_they_are_taken():
    """Third ones of positions, second ones of inertia: also against differences of other steps, in other directions."""
    solved = Solved(variant("suspension_stiff", "FS", inertia=2))
    full, fields, nf = solved.coordinates.full, solved.fields, solved.fields.nf
    z = np.array([0.1, 0.02, 0.01, -0.02])
    q = solved.at(z)
    stiff = (nf, nf + 1)
    found = differences(full, fields, q, every_coefficient(fields, 3))
    assert {len(own) for _, own in found} == {2, 3}
    sides = {}
    for k in range(2):
        h = 1e-3
        step = h * np.eye(4)[nf + k]
        sides[k] = [evaluate_fields(full, fields, solved.at(z + s * step), Asked.all(fields, stiff)) for s in (1, -1)]
    for (f, own), value in found.items():
        for first in set(own):  # the rest of the factors, ascending
            rest = tuple(i for place, i in enumerate(own) if place != own.index(first))
            above, below = (side.derivative(f, rest)[0] for side in sides[first])
            size = max(abs(side.derivative(f, rest)[0]) for side in sides[first]) + 1.0
            assert value[0] == pytest.approx((above - below) / (2.0 * h), rel=2e-4, abs=1e-4 * size)


def test_free_kinematics_without_deflection_are_those_of_the_rigid_model():
    m = variant("suspension_stiff", "FS")
    rigid = replace(
        m, joints=tuple(replace(j, primitives=j.primitives[:1]) if j.stiff else j for j in m.joints), bushings=()
    )
    ours, theirs = Solved(m), Solved(rigid)
    z = np.array([0.2, 0.03])
    a = evaluate_fields(ours.coordinates.full, ours.fields, ours.at(np.array([*z, 0.0, 0.0])))
    b = evaluate_fields(theirs.coordinates.full, theirs.fields, theirs.at(z))
    names = [f.name for f in ours.fields.items]
    for f, field in enumerate(theirs.fields.items):
        if field.name in names:
            k = names.index(field.name)
            assert a.value[0, k] == pytest.approx(b.value[0, f], rel=1e-13, abs=1e-12)
            np.testing.assert_allclose(a.gradient[0, k, :2], b.gradient[0, f], atol=1e-11)


# --- what is evaluated ------------------------------------------------------------------------------------------------


def chart(name, order, **settings):
    """The columns of a mechanism, all its coordinates, and some configurations."""
    mechanism = variant(name, order, **settings)
    topology = spanning_tree(mechanism)
    design = close_loops(mechanism, topology)
    coordinates = choose_coordinates(mechanism, topology, design)
    layout = find_layout(coordinates, design)
    return layout.columns, coordinates.full, layout.samples[:5]


@pytest.mark.parametrize("settings", [{}, {"taylor": 1, "inertia": 0}, {"inertia": 2}, {"taylor": 3}], ids=str)
@pytest.mark.parametrize(("name", "order"), [("suspension_stiff", "FS"), ("crank_slider_stiff", "A")])
def test_a_block_alone_has_the_columns_that_it_has_among_all(name, order, settings):
    columns, full, q = chart(name, order, **settings)
    whole = evaluate(full, columns, q)
    size = column_sizes(full, columns, whole).natural
    for number, (axes, _) in enumerate(columns.blocks):
        own = columns.of_block(number)
        some = evaluate(full, columns.only(own), q, axes)
        noise = 1e-13 if max(settings.get("inertia", 1), settings.get("taylor", 2) - 1) < 2 else 1e-9  # of differences
        np.testing.assert_allclose(some.value / size[own], whole.value[:, own] / size[own], atol=noise)
        ours, theirs = some.gradient / size[own, None], whole.gradient[:, own][..., axes] / size[own, None]
        np.testing.assert_allclose(ours, theirs, atol=1e-11)


def test_second_derivatives_are_taken_only_where_a_block_needs_them():
    columns, _, _ = chart("suspension_stiff", "FS")
    nf, ns = columns.fields.nf, columns.fields.ns
    for number, (axes, level) in enumerate(columns.blocks):
        asked = asked_for(columns.only(columns.of_block(number)), axes)
        if axes:
            assert asked.along == (axes if level < Level.HIGHEST else tuple(range(nf, nf + ns)))
        assert bool(asked.second) == (level > Level.REST or not axes)


def test_a_bake_walks_each_grid_once(monkeypatch):
    walked = []
    walk = walking.walk
    monkeypatch.setattr(walking, "walk", lambda c, d, block, progress=None: walked.append(block) or walk(c, d, block))
    found = survey(variant("crank_slider_stiff", "A"))
    tabulated(found, unheard)
    assert len(found.layouts[0].columns.blocks) > len(walked) == len(set(walked))
