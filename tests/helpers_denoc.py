"""Reactions by decoupled natural orthogonal complements (DeNOC), an oracle that knows trees and recursion alone.

Numbers of equations are those of the published form for serial systems with spherical joints.  Each body i has its
origin O_i at the joint that carries it, from its base b; twists and wrenches are [angular; linear] there, in axes of
the ground:

    t_i = A_ib t_b + P_i thetadot_i,   A_ib = [[1, 0], [a_ib~, 1]],  a_ib = O_b - O_i               (48), (49)
    P_i = [u; 0] of a hinge, [0; u] of a slide, [1; 0] of a ball                                    (16), (49)
    t = N_L N_D thetadot                                                                            (50), (51)
    w*_i = M_i tdot_i + W_i M_i E_i t_i                                                             (43), (44)
    N^T (w* - w^e) = N^T w^lambda        finds what cut joints, rods and drives exert               (19)
    w_bi = w*_i - w^e_i + sum over j on i of A'_ij w_ij                                             (22), (23)

Of a ball the rate is the relative angular velocity (with G* of (16) it would be singular where e0 = 0).
"""

from dataclasses import dataclass

import numpy as np

from precompute.kinematics.coefficients import coefficient_derivatives, factorize, velocity_coefficients
from precompute.kinematics.inertia import effective_inertias


def tilde(a):
    """a~ b = a x b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def shifted(wrench, point, to):
    """A wrench [n; f] at a point, seen at another: A' of (23)."""
    return np.concatenate([wrench[:3] + np.cross(point - to, wrench[3:]), wrench[3:]])


def joint_axes(joint, R):
    """P of (49), (16) of a joint whose axes turn with R, and whether it turns."""
    kind = {"revolute": "rotation", "prismatic": "translation", "spherical": "ball"}[joint.kind]
    if kind == "ball":
        return np.vstack([np.eye(3), np.zeros((3, 3))])
    u = (R @ joint.axes[0])[:, None]
    return np.vstack([u, 0.0 * u]) if kind == "rotation" else np.vstack([0.0 * u, u])


@dataclass
class Link:
    """A body of the tree at an instant."""

    body: int
    base: int
    joint: int
    forward: bool
    O: np.ndarray  # noqa: E741  # (3,) its origin
    P: np.ndarray  # (6, rates)
    rates: slice  # in thetadot


