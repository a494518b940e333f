"""One mechanism with the numbers of many designs: places have a leading axis of designs, (n, 1, 3) for (3,).

Configurations are (n, points, nq), so that what knows batches knows designs: poses, loops and measures are computed for
all of them at one go, each with its own numbers.  How the joints are connected is the same for all.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from precompute.arrays import Array
from precompute.design.jets import Jet
from precompute.design.part_places import EndPlaces
from precompute.design.places import Places
from precompute.kinematics.coefficients import Closure
from precompute.kinematics.loops import Rows
from precompute.kinematics.poses import Tree
from precompute.measures.held import Held
from precompute.model.mechanism import Combination, Joint, Measure, Mechanism

_Part = TypeVar("_Part")


class NotMany(Exception):
    """Why the designs of a mechanism cannot be computed at one go."""


def many(jet: Jet, rank: int = 1) -> Array:
    """Values (*s) of all designs, (n, 1, *s); (*s) of what is the same in all.  From `Origins.many`: the first is none.

    Of a scalar (n, 1).
    """
    value = jet.value
    if len(value) == 1 or (value == value[:1]).all():
        return value[0]
    s = value.shape[value.ndim - rank :] if rank else ()
    return value[1:].reshape(-1, 1, *s)


def with_numbers(part: _Part, **numbers: Any) -> _Part:
    """A part with numbers of many designs in place of its own, which were checked when it was made."""
    made = object.__new__(type(part))
    for each in fields(part):  # type: ignore[arg-type]
        object.__setattr__(made, each.name, numbers.get(each.name, getattr(part, each.name)))
    return made


def many_mechanism(mechanism: Mechanism, places: Places) -> Mechanism:
    """The joints, markers and wheels of many designs; what else there is has the numbers of the mechanism."""
    joints = tuple(many_joint(joint, places) for joint in mechanism.joints)
    markers = tuple(with_numbers(m, p=many(places.markers[m.name].p)) for m in mechanism.markers)
    wheels = []
    for wheel in mechanism.wheels:
        own = places.wheels[wheel.name]
        assert own.spin_axis is not None and own.radius is not None, "wheels have both"
        spin, radius = many(own.spin_axis), many(own.radius, rank=0)
        wheels.append(with_numbers(wheel, centre=many(own.p), spin_axis=spin, radius=radius))
    return with_numbers(mechanism, joints=joints, markers=markers, wheels=tuple(wheels))


def many_joint(joint: Joint, places: Places) -> Joint:
    """A joint of many designs."""
    own = places.joints[joint.name]
    primitives = tuple(
        p if axis is None else with_numbers(p, axis=many(axis))
        for p, axis in zip(joint.primitives, own.axes, strict=True)
    )
    return with_numbers(joint, p_P=many(own.p_P), p_C=many(own.p_C), primitives=primitives)


def many_measure(measure: Measure, places: Places) -> Measure:
    """A measure of many designs; those of joints, markers and wheels ask the mechanism.

    Raises:
        NotMany: it has no such form.
    """
    own = [_term(part, places) for _, part in measure.terms]
    return own[0] if len(own) == 1 else Combination(tuple(own), tuple(factor for factor, _ in measure.terms))


def _term(measure: Measure, places: Places) -> Measure:
    if measure.deflection is not None:
        frame = places.bushings[measure.deflection[0]]
        if many(frame.p).ndim > 1 or many(frame.R, rank=2).ndim > 2:
            raise NotMany(f"the {measure.name} is about a bushing that moves")
        return measure
    number = places.number(measure)
    return measure if number is None else _between(measure, places.measures[number])


def _between(measure: Measure, ends: EndPlaces) -> Measure:
    if ends.axis is not None:
        if many(ends.axis).ndim > 1:
            raise NotMany(f"the {measure.name} is about an axis that turns")
        return measure
    p_a, p_b = map(many, ends.points)
    return with_numbers(measure, p_a=p_a, p_b=p_b) if max(p_a.ndim, p_b.ndim) > 1 else measure


@dataclass(frozen=True, eq=False)
class ManyClosure(Closure):
    """The equations of many designs; lengths that weigh them are those of the mechanism."""

    plain: Closure = field(kw_only=True)
    rods: tuple[Held, ...] = field(kw_only=True)

    @classmethod
    def of(cls, plain: Closure, mechanism: Mechanism, places: Places) -> ManyClosure:
        """Of a closure and its mechanism with the numbers of many designs.

        Raises:
            NotMany: a coordinate, or what is held, has no such form.
        """
        if plain.mechanism.couplings or plain.mechanism.constraints:
            raise NotMany("couplings and constraints are held where each design is drawn")
        rods = []
        for rod, held in zip(plain.mechanism.rods, plain.held.all, strict=False):
            own = places.rods[rod.name]
            distance = with_numbers(held.measure, p_a=many(own.p_P), p_b=many(own.p_C))
            rods.append(replace(held, measure=distance, value=many(own.length, rank=0)))  # type: ignore[arg-type]
        coordinates = tuple(many_measure(c, places) for c in plain.coordinates)
        return cls(mechanism, plain.topology, coordinates, about=plain.about, plain=plain, rods=tuple(rods))

    @cached_property
    def length(self) -> float:
        """That of the mechanism [m]."""
        return self.plain.length

    @cached_property
    def gap_tolerance(self) -> float:
        """That of the mechanism [m]."""
        return self.plain.gap_tolerance

    @cached_property
    def held(self) -> Rows:
        """With the rods of the designs; links that may spin are held by their lines in the mechanism."""
        return Rows.of((*self.rods, *self.plain.held.all[len(self.rods) :]), self.topology)

    @cached_property
    def tree(self) -> Tree:
        """With the axes of the designs."""
        plain = self.plain.tree
        axes = [p.axis for joint in self.mechanism.joints for p in joint.primitives]
        rates = [p.rates for joint in self.mechanism.joints for p in joint.primitives]
        n = max((len(axis) for axis in axes if axis is not None and axis.ndim > 1), default=1)
        out = np.array(np.broadcast_to(plain.axes, (n, 1, *plain.axes.shape)))
        at = np.cumsum([0, *rates])
        for start, axis in zip(at, axes, strict=False):
            if axis is not None:
                out[..., start, :] = axis
        return replace(plain, mechanism=self.mechanism, axes=out)
