"""Modified Newton: the same configurations as Newton finds, with far fewer factorizations."""

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT

from precompute.coordinates.independent import choose_coordinates
from precompute.kinematics import continuation, correcting
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.correcting import correct, inverse_at
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import load
from precompute.model.mechanism import JointCoordinate
from precompute.pipeline import survey, tabulated
from precompute.progress import unheard

STIFF = ROOT / "tests" / "mechanisms"


def test_newton_converges_quadratically_and_reports_failure():
    m = load(MECHANISMS / "crank_slider.toml")
    t = spanning_tree(m)
    c = Closure(m, t, (JointCoordinate("slide"),))
    guess = np.array([[0.5, -0.7, 0.2, 0.2]])
    good = correct(c, guess, np.array([[0.2]]))
    assert good.converged.all()
    np.testing.assert_allclose(c.gap(c.poses(good.q)), 0.0, atol=1e-12)
    bad = correct(c, guess, np.array([[5.0]]))  # the slider travels from 0 to 2
    assert not bad.converged.any()


def newton(closure, q, z):
    """Plain Newton: A is factored at every step."""
    for _ in range(8):
        P = closure.poses(q)
        step = [
            np.linalg.lstsq(A * closure.rate_weight, -r)[0] * closure.rate_weight
            for A, r in zip(closure.matrix(P), closure.error(P, z), strict=True)
        ]
        q = closure.move(q, np.array(step))
    return q


class Guesses:
    """Guesses along B from the design to random points of part of the range."""

    def __init__(self, path, reach, n=20):
        m = load(path)
        t = spanning_tree(m)
        design = close_loops(m, t)
        self.coordinates = choose_coordinates(m, t, design)
        self.closure = self.coordinates.closure
        lower, upper = (np.array([getattr(c, end) for c in self.coordinates.free]) for end in ("lower", "upper"))
        self.z = np.random.default_rng(7).uniform(reach * lower, reach * upper, (n, len(lower)))
        self.inverse = np.repeat(inverse_at(self.closure, design.q[None]), n, 0)
        B = self.inverse[..., -len(lower) :] * self.closure.coordinate_weight
        dv = (B @ (self.z - self.coordinates.design)[..., None])[..., 0]
        self.q = self.closure.move(design.q, dv)


@pytest.mark.parametrize("path", [MECHANISMS / "double_wishbone_rigid.toml", STIFF / "suspension_stiff.toml"])
@pytest.mark.parametrize("reach", [0.02, 0.2])
def test_modified_newton_finds_what_newton_finds(path, reach):
    at = Guesses(path, reach)
    found = correct(at.closure, at.q, at.z, inverse=at.inverse)
    assert found.converged.all()
    np.testing.assert_allclose(found.q, newton(at.closure, at.q, at.z), atol=2e-14)


def test_the_factor_serves_as_long_as_each_step_gains_a_digit(monkeypatch):
    """Near the guesses' origin never renewed; further off only where a step left more than a tenth of the error."""
    asked = []
    monkeypatch.setattr(correcting, "inverse_at", lambda c, q: asked.append(len(q)) or inverse_at(c, q))
    counts = []
    for reach in (0.02, 0.3):
        at = Guesses(MECHANISMS / "double_wishbone_rigid.toml", reach)
        asked.clear()
        assert correct(at.closure, at.q, at.z, inverse=at.inverse).converged.all()
        counts.append(sum(asked))
    assert counts[0] == 0 < counts[1] <= 2 * len(at.q)


def test_the_inverse_given_is_left_as_it_is():
    at = Guesses(MECHANISMS / "double_wishbone_rigid.toml", 0.3)
    before = at.inverse.copy()
    correct(at.closure, at.q, at.z, inverse=at.inverse)
    np.testing.assert_array_equal(at.inverse, before)


def test_a_correction_beyond_what_is_allowed_is_given_up():
    at = Guesses(MECHANISMS / "double_wishbone_rigid.toml", 0.3)
    allowed = np.where(np.arange(len(at.q)) % 2, np.inf, 1e-6)
    found = correct(at.closure, at.q, at.z, allowed, at.inverse)
    np.testing.assert_array_equal(found.converged, np.isinf(allowed))
    freely = correct(at.closure, at.q, at.z, inverse=at.inverse)
    np.testing.assert_array_equal(found.q[1::2], freely.q[1::2])


# -- counted, not timed ------------------------------------------------------------------------------------------------


class Counted:
    """Decompositions of batches, and nodes stepped to, while it is entered."""

    def __init__(self, monkeypatch):
        self.decompositions, self.widths, self.nodes = [], set(), []
        for name in ("qr", "svd"):
            monkeypatch.setattr(np.linalg, name, self.counting(getattr(np.linalg, name)))
        step = continuation._step
        monkeypatch.setattr(continuation, "_step", lambda c, q, *to: self.nodes.append(len(q)) or step(c, q, *to))

    def counting(self, decompose):
        def call(A, *arguments, **named):
            if np.ndim(A) > 2:  # not those of tables
                self.decompositions.append(int(np.prod(A.shape[:-2])))
                self.widths.add((decompose.__name__, A.shape[-1]))
            return decompose(A, *arguments, **named)

        return call

    @property
    def per_node(self):
        """Of all decompositions, those of the evaluation and of condition numbers included."""
        return sum(self.decompositions) / sum(self.nodes)


@pytest.mark.parametrize(
    "path",
    [
        STIFF / "suspension_stiff.toml",
        MECHANISMS / "rssr.toml",
        pytest.param(MECHANISMS / "double_wishbone.toml", marks=pytest.mark.slow),
    ],
    ids=lambda path: path.stem,
)
def test_a_sweep_takes_two_and_a_half_factorizations_per_node(path, monkeypatch):
    found = survey(load(path))
    counted = Counted(monkeypatch)
    tabulated(found, unheard)
    assert sum(counted.nodes) > 2000 and counted.per_node <= 2.5
    topology = found.atlas.pieces[0].coordinates.closure.topology
    widest = max(width for name, width in counted.widths if name == "qr")
    assert widest == topology.nv - len(topology.stiff)  # stiff rates are given


def test_points_from_the_same_node_share_its_factor(monkeypatch):
    m = load(MECHANISMS / "double_wishbone_rigid.toml")
    t = spanning_tree(m)
    design = close_loops(m, t)
    coordinates = choose_coordinates(m, t, design)
    q, here = np.repeat(design.q[None], 6, 0), np.repeat(coordinates.design[None], 6, 0)
    q[3:] = continuation.follow(coordinates.closure, q[3:], here[3:], here[3:] + 1e-3).q
    here[3:] += 1e-3
    counted = Counted(monkeypatch)
    to = here + 1e-3 * np.arange(6)[:, None]
    assert continuation.follow(coordinates.closure, q, here, to).reached.all()
    assert sum(counted.decompositions) == 2 and sum(counted.nodes) == 6
