"""What `kinetab check` has to say about static deflections: how large they are, and what tables make of them.

Tables about zero of Taylor order n would balance the forces at deflections d + e instead of d.  To first order, with
the forces Q_n of their polynomials and the exact stiffness K at the exact equilibrium, where Q = 0,

    K e = Q_n(d)                                                                            (1)

About the static deflection this error is none; a load that deflects as far again brings it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from precompute.arrays import Array
from precompute.coordinates.independent import Coordinates
from precompute.kinematics.assembly import Configuration
from precompute.kinematics.continuation import follow
from precompute.model.mechanism import Mechanism, TableSettings
from precompute.reduction.exact_rest import ExactRest
from precompute.reduction.expansion import static_rest
from precompute.reduction.rest_forces import rest_forces
from precompute.reduction.rest_laws import Laws, laws_of
from precompute.reduction.statics import StaticsError
from precompute.tables.field_data import Asked, FieldData, Term, evaluate_fields
from precompute.tables.fields import Fields
from precompute.units import Units

ORDERS = (1, 2, 3)

PAYS = 2e-4
"""Of the deflection: errors from which on something better is recommended.  At two or three times the static load,
where suspensions are looked at, they are five to ten times as large."""


@dataclass(frozen=True)
class Deflected:
    """A stiff direction at rest."""

    name: str
    deflection: float  # [m or rad]
    is_angle: bool

    def text(self, units: Units) -> str:
        """In words, in the units of the file."""
        return f"{units.shown(abs(self.deflection), 'angle' if self.is_angle else 'length', 3)} ({self.name})"


@dataclass(frozen=True)
class ExpansionReport:
    """Static deflections, and what tables about zero would miss of them."""

    largest: tuple[Deflected, ...]  # of lengths, and of angles
    errors: tuple[float, ...]  # of ORDERS, over the deflection
    settings: TableSettings

    def text(self, units: Units) -> list[str]:
        """In words, in the units of the file."""
        shown = [each.text(units) for each in self.largest]
        first, *others = (f"{100 * e:.2g} %" for e in self.errors)
        more = [f"{e} with {order}" for order, e in zip(ORDERS[1:], others, strict=True)]
        missed = ", ".join((f"{first} of it with taylor = {ORDERS[0]}", *more))
        lines = [f"  at rest up to {', '.join(shown)}; tables about zero miss {missed}"]
        return [*lines, *(f"  {line}" for line in self.advice())]

    def advice(self) -> list[str]:
        """What would pay."""
        settings, missed = self.settings, self.errors[ORDERS.index(self.settings.taylor)]
        better = [order for order in ORDERS if self.errors[order - 1] < missed]
        found = []
        if settings.about == "static":
            found.append("tables are expanded about it, as the file asks")
        elif missed > PAYS:
            found.append('recommended: tables.about = "static", which misses nothing of it')
        if missed > PAYS and better:
            order = next((order for order in better if self.errors[order - 1] <= PAYS), better[-1])
            found.append(
                f"recommended for loads that deflect as far again: tables.taylor = {order}, "
                f"{100 * self.errors[order - 1]:.2g} % instead of {100 * missed:.2g} %"
            )
        return found


def expansion_report(
    mechanism: Mechanism, coordinates: Coordinates, fields: Fields, design: Configuration
) -> ExpansionReport | None:
    """Of the equilibrium in which the motion starts; None without stiff directions, or where there is none."""
    if not coordinates.stiff:
        return None
    try:
        rest = static_rest(mechanism, coordinates, design)
    except StaticsError:
        return None
    full, nf = coordinates.full, len(coordinates.free)
    laws, d = laws_of(rest.mechanism, full.poses(design.q), rest.settling), rest.z[nf:]
    about = follow(full, rest.q[None], rest.z[None], np.concatenate([rest.z[:nf], np.zeros(d.size)])[None])
    size = np.abs(d * full.coordinate_weight[nf:]).max()
    if not about.reached[0] or size == 0.0:
        return None
    K = rest_forces(full, laws, mechanism.ports, rest.q[None]).K[0, nf:, nf:]
    data = evaluate_fields(full, fields, about.q, every_derivative(mechanism, fields, laws))
    errors = []
    for order in ORDERS:
        missed = np.linalg.solve(K, polynomial_force(mechanism, fields, laws, Polynomials(data, d, order)))  # (1)
        errors.append(float(np.abs(missed * full.coordinate_weight[nf:]).max() / size))
    return ExpansionReport(largest(coordinates, rest), tuple(errors), mechanism.tables)


def largest(coordinates: Coordinates, rest: ExactRest) -> tuple[Deflected, ...]:
    """The largest deflection of lengths, and of angles."""
    nf, mechanism = len(coordinates.free), coordinates.closure.mechanism
    turns = [c.is_angle(mechanism) for c in coordinates.stiff]
    every = [Deflected(*each) for each in zip(coordinates.all_names[nf:], rest.z[nf:].tolist(), turns, strict=True)]
    kinds = ([each for each in every if each.is_angle == angle] for angle in (False, True))
    return tuple(max(own, key=lambda each: abs(each.deflection)) for own in kinds if own)


def every_derivative(mechanism: Mechanism, fields: Fields, laws: Laws) -> Asked:
    """All Taylor coefficients up to the highest order of what forces act through."""
    ports = [fields.markers[i] for i in port_markers(mechanism)]
    turning = [f for marker in ports for f in marker.A]
    plain = [fields.find(on) for on in laws.measures] + [f for part in fields.moment for f in part]
    plain += [f for marker in ports for f in marker.r]
    every = range(fields.ns)
    beyond: set[Term] = {(f, own) for f in plain for own in combinations_with_replacement(every, 3)}
    beyond |= {(f, own) for f in turning for own in combinations_with_replacement(every, 2)}
    stiff = tuple(range(fields.nf, fields.nf + fields.ns))
    return Asked(frozenset((*plain, *turning)), frozenset(plain), stiff, frozenset(beyond))


def port_markers(mechanism: Mechanism) -> list[int]:
    """The number of each port's marker."""
    names = [marker.name for marker in mechanism.markers]
    return [names.index(port.marker) for port in mechanism.ports]


