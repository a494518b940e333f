"""All force laws of a mechanism at rest, and of one that moves, over whole batches of what they measure.

A measure s_k has the force f_k, positive if it makes s_k grow.  Of all laws, the straight ones are added up,

    f = f_0 - K s + bends(s) + devices(s)                                                   (1)

and the bent ones (stops, tables) are evaluated one by one.  Moments about axes, of bushings with Cardan angles, are
forces G^T m on the angles in place of m.  The laws are those of the FMU (`fmu_src.model.laws`), at
rest: a damper gives what its curve has at zero rate.  Elements with formulas are in the states in which they rest, see
`rest_devices`.  In motion all are evaluated one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fmu_src.model.cardan import on_angles, turning_slopes
from fmu_src.model.laws import forces, is_linear, law_force, law_slopes
from fmu_src.model.reduced_model import Coupling, Element, Law
from precompute.arrays import Array
from precompute.kinematics.poses import Poses
from precompute.measures.bushing_deflection import BushingDeflection
from precompute.model.mechanism import Measure, Mechanism
from precompute.reduction.devices import device_elements, devices
from precompute.reduction.elements import ParameterList, cardan_bushings, force_elements
from precompute.reduction.rest_devices import RestDevices


@dataclass(frozen=True, eq=False)
class Bend:
    """A law that is not straight."""

    measure: int
    law: Law


@dataclass(frozen=True, eq=False)
class Moments:
    """Of a bushing with Cardan angles: m = m_0 - K s + bends(s) about its axes, with its six deflections s."""

    measures: tuple[int, ...]  # 6
    constant: Array  # (3,) m_0 [N m]
    stiffness: Array  # (3, 6) K
    bends: tuple[tuple[int, Law], ...]  # by angle


@dataclass(frozen=True, eq=False)
class Laws:
    """Force laws on nm measures."""

    measures: tuple[Measure, ...]  # nm, each once, or one for every element
    elements: tuple[Element, ...]  # ne
    acts_on: tuple[int, ...]  # (ne,) the measure of each element
    parameters: tuple[float, ...]
    constant: Array  # (nm,) f_0 of (1) [N or N m]
    stiffness: Array  # (nm, nm) K of (1)
    bends: tuple[Bend, ...]
    moments: tuple[Moments, ...] = ()
    couplings: tuple[Coupling, ...] = ()  # between elements
    cardans: tuple[int, ...] = ()  # first elements of bushings with Cardan angles
    at_rest: RestDevices | None = None  # None: there are no devices

    def moving(self, s: Array, rate: Array) -> Array:
        """Forces (n, ne) of laws on the measure of each element, at s and its rate (n, nm)."""
        on = list(self.acts_on)
        pairs = zip(s[:, on].tolist(), rate[:, on].tolist(), strict=True)
        found = [forces(self, self.parameters, *pair) for pair in pairs]
        return np.array(found, dtype=float).reshape(len(s), len(on))

    def force(self, s: Array) -> Array:
        """Forces (..., nm) at s (..., nm), by (1)."""
        found = self.constant - s @ self.stiffness.T
        for bend in self.bends:
            found[..., bend.measure] += self._each(bend.law, s[..., bend.measure], slope=False)
        for own in self.moments:
            a, m = s[..., own.measures[3:]], self._about_axes(own, s)
            found[..., own.measures[3:]] += _turned(on_angles, a, m) - m
        return found if self.at_rest is None else found + self.at_rest.force(s)

    def slope(self, s: Array) -> Array:
        """df/ds (..., nm, nm); of one side, where a law has a corner."""
        found = np.array(np.broadcast_to(-self.stiffness, (*s.shape, s.shape[-1])))
        for bend in self.bends:
            found[..., bend.measure, bend.measure] += self._each(bend.law, s[..., bend.measure], slope=True)
        for own in self.moments:
            a, m, angles = s[..., own.measures[3:]], self._about_axes(own, s), np.array(own.measures[3:])
            dm = np.array(np.broadcast_to(-own.stiffness, (*s.shape[:-1], 3, 6)))
            for i, law in own.bends:
                dm[..., i, 3 + i] += self._each(law, s[..., own.measures[3 + i]], slope=True)
            for column, measure in enumerate(own.measures):
                found[..., angles, measure] += _turned(on_angles, a, dm[..., column]) - dm[..., column]
            found[..., angles[:, None], angles] += _turned(turning_slopes, a, m)
        return found if self.at_rest is None else found + self.at_rest.slope(s)

    def _about_axes(self, own: Moments, s: Array) -> Array:
        """Moments (..., 3) about the axes of a bushing."""
        m = own.constant - s[..., own.measures] @ own.stiffness.T
        for i, law in own.bends:
            m[..., i] += self._each(law, s[..., own.measures[3 + i]], slope=False)
        return m

    def of_laws(self, laws: Sequence[Law], s: Array) -> Array:
        """Force (...) of some laws of one element at its own measure s (...)."""
        return sum((self._each(law, s, False) for law in laws), np.zeros(s.shape))

    def of_element(self, number: int, s: Array) -> tuple[Array, Array]:
        """Force and slope (...) of one element alone, without couplings, at s (..., nm)."""
        own, laws = s[..., self.acts_on[number]], self.elements[number].laws
        return self.of_laws(laws, own), sum((self._each(law, own, True) for law in laws), np.zeros(own.shape))

    def _each(self, law: Law, s: Array, slope: bool) -> Array:
        """One law over a batch: force, or slope."""
        flat = s.ravel().tolist()
        if slope:
            values = [law_slopes(law, self.parameters, x, 0.0)[0] for x in flat]
        else:
            values = [law_force(law, self.parameters, x, 0.0) for x in flat]
        return np.array(values, dtype=float).reshape(s.shape)


def laws_of(mechanism: Mechanism, design: Poses, settling: bool = True, apart: bool = False) -> Laws:
    """The laws of a mechanism without open preloads, at its assembled design.

    Args:
        mechanism: the mechanism.
        design: its poses there.
        settling: whether states of devices are at rest, or as they start.
        apart: whether every element has a measure of its own, also where some measure the same.
    """
    parameters = ParameterList()
    at_design = [float(element.on.value(design)) for element in mechanism.elements]
    elements, couplings = force_elements(mechanism, at_design, parameters)
    own = devices(mechanism, len(elements), parameters)
    elements += device_elements(mechanism)
    values = tuple(p.value for p in parameters.items)
    measures, acts_on = distinct(mechanism.acting)
    if apart:
        measures = own_measures(mechanism)
        acts_on = [*range(len(measures))]
    constant, K = np.zeros(len(measures)), np.zeros((len(measures), len(measures)))
    bends = []
    for element, k in zip(elements, acts_on, strict=True):
        for law in element.laws:
            if is_linear(law):
                constant[k] += law_force(law, values, 0.0, 0.0)
                K[k, k] -= law_slopes(law, values, 0.0, 0.0)[0]
            else:
                bends.append(Bend(k, law))
    for pair in couplings:
        a, b = acts_on[pair.a], acts_on[pair.b]
        K[a, b] += values[pair.stiffness]
        K[b, a] += values[pair.stiffness]
    cardans = cardan_bushings(mechanism, elements)
    return Laws(
        measures=tuple(measures),
        elements=tuple(elements),
        acts_on=tuple(acts_on),
        parameters=values,
        constant=constant,
        stiffness=K,
        bends=tuple(bends),
        moments=tuple(moments_of(first, elements, couplings, acts_on, values) for first in cardans),
        couplings=tuple(couplings),
        cardans=cardans,
        at_rest=RestDevices(own, tuple(elements), tuple(acts_on), values, settling) if own else None,
    )


def moments_of(
    first: int,
    elements: Sequence[Element],
    couplings: Sequence[Coupling],
    acts_on: Sequence[int],
    values: Sequence[float],
) -> Moments:
    """Of the bushing whose six elements begin with `first`; the measures of all elements, values of all parameters."""
    constant, K = np.zeros(6), np.zeros((6, 6))
    bends = []
    for i, element in enumerate(elements[first : first + 6]):
        for law in element.laws:
            if is_linear(law):
                constant[i] += law_force(law, values, 0.0, 0.0)
                K[i, i] -= law_slopes(law, values, 0.0, 0.0)[0]
            elif i >= 3:
                bends.append((i - 3, law))
    for pair in couplings:
        if first <= pair.a < first + 6:
            K[pair.a - first, pair.b - first] += values[pair.stiffness]
            K[pair.b - first, pair.a - first] += values[pair.stiffness]
    return Moments(tuple(acts_on[first : first + 6]), constant[3:], K[3:], tuple(bends))


def _turned(function: Callable[..., Sequence[float] | Sequence[Sequence[float]]], a: Array, m: Array) -> Array:
    """A function of angles and moments (..., 3) over a batch."""
    pairs = zip(a.reshape(-1, 3).tolist(), m.reshape(-1, 3).tolist(), strict=True)
    found = np.array([function(*pair) for pair in pairs], dtype=float)
    return found.reshape(*a.shape[:-1], *found.shape[1:])


def own_measures(mechanism: Mechanism) -> list[Measure]:
    """What elements act on, of every bushing its own deflections, also where it turns as another one does."""
    found, first = [*mechanism.acting], len(mechanism.elements)
    for k, bushing in enumerate(mechanism.bushings):
        found[first + 6 * k : first + 6 * k + 6] = [BushingDeflection(bushing.name, i) for i in range(6)]
    return found


def distinct(acting: Sequence[Measure]) -> tuple[list[Measure], list[int]]:
    """Measures, each once, and the number of each one's place among them."""
    found: list[Measure] = []
    numbers = []
    for measure in acting:
        at = next((i for i, known in enumerate(found) if known.same(measure)), len(found))
        if at == len(found):
            found.append(measure)
        numbers.append(at)
    return found, numbers
