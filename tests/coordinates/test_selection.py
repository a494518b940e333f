"""Coordinates chosen over the whole motion."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS, ON_DISCS, joint, planar_four_bar, random_body, random_mechanism, random_planar_mechanism
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from precompute.cli import main
from precompute.coordinates.candidates import GROUNDED, JOINT, MARKER, SPRUNG, TRAVEL, candidates
from precompute.coordinates.exploration import CLOSED, LIMIT, LOST, allowed, explore
from precompute.coordinates.independent import choose_coordinates
from precompute.coordinates.ranking import PREFERENCE, SERVES, Ranked, preferred_order
from precompute.coordinates.selection import flatten, select, service
from precompute.errors import PrecomputeError, SingularityError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure, factorize, velocity_coefficients
from precompute.kinematics.mobility import mobility
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import Coordinate, Distance, Marker, Mechanism
from precompute.pipeline import bake
from precompute.report.inspection import inspect
from precompute.report.report_text import text
from precompute.tables.table_size import table_size

REGULAR = 1e5
"""Condition number at design that counts as regular; auto coordinates of random mechanisms stay far below."""

NEAR_SINGULAR = 1e-4
"""Smallest over largest singular value of the loop Jacobian below which no coordinates could be regular."""

Z = np.array([0.0, 0.0, 1.0])


def prepare(mechanism):
    t = spanning_tree(mechanism)
    design = close_loops(mechanism, t)
    return t, design, mobility(mechanism, t, design)[0]


# -- exploring --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["four_bar", "double_wishbone_rigid"])
def test_what_loops_allow_is_found_with_one_decomposition(name):
    """The left inverse of [A; N^T], with the null space as coordinates, is [A^+, N]."""
    m = load(MECHANISMS / f"{name}.toml")
    t = spanning_tree(m)
    closure = Closure(m, t)
    design = close_loops(m, t)
    dof, _ = mobility(m, t, design)
    A, N, regular, inverse = (x[0] for x in allowed(closure, closure.poses(design.q[None]), dof))
    np.testing.assert_allclose(A @ N, 0.0, atol=1e-13)
    np.testing.assert_allclose(inverse, np.linalg.pinv(A, rcond=1e-9), atol=1e-11)
    np.testing.assert_allclose(inverse @ A + N @ N.T, np.eye(t.nv), atol=1e-12)
    assert 1e-3 < regular < 1.0


def test_a_closed_curve_is_walked_once_around():
    m = load(MECHANISMS / "crank_slider.toml")
    t, design, dof = prepare(m)
    paths = explore(Closure(m, t), design.q, dof)
    assert [p.end for p in paths] == [CLOSED, CLOSED]
    crank = np.concatenate([p.q[:, 0] for p in paths])
    assert np.ptp(crank) == pytest.approx(2 * np.pi, abs=0.3)
    closure = Closure(m, t)
    assert np.abs(closure.gap(closure.poses(np.concatenate([p.q for p in paths])))).max() < closure.gap_tolerance


def test_a_change_point_ends_the_curve():
    """A parallelogram folds flat: its loop Jacobian itself loses rank."""
    m = planar_four_bar((1, 70), (2, 0), (1, 250))
    t, design, dof = prepare(m)
    paths = explore(Closure(m, t), design.q, dof)
    assert [p.end for p in paths] == [LOST, LOST]
    crank = sorted(np.rad2deg(p.q[-1, 0]) for p in paths)
    np.testing.assert_allclose(crank, [-70, 110], atol=0.1)


def test_a_slide_ends_at_the_limit_of_travel():
    m = Mechanism("Slide", [random_body(np.random.default_rng(1), "a")], [joint("prismatic", "s", "ground", "a", Z, Z)])
    t, design, dof = prepare(m)
    assert [p.end for p in explore(Closure(m, t), design.q, dof)] == [LIMIT, LIMIT]


# -- scores -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_amplification_is_the_norm_of_the_velocity_coefficients(seed):
    m = random_mechanism(seed)
    t, design, dof = prepare(m)
    found, closure = candidates(m), Closure(m, t)
    paths = explore(closure, design.q, dof)
    samples = flatten(closure, paths, found)
    chosen = tuple(range(dof))
    done = service(samples, chosen)
    amplification, keep = done.amplification, done.keep
    full = Closure(m, t, tuple(found[i].coordinate.of for i in chosen))
    q = np.concatenate([p.q for p in paths])[keep]
    B = velocity_coefficients(full, factorize(full, full.matrix(full.poses(q))))
    weighted = B / full.rate_weight[:, None] / full.coordinate_weight
    np.testing.assert_allclose(np.linalg.norm(weighted, 2, axis=(1, 2)), amplification[keep], rtol=1e-6)


def test_a_crank_beats_its_pin_and_a_rocker_that_stops():
    m = load(MECHANISMS / "four_bar.toml")
    t, design, dof = prepare(m)
    ranking = select(m, t, design.q, dof).ranking
    labels = [r.label for r in ranking]
    assert labels[0] == "joint.crank" and labels.index("joint.crank_pin") < labels.index("joint.rocker")
    rocker = ranking[labels.index("joint.rocker")]
    assert rocker.amplification == np.inf and 0.3 < rocker.coverage < 0.7
    assert ranking[0].coverage == 1.0 and ranking[0].weight[0] == pytest.approx(1 / ranking[0].amplification)


def ranked(label, score, rank, coverage=1.0):
    return Ranked((label,), 2.0 if coverage == 1.0 else np.inf, 10.0, (0.1, 1.0), coverage, score, rank, "")


@pytest.mark.parametrize(
    ("liked", "first"),
    [
        (ranked("liked", 0.99 * PREFERENCE, 0), "liked"),
        (ranked("liked", 1.01 * PREFERENCE, 0), "best"),
        (ranked("liked", 0.99 * PREFERENCE, 0, 1.01 * SERVES), "liked"),
        (ranked("liked", 0.99 * PREFERENCE, 0, 0.99 * SERVES), "best"),
        (ranked("liked", 0.99 * PREFERENCE, 4), "best"),
    ],
)
def test_the_preference_is_the_stated_factor(liked, first):
    sets = [ranked("other", 1.5, 3), ranked("best", 1.0, 3), liked, ranked("dead centre", 0.5, 3, 0.5)]
    order = [sets[i].label for i in preferred_order(sets)]
    assert order[0] == first and order[-1] in ("dead centre", "liked")
    assert order.index("best") < order.index("other") < order.index("dead centre")


def test_of_two_alike_the_first_in_the_file_is_taken():
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    free = replace(m, springs=m.springs[:1], dampers=m.dampers[:1])  # nothing acts on the pitman arm
    t, design, dof = prepare(free)
    assert [c.name for c in select(free, t, design.q, dof).chosen] == ["pitman", "shock"]
    assert preferred_order([ranked("a", 1.05, 0), ranked("b", 1.0, 0), ranked("c", 1.2, 0)]) == [0, 1, 2]


def test_what_engineers_prefer_is_told_by_what_it_does():
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    rank = {c.label: c.rank for c in candidates(m)}
    assert rank["joint.pitman"] == rank["spring.shock.length"] == SPRUNG
    assert rank["marker.wheel.z"] == rank["marker.contact.z"] == TRAVEL
    assert rank["joint.upper_arm"] == rank["joint.idler"] == GROUNDED
    assert rank["joint.shock"] == rank["joint.pitman_link"] == JOINT
    assert rank["marker.wheel.x"] == rank["marker.lower_ball.z"] == MARKER


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("crank_slider", ["crank"]),
        ("four_bar", ["crank"]),
        ("rssr", ["crank"]),
        ("spatial_slider_crank", ["crank"]),
        ("double_wishbone_rigid", ["pitman", "shock"]),
        ("front_axle", ["pitman", "shock_r", "shock_l"]),
    ],
)
def test_auto_chooses_as_an_engineer_would(name, expected):
    m = load(MECHANISMS / f"{name}.toml")
    t, design, dof = prepare(m)
    selection = select(m, t, design.q, dof)
    assert [c.name for c in selection.chosen] == expected
    if "wishbone" in name:  # the slide of the shock measures what its spring acts on: one of the two is enough
        assert (
            "preferred, as a spring or damper acts on it, to" in selection.reason
            and "3 is accepted" in selection.reason
        )
        assert not any("spring.shock" in r.label or "damper.shock" in r.label for r in selection.ranking)


def test_a_spring_beside_the_shock_is_a_coordinate_of_its_own():
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    beside = replace(m.springs[0].on, p_a=m.springs[0].on.p_a + [0.05, 0.0, 0.0])
    moved = replace(m, springs=(replace(m.springs[0], on=beside), m.springs[1]), dampers=m.dampers[1:])
    t, design, dof = prepare(moved)
    assert [c.name for c in select(moved, t, design.q, dof).chosen] == ["pitman", "shock_length"]


def test_markers_serve_where_no_joint_can():
    """A body on a ball: no scalar joint coordinate, but its markers determine where it is."""
    body = random_body(np.random.default_rng(0), "a")
    markers = [Marker("m", "a", np.array([1.0, 0.2, 0])), Marker("n", "a", np.array([0.1, 1.0, 0]))]
    m = Mechanism("Ball", [body], [joint("spherical", "ball", "ground", "a", np.zeros(3))], markers=markers)
    t, design, dof = prepare(m)
    chosen = choose_coordinates(m, t, design)
    assert dof == 3 and all(c.name[:2] in ("m_", "n_") for c in chosen.free) and chosen.condition < 100


def test_nothing_to_choose_from_is_said():
    body = random_body(np.random.default_rng(0), "a")
    m = Mechanism("Ball", [body], [joint("spherical", "ball", "ground", "a", np.zeros(3))])
    t, design, _ = prepare(m)
    with pytest.raises(SingularityError, match="3 degrees of freedom but 0 independent"):
        choose_coordinates(m, t, design)


@pytest.mark.parametrize("method", ["qr", "lu"])
@pytest.mark.parametrize("name", ["crank_slider", "four_bar", "rssr", "spatial_slider_crank"])
def test_either_factorization_may_propose(name, method):
    m = load(MECHANISMS / f"{name}.toml")
    t, design, dof = prepare(m)
    assert [c.name for c in select(m, t, design.q, dof, method).chosen] == ["crank"]


# -- what the user sees -----------------------------------------------------------------------------------------------


def test_check_shows_the_ranking_and_marks_what_is_used(capsys):
    assert main(["check", str(MECHANISMS / "double_wishbone_rigid.toml")]) == 0
    out = capsys.readouterr().out
    assert "worst ||B||" in out and "up to 3 times the best score is accepted" in out
    used = [line for line in out.splitlines() if line.startswith("* ")]
    assert len(used) == 1 and "joint.pitman + joint.shock" in used[0]


def test_check_explains_an_automatic_choice():
    words = text(inspect(replace(load(MECHANISMS / "four_bar.toml"), coordinates=None)))
    assert "chosen automatically: errors grow at most 1.87 times over the whole motion from design" in words
    assert "preferred, as a joint on the ground" in words and "* joint.crank " in words


def test_a_named_measure_that_is_no_candidate_is_ranked_too():
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    between = Coordinate("span", Distance("ground", "hub", np.array([0.0, 0, 2]), m.marker("wheel").p))
    report = inspect(replace(m, coordinates=(m.coordinates[0], between)))
    assert report.chosen == ("joint.pitman", "span")
    assert any(set(r.labels) == {"joint.pitman", "span"} for r in report.ranking)


@pytest.mark.parametrize("name", ["crank_slider", "double_wishbone_rigid"])
def test_check_draws_the_choice(tmp_path, name):
    picture = tmp_path / "choice.png"
    assert main(["check", str(MECHANISMS / f"{name}.toml"), "--plot", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_picture_of_unknown_kind_is_refused_before_any_work(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(
        "precompute.commands.check.inspect_drawable", lambda _: pytest.fail("computed before it refused")
    )
    assert main(["check", str(MECHANISMS / "four_bar.toml"), "--plot", str(tmp_path / "choice.what")]) == 1
    assert "cannot draw" in (err := capsys.readouterr().err) and "png" in err


# -- what must always work --------------------------------------------------------------------------------------------


MANY = pytest.param(50, marks=pytest.mark.slow, id="many")


@pytest.mark.parametrize("count", [8, MANY])
@pytest.mark.parametrize("part", range(4))
def test_auto_finds_a_regular_set(part, count):
    """On random spatial mechanisms; in parts, so that they run side by side."""
    examples(count)(lambda seed: regular(random_mechanism(4 * seed + part)))()


@pytest.mark.parametrize("count", [8, MANY])
@pytest.mark.parametrize("part", range(2))
def test_auto_finds_a_regular_set_in_the_plane(part, count):
    """On random planar linkages of 1 to 3 freedoms, all with redundant equations."""
    examples(count)(lambda seed: regular(random_planar_mechanism(2 * seed + part)))()


def examples(count):
    return lambda test: settings(max_examples=count)(given(st.integers(0, 10**6))(test))


def regular(m):
    try:
        t, design, dof = prepare(m)
    except PrecomputeError:  # drawn as a structure, or at a singularity
        assume(False)
    assume(dof <= 3)
    bare = Closure(m, t)
    assume(allowed(bare, bare.poses(design.q[None]), dof)[2][0] > NEAR_SINGULAR)
    selection = select(m, t, design.q, dof)
    closure = Closure(m, t, tuple(c.of for c in selection.chosen))
    assert len(selection.chosen) == dof
    assert factorize(closure, closure.matrix(closure.poses(design.q))).condition < REGULAR


def test_planar_linkages_of_all_kinds_are_drawn():
    seen = set()
    for seed in range(40):
        m = random_planar_mechanism(seed)
        t = spanning_tree(m)
        try:
            seen.add((mobility(m, t, close_loops(m, t))[0], t.n_loops))
        except PrecomputeError:
            continue
    assert {dof for dof, _ in seen} == {1, 2, 3} and {loops for _, loops in seen} == {1, 2, 3}


RIGID = sorted(
    path for path in MECHANISMS.glob("*.toml") if "[bushings." not in path.read_text() and path.stem not in ON_DISCS
)


LONG = ("front_axle", "double_wishbone_rigid", "macpherson_rigid")


@pytest.mark.parametrize(
    "path", [pytest.param(p, marks=[pytest.mark.slow] * (p.stem in LONG), id=p.stem) for p in RIGID]
)
def test_shipped_mechanisms_bake_without_named_coordinates(path):
    m = load(path)
    settings_ = replace(m.tables, tolerance=1e-3)
    model = bake(replace(m, coordinates=None, tables=settings_))
    assert len(model.coordinates) == len(m.coordinates)
    assert table_size(model).ratio > (10 if path.stem == "front_axle" else 0.99)
