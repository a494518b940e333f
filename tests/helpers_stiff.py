"""A pendulum whose bob sits on a bushing: a model with stiff coordinates whose rows are exact polynomials.

A rod turns by theta about the origin in the xy plane, a mass M0 at L0 along it; a bob of mass M1 at

    r = (L + x) e_r + y e_t,   e_r = (sin, -cos, 0),   e_t = (cos, sin, 0) of theta

with stiff x and y.  A bushing acts on x and y, a spring on half the squared distance [m2 taken as m] of the bob from an
anchor, a port at the bob.  `dalembert` gives the motion without Lagrange, momentum tables or polynomials.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
from helpers_laws import law
from helpers_model import fit_chart, gravity_parameters

from fmu_src.model.reduced_model import (
    FACTORS,
    Array,
    CoordinateInfo,
    Coupling,
    Element,
    MarkerInfo,
    Parameter,
    PortInfo,
    ReducedModel,
    StartInfo,
    StiffInfo,
)
from fmu_src.numpy_runtime.tangent import DeviceMotion
from precompute.reduction.arrangement import arranged
from precompute.reduction.loose import LooseChart

L, L0, M0, M1 = 0.6, 0.25, 3.0, 2.0
ANCHOR = np.array([0.9, 0.4, 0.0])
NONE = (-1, -1)


class Poly:
    """A polynomial in x and y with coefficients over a grid of theta: {(i, j): values}, (-1, -1) for the constant."""

    def __init__(self, parts):
        self.parts = parts

    def __add__(self, other):
        keys = {**self.parts, **other.parts}
        return Poly({k: self.parts.get(k, 0.0) + other.parts.get(k, 0.0) for k in keys})

    def __mul__(self, other):
        if not isinstance(other, Poly):
            return Poly({k: other * v for k, v in self.parts.items()})
        found = Poly({})
        for (a, u), (b, v) in product(self.parts.items(), other.parts.items()):
            found = found + Poly({_joined(a, b): u * v})
        return found

    def slope(self, k):
        """Over stiff coordinate k."""
        found = Poly({})
        for (i, j), v in self.parts.items():
            if i == k:
                found = found + Poly({(j, -1): v})
            if j == k:
                found = found + Poly({(i, -1): v})
        return found

    def __call__(self, d):
        return sum(v * np.prod([d[m] for m in key if m >= 0]) for key, v in self.parts.items())


def _joined(a, b):
    numbers = sorted(k for k in (*a, *b) if k >= 0)
    assert len(numbers) <= 2, "the rows are polynomials of degree 2"
    return tuple(numbers + [-1] * (2 - len(numbers)))


def _sum(polys):
    total = Poly({})
    for poly in polys:
        total = total + poly
    return total


def _dot(a, b):
    return _sum(p * q for p, q in zip(a, b, strict=True))


def _cross(a, b):
    return [a[(i + 1) % 3] * b[(i + 2) % 3] + a[(i + 2) % 3] * b[(i + 1) % 3] * -1.0 for i in range(3)]


def rows(th: Array, moving: bool) -> list[Poly]:
    """All quantities at the angles th, in the order of `loose.Quantities`."""
    s, c, o, i = np.sin(th), np.cos(th), np.zeros_like(th), np.ones_like(th)
    one, x, y = Poly({NONE: i}), Poly({(0, -1): i}), Poly({(1, -1): i})
    e_r, e_t = [one * s, one * -c, one * o], [one * c, one * s, one * o]
    out = one * L + x
    bob = [out * a + y * b for a, b in zip(e_r, e_t, strict=True)]
    bob_slopes = [[out * b + y * a * -1.0 for a, b in zip(e_r, e_t, strict=True)], e_r, e_t]
    rod = [a * L0 for a in e_r]
    rod_slopes = [[b * L0 for b in e_t], [one * o] * 3, [one * o] * 3]
    masses = ((M0, rod, rod_slopes), (M1, bob, bob_slopes))
    found = [_sum(_dot(D[a], D[b]) * m for m, _, D in masses) for a in range(3) for b in range(a, 3)]
    found += [_sum(r[k] * m for m, r, _ in masses) for k in range(3)]
    if moving:
        angular = [[_sum(_cross(r, D[j])[k] * m for m, r, D in masses) for j in range(3)] for k in range(3)]
        linear = [[_sum(D[j][k] * m for m, _, D in masses) for j in range(3)] for k in range(3)]
        found += [entry for row in (*angular, *linear) for entry in row]
        for a, b in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
            found.append(_sum(_dot(r, r) * (m * (a == b)) + r[a] * r[b] * -m for m, r, _ in masses))
    away = [p + one * -a for p, a in zip(bob, ANCHOR, strict=True)]
    found += [x, y, _dot(away, away) * 0.5]
    turned = [one * v for v in (c, -s, o, s, c, o, o, o, i)]
    angular = [one * v for v in (o, o, o, o, o, o, i, o, o)]
    return [*found, *bob, *turned, *angular]


def polynomial_chart(spec, make) -> LooseChart:
    """One axis; every coefficient of every row is a column."""
    places = [(row, key) for row, poly in enumerate(make(np.zeros(1))) for key in poly.parts]

    def columns(th: Array) -> Array:
        return np.stack([make(th)[row].parts[key] for row, key in places], axis=-1)

    chart = fit_chart([spec], [f"c{row}_{i}_{j}" for row, (i, j) in places], columns)
    terms = [(row, column, *key, *(-1,) * (FACTORS - len(key))) for column, (row, key) in enumerate(places)]
    return replace(chart, terms=np.array(terms, dtype=np.int64))


PARAMETERS = (
    ("bushing.mount.k[1]", 2e5, "N/m"), ("bushing.mount.c[1]", 0.0, "N.s/m"),
    ("bushing.mount.k[2]", 8e4, "N/m"), ("bushing.mount.c[2]", 0.0, "N.s/m"), ("bushing.mount.p[2]", 0.0, "N"),
    ("bushing.mount.k[1,2]", 1e4, "N/m"), ("bushing.mount.c[1,2]", 0.0, "N.s/m"),
    ("spring.tip.k", 60.0, "N/m"), ("spring.tip.s0", 0.8, "m"),
)  # fmt: skip
K1, C1, K2, C2, P2, K12, C12, KS, S0 = range(3, 12)  # numbers of the parameters


def stiff_pendulum(*arguments, **changes) -> ReducedModel:
    """The model; `moving`, `quasistatic` and other fields may be changed."""
    return arranged(*loose_pendulum(*arguments, **changes))


def loose_pendulum(
    nodes: int = 65, driven: str = "no", outside: str = "", **changes
) -> tuple[ReducedModel, list[LooseChart]]:
    """The same with its chart apart."""
    moving = bool(changes.get("moving", False))
    spec = ("theta", "rad", -np.pi, np.pi, True, "error", nodes)
    if outside:
        spec = ("theta", "rad", -1.5, 1.5, False, outside, nodes)
    parameters = tuple(Parameter(name, v, unit, name) for name, v, unit in PARAMETERS)
    model = ReducedModel(
        name="StiffPendulum",
        description="Pendulum with its bob on a bushing",
        source_hash="2" * 64,
        coordinates=(
            CoordinateInfo("theta", "rad", "Angle", driven=driven, filter_time=0.05 * (driven == "filtered")),
        ),
        charts=(),
        starts=(StartInfo(0.7, 0.5, "Angle"), StartInfo(0.0, 0.0, "Radial"), StartInfo(0.0, 0.0, "Tangential")),
        stiff=(StiffInfo("mount.x", "m", 0.01, "Radial"), StiffInfo("mount.y", "m", 0.01, "Tangential")),
        quasistatic=False,
        moving=False,
        mass=M0 + M1,
        gravity=(0, 1, 2),
        parameters=(*gravity_parameters(0.0, -9.81, 0.0), *parameters),
        elements=(
            Element("bushing.mount", "m", (law("linear", (K1,)), law("damper", (C1,))), direction=1),
            Element(
                "bushing.mount", "m", (law("linear", (K2,)), law("damper", (C2,)), law("constant", (P2,))), direction=2
            ),
            Element("spring.tip", "m", (law("spring", (KS, S0)),)),
        ),
        couplings=(Coupling(0, 1, K12, C12),),
        markers=(MarkerInfo("bob", None, None),),
        ports=(PortInfo("bob", 0),),
        stop_time=1.0,
        step_size=1e-3,
        mechanism={"name": "StiffPendulum"},
    )
    return replace(model, **changes), [polynomial_chart(spec, lambda th: rows(th, moving))]


def bob_at(z):
    """Position (3,) and slopes (3, 3) over z of the bob, and the second slopes (3, 3, 3)."""
    th, x, y = z
    e_r, e_t = np.array([np.sin(th), -np.cos(th), 0.0]), np.array([np.cos(th), np.sin(th), 0.0])
    D = np.stack([(L + x) * e_t - y * e_r, e_r, e_t], axis=1)
    H = np.zeros((3, 3, 3))
    H[:, 0, 0] = -(L + x) * e_r - y * e_t
    H[:, 0, 1] = H[:, 1, 0] = e_t
    H[:, 0, 2] = H[:, 2, 0] = -e_r
    return (L + x) * e_r + y * e_t, D, H


def rod_at(z):
    """The same of the mass on the rod."""
    r, D, H = bob_at((z[0], L0 - L, 0.0))
    return r, np.stack([D[:, 0], 0 * r, 0 * r], axis=1), H * np.array([[1, 0, 0], [0, 0, 0], [0, 0, 0]])


def law_force(z, zd, p):
    """Generalized forces (3,) of bushing and spring, by hand."""
    r, D, _ = bob_at(z)
    s = 0.5 * (r - ANCHOR) @ (r - ANCHOR)
    _, x, y = z
    _, xd, yd = zd
    f = np.array([
        0.0,
        -p[K1] * x - p[C1] * xd - p[K12] * y - p[C12] * yd,
        -p[K2] * y - p[C2] * yd - p[K12] * x - p[C12] * xd + p[P2],
    ])  # fmt: skip
    return f + p[KS] * (p[S0] - s) * (r - ANCHOR) @ D


def dalembert(z, zd, g, Q, V=None, Vd=None, F=None, M=None):
    """zdd (3,) and the wrench (6,) on the ground, from sum_i m_i D_i . (a_i - g) = Q with the loads F, M at the bob.

    a = vd + w x v + wd x r + w x (w x r) + 2 w x rdot + rddot of each mass, in the axes of the ground.
    """
    w, v = np.zeros((2, 3)) if V is None else (V[:3], V[3:])
    wd, vd = np.zeros((2, 3)) if Vd is None else (Vd[:3], Vd[3:])
    F, M = np.zeros(3) if F is None else F, np.zeros(3) if M is None else M
    J, right = np.zeros((3, 3)), np.array(Q, dtype=float)
    right += F @ bob_at(z)[1] + np.array([M[2], 0.0, 0.0])
    carried = []
    for m, (r, D, H) in ((M0, rod_at(z)), (M1, bob_at(z))):
        a = vd + np.cross(w, v) + np.cross(wd, r) + np.cross(w, np.cross(w, r)) + 2 * np.cross(w, D @ zd)
        a = a + H @ zd @ zd - g
        J += m * D.T @ D
        right -= m * D.T @ a
        carried.append((m, r, D, a))
    zdd = np.linalg.solve(J, right)
    force = F - sum(m * (a + D @ zdd) for m, _, D, a in carried)
    moment = M + np.cross(bob_at(z)[0], F) - sum(m * np.cross(r, a + D @ zdd) for m, r, D, a in carried)
    return zdd, np.concatenate((moment, force))


def no_devices(nz):
    """What steps are told where there are none."""
    none = np.zeros((nz, nz))
    return DeviceMotion(np.zeros(0), none, none, np.zeros((nz, 0)), *(np.zeros((0, nz)),) * 2, np.zeros((0, 0)))