class Denoc:
    """A mechanism of hinges, slides, balls and rods at one state, in a ground that is at rest."""

    def __init__(self, exact, z, zd, zdd):
        closure = exact.coordinates.full
        self.mechanism, self.topology = closure.mechanism, closure.topology
        self.places = closure.poses(exact.configurations(z[None]))
        factor = factorize(closure, closure.matrix(self.places))
        B = velocity_coefficients(closure, factor)
        dB, W, _ = coefficient_derivatives(closure, self.places, factor, B)
        self.table_twists = W[0] @ zd  # (nb + 1, 6) at the origin of the ground: what is to be compared
        self.v, self.vd = B[0] @ zd, B[0] @ zdd + dB[0] @ zd @ zd
        self.links = []
        first = 0
        for arc in self.topology.arcs:
            joint = self.mechanism.joints[arc.joint]
            at = joint.p_C if arc.forward else joint.p_P
            P = joint_axes(joint, self.R(joint.parent)) * (1.0 if arc.forward else -1.0)
            O, rates = self.point(self.topology.bodies[arc.body], at), slice(first, first + P.shape[1])  # noqa: E741
            self.links.append(Link(arc.body, arc.base, arc.joint, arc.forward, O, P, rates))
            first = rates.stop
        self.size = first

    def R(self, body):
        return self.places.pose(body).R[0]

    def point(self, body, p):
        return self.places.pose(body).point(np.asarray(p))[0]

    def link(self, body):
        return next((link for link in self.links if link.body == body), None)

    def origin(self, body):
        """O of a body; the ground has the origin."""
        return self.link(body).O if body else np.zeros(3)

    @property
    def N(self):
        """N_L N_D of (50), blocks in the order of the links."""
        n = len(self.links)
        N_L, N_D = np.eye(6 * n), np.zeros((6 * n, self.size))
        for i, link in enumerate(self.links):
            N_D[6 * i : 6 * i + 6, link.rates] = link.P
            base = self.link(link.base)
            if base is not None:
                A = np.eye(6)
                A[3:, :3] = tilde(base.O - link.O)
                k = self.links.index(base)
                N_L[6 * i : 6 * i + 6] += A @ N_L[6 * k : 6 * k + 6]
        return N_L @ N_D

    def speeds(self):
        """Rates thetadot and thetadotdot; a ball's in ground axes, where its own axes turn with its parent."""
        theta, second = np.zeros(self.size), np.zeros(self.size)
        for link in self.links:
            joint, own = self.mechanism.joints[link.joint], self.topology.v_slices[link.joint]
            theta[link.rates], second[link.rates] = self.v[own], self.vd[own]
            if joint.kind == "spherical":
                R = self.R(joint.parent)
                w = self.table_twists[self.topology.bodies.index(joint.parent), :3]
                theta[link.rates] = R @ self.v[own]
                second[link.rates] = R @ self.vd[own] + np.cross(w, R @ self.v[own])
        return theta, second

    def twists(self):
        """t and its rate, from base to body."""
        theta, second = self.speeds()
        t, td = {0: np.zeros(6)}, {0: np.zeros(6)}
        for link in self.links:
            A, Ad, b = np.eye(6), np.zeros((6, 6)), link.base
            A[3:, :3] = tilde(self.origin(b) - link.O)
            t[link.body] = A @ t[b] + link.P @ theta[link.rates]
            Ad[3:, :3] = tilde(t[b][3:] - t[link.body][3:] if b else -t[link.body][3:])
            joint = self.mechanism.joints[link.joint]
            carrier = t[self.topology.bodies.index(joint.parent)][:3]
            turns = joint.kind != "spherical"
            Pd = np.vstack([np.cross(carrier, part, axis=0) for part in (link.P[:3], link.P[3:])]) * turns
            td[link.body] = A @ td[b] + Ad @ t[b] + Pd @ theta[link.rates] + link.P @ second[link.rates]
        return t, td

    def inertia_wrenches(self):
        """w* of (43) of each link, weight taken off."""
        t, td = self.twists()
        found, inertias = [], effective_inertias(self.mechanism, self.topology)
        for link in self.links:
            name = self.topology.bodies[link.body]
            number = [b.name for b in self.mechanism.bodies].index(name)
            body, R = self.mechanism.bodies[number], self.R(name)
            d, m = self.point(name, body.com) - link.O, body.mass
            inertia = R @ inertias[number] @ R.T - m * tilde(d) @ tilde(d)
            M = np.block([[inertia, m * tilde(d)], [-m * tilde(d), m * np.eye(3)]])
            w = t[link.body][:3]
            WM = np.kron(np.eye(2), tilde(w)) @ M
            weight = np.concatenate([np.cross(d, m * self.mechanism.gravity), m * self.mechanism.gravity])
            found.append(M @ td[link.body] + WM[:, :3] @ w - weight)
        return np.concatenate(found)

    def between(self, parent, child, point, wrench):
        """A wrench (6,) at a point on the child, and its opposite on the parent, as w of all links."""
        out = np.zeros(6 * len(self.links))
        for body, sign in ((child, 1.0), (parent, -1.0)):
            link = self.link(self.topology.bodies.index(body))
            if link is not None:
                i = 6 * self.links.index(link)
                out[i : i + 6] += sign * shifted(wrench, point, link.O)
        return out

    def pull(self, a, p_a, b, p_b):
        """What a unit force that pushes two points apart does."""
        start, end = self.point(a, p_a), self.point(b, p_b)
        line = (end - start) / np.linalg.norm(end - start)
        return self.between(a, b, end, np.concatenate([np.zeros(3), line]))

    def cut_columns(self):
        """Name and unit wrenches w^lambda of all that is cut."""
        found = []
        for number in self.topology.chords:
            joint = self.mechanism.joints[number]
            P, at = joint_axes(joint, self.R(joint.parent)), self.point(joint.parent, joint.p_P)
            locked = np.linalg.svd(P, full_matrices=True)[0][:, P.shape[1] :]
            found += [(joint.name, w, self.between(joint.parent, joint.child, at, w)) for w in locked.T]
        return found + [(r.name, 1.0, self.pull(r.parent, r.p_P, r.child, r.p_C)) for r in self.mechanism.rods]

    def reactions(self, external, torques=None, drives=()):
        """Wrenches [n; f] of parent on child at the parent's point of each joint, forces of rods, torques of drives.

        Args:
            external: (6 n,) w^e.
            torques: (size,) of springs and dampers on joints of the tree.
            drives: names of joints of the tree, of one freedom, that are driven.
        """
        torques = np.zeros(self.size) if torques is None else torques
        cut, needed, N = self.cut_columns(), self.inertia_wrenches() - external, self.N
        unit = np.eye(self.size)[:, [self.rate_of(name) for name in drives]]
        matrix = np.hstack([*((N.T @ w)[:, None] for _, _, w in cut), unit])
        value = np.linalg.lstsq(matrix, N.T @ needed - torques, rcond=1e-10)[0]
        missing = np.abs(matrix @ value - (N.T @ needed - torques)).max()
        found = {}
        for (name, own, _), x in zip(cut, value, strict=False):
            found[name] = found.get(name, 0.0) + own * x
        needed = needed - sum(w * x for (_, _, w), x in zip(cut, value, strict=False))
        carried = {link.body: needed[6 * i : 6 * i + 6].copy() for i, link in enumerate(self.links)}
        for link in reversed(self.links):  # (22): bodies farther out come later
            joint, wrench = self.mechanism.joints[link.joint], carried[link.body]
            if link.base:
                carried[link.base] += shifted(wrench, link.O, self.origin(link.base))
            at = self.point(joint.parent, joint.p_P)
            found[joint.name] = shifted(wrench, link.O, at) * (1.0 if link.forward else -1.0)
        return found, dict(zip(drives, value[len(cut) :], strict=True)), missing

    def rate_of(self, joint):
        number = [j.name for j in self.mechanism.joints].index(joint)
        return next(link.rates.start for link in self.links if link.joint == number)
