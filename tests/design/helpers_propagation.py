"""The two mechanisms of Zou, Abdel-Malek and Wang (1997), by constraints with derivatives in all their unknowns."""

from __future__ import annotations

import json

import numpy as np
from helpers import GOLDEN

from precompute.design.constraints import Side, distance, dot_2, spherical
from precompute.geometry.rotation_vectors import inverse_left_jacobian
from precompute.geometry.spatial import cross, quaternion_exp, quaternion_rotation, rotation

SLIDER_CRANK = json.loads((GOLDEN / "design_slider_crank.json").read_text(encoding="utf-8"))
MCPHERSON = json.loads((GOLDEN / "design_mcpherson.json").read_text(encoding="utf-8"))
EX, EY, EZ = np.eye(3)


class SliderCrank:
    """Unknowns q1, q2, q3 [rad], q4, then s'01, s'03, s'32, s'12; the cut joint is the ball between bodies 1 and 2."""

    def __init__(self):
        told = SLIDER_CRANK["conventions"]
        self.C01, self.C03, self.C32 = (np.array(told[name]) for name in ("C01", "C03", "C32"))
        initial = told["initial"]
        self.s21 = np.array(initial["s21_new"])
        s = np.concatenate([initial[name] for name in ("s01", "s03", "s32", "s12")])
        self.start = np.concatenate([np.radians(initial["q_deg"]), [initial["q4"]], s])

    def __call__(self, x):
        """Phi (3,) and J (3, 16)."""
        q1, q2, q3, q4 = x[:4]
        s01, s03, s32, s12 = x[4:].reshape(4, 3)
        A1, A3 = self.C01 @ rotation(EZ, q1), self.C03
        turned = A3 @ self.C32 @ rotation(EZ, q2)
        r2 = s03 + A3 @ (EZ * q4 + s32)
        one, two = Side(s01, A1, s12), Side(r2, turned @ rotation(EY, q3), self.s21)
        rows = spherical(one, two)
        q = [rows.pi[0] @ self.C01 @ EZ, rows.pi[1] @ A3 @ self.C32 @ EZ, rows.pi[1] @ turned @ EY, rows.r[1] @ A3 @ EZ]
        return rows.value, np.column_stack([*q, rows.r[0], rows.r[1], rows.r[1] @ A3, rows.s[0]])


class McPherson:
    """Unknowns: the rotation of the wheel carrier, q2, q3, s'12RS, s'21RS, s'12TD, s'21TD, l_RS, l_TD.

    The rotation is either four Euler parameters, as in the text: not normalised, their columns those of unit ones,
    2 C E(p), and p.p = 1 a fourth equation; or v in A = A0 exp(v~), with three equations.
    """

    def __init__(self, design, A0=None):
        """Take data at a design q = (e0..e3, q2, q3), with A0 (3, 3) for the unknown v."""
        told = MCPHERSON["conventions"]
        data = told["data"]
        self.A0 = A0
        self.C_RS, self.h_TD = np.array(told["C12RS"]), np.array(told["C12TD"])[:, 2]
        self.C_ST, self.s_ST = rotation(EZ, np.pi / 2), np.array(MCPHERSON["recovered"]["s12ST_new"])
        self.r1 = np.array(told["r1"])
        s = np.concatenate([data[name] for name in ("s12RS", "s21RS", "s12TD", "s21TD")])
        turn = design[:4] if A0 is None else np.zeros(3)
        self.start = np.concatenate([turn, design[4:], s, [data["lRS"], data["lTD"]]])
        self.turns = len(turn)

    def rotated(self, turn):
        """The orientation of the carrier and the columns of its turn pi."""
        if self.A0 is not None:
            A = self.A0 @ quaternion_rotation(quaternion_exp(turn))
            return A, self.A0 @ np.linalg.inv(inverse_left_jacobian(turn))
        return self.C_ST @ quaternion_rotation(turn), 2.0 * self.C_ST @ semi_rotation(turn)

    def __call__(self, x):
        n = self.turns
        turn, (q2, q3), s, (l_RS, l_TD) = x[:n], x[n : n + 2], x[n + 2 : -2].reshape(4, 3), x[-2:]
        A2, pi = self.rotated(turn)
        arm = A2 @ EZ * q2
        r2 = self.r1 + self.s_ST + arm
        at_RS = Side(self.r1, np.eye(3), s[0], self.C_RS), Side(r2, A2, s[1])
        at_TD = Side(self.r1, np.eye(3), s[2] + self.h_TD * q3), Side(r2, A2, s[3])
        phi, J = [], []
        for k, rows in enumerate([dot_2(at_RS[0], EZ, at_RS[1]), distance(*at_RS, l_RS), distance(*at_TD, l_TD)]):
            columns = np.zeros((1, len(x)))
            columns[:, :n] = rows.pi[1] @ pi + rows.r[1] @ cross(pi.T, arm).T
            columns[:, n] = rows.r[1] @ A2 @ EZ
            columns[:, n + 1] = rows.s[0] @ self.h_TD if k == 2 else 0.0
            first = n + 2 + (6 if k == 2 else 0)
            columns[:, first : first + 6] = np.column_stack(rows.s)
            columns[:, len(x) - (1 if k == 2 else 2)] = rows.length
            phi.append(rows.value)
            J.append(columns)
        if self.A0 is None:  # p.p = 1
            phi.append(np.array([turn @ turn - 1.0]))
            J.append(np.concatenate([2.0 * turn, np.zeros(len(x) - 4)])[None])
        return np.concatenate(phi), np.concatenate(J)


def semi_rotation(p):
    """E(p) of (40)."""
    e0, e1, e2, e3 = p
    return np.array([[-e1, e0, -e3, e2], [-e2, e3, e0, -e1], [-e3, -e2, e1, e0]])


def freed(problem, unknowns):
    """A problem in some of its unknowns, the others as they start; its constraints and its start."""
    chosen = np.r_[tuple(unknowns)]

    def constraints(x):
        whole = problem.start.copy()
        whole[chosen] = x
        phi, J = problem(whole)
        return phi, J[:, chosen]

    return constraints, problem.start[chosen]