@dataclass(frozen=True, eq=False)
class Polynomials:
    """Taylor polynomials of fields at one configuration, deflected by d."""

    data: FieldData
    d: Array  # (ns,)
    order: int

    def value(self, f: int, order: int) -> float:
        """Of a field, of an order of its own."""
        terms = (own for n in range(order + 1) for own in combinations_with_replacement(range(self.d.size), n))
        return sum(float(self.data.coefficient(f, own)[0]) * float(np.prod(self.d[list(own)])) for own in terms)

    def slopes(self, f: int) -> Array:
        """(ns,) of a field."""
        found = np.zeros(self.d.size)
        for n in range(1, self.order + 1):
            for own in combinations_with_replacement(range(self.d.size), n):
                c = float(self.data.coefficient(f, own)[0])
                for place, i in enumerate(own):
                    found[i] += c * float(np.prod(self.d[list(own[:place] + own[place + 1 :])]))
        return found


def polynomial_force(mechanism: Mechanism, fields: Fields, laws: Laws, at: Polynomials) -> Array:
    """(ns,) generalized forces at rest on the stiff coordinates, as tables have them."""
    numbers = [fields.find(on) for on in laws.measures]
    s = np.array([at.value(f, at.order) for f in numbers])
    Q = sum((f * at.slopes(n) for f, n in zip(laws.force(s), numbers, strict=True)), np.zeros(at.d.size))
    for g, part in zip(mechanism.gravity, fields.moment, strict=True):
        Q = Q + sum((g * at.slopes(f) for f in part), np.zeros(at.d.size))
    for port, number in zip(mechanism.ports, port_markers(mechanism), strict=True):
        marker = fields.markers[number]
        Q = Q + sum((F * at.slopes(f) for F, f in zip(port.force, marker.r, strict=True)), np.zeros(at.d.size))
        Q = Q + np.array(port.moment) @ turning(fields, marker.A, at)
    return np.asarray(Q)


def turning(fields: Fields, A: Sequence[int], at: Polynomials) -> Array:
    """(3, ns) angular velocities of a marker per unit rate of the stiff coordinates."""
    numbers = np.array(A).reshape(3, -1)[:, fields.nf :]
    return np.array([[at.value(int(f), max(at.order - 1, 1)) for f in row] for row in numbers])
