"""What elements with formulas are connected to, as sums of what the full model measures.

Each term of a measure is either one of the model's own measures, with a gradient, or a deflection of a bushing, or what
a cam measures:

    s_k = sum_t formed_kt m_t + sum_bi deflected_kbi delta_bi + sum_c cammed_kc w_c         (1)

and a force f_k on s_k is formed_kt f_k on m_t, deflected_kbi f_k on delta_bi, and cammed_kc f_k on w_c.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from precompute.arrays import Array, frozen_array
from precompute.errors import PrecomputeError
from precompute.model.mechanism import Device, Measure, Mechanism
from precompute.reference.devices.reading import Elements, Symbol
from precompute.reference.measures import has_form


@dataclass(frozen=True, eq=False)
class Devices:
    """All elements with formulas of a model, and what they are connected to."""

    elements: Elements
    symbols: tuple[Symbol, ...]  # (nd,) of the measures s_k
    terms: tuple[Measure, ...]  # (nt,) measures of the model
    formed: Array  # (nd, nt) of (1)
    deflected: Array  # (nd, bushings, 6) of (1)
    on_cams: tuple[tuple[str, str], ...]  # (nc,) joints of cams, and what of them is measured
    cammed: Array  # (nd, nc) of (1)

    @property
    def items(self) -> tuple[Device, ...]:
        """The elements."""
        return self.elements.items

    @property
    def loads(self) -> tuple[tuple[Symbol, str], ...]:
        """(nl,) loads that formulas read, with the names of an FMU."""
        return tuple((Symbol(device.name, own.name), own.load) for device in self.items for own in device.loads)

    @property
    def states(self) -> tuple[Symbol, ...]:
        """(nx,) all states, element by element."""
        return tuple(Symbol(device.name, state.name) for device in self.items for state in device.states)

    @property
    def start(self) -> Array:
        """(nx,) where states start."""
        return np.array([state.start for device in self.items for state in device.states])

    @property
    def guess(self) -> Array:
        """(nu,) where the search for unknowns begins."""
        return np.array([unknown.start for device in self.items for unknown in device.unknowns])


def all_devices(mechanism: Mechanism) -> Devices:
    """Those of a mechanism.

    Raises:
        MechanismError: a text is no formula.
        PrecomputeError: the full model has no gradient of what one is connected to.
    """
    connected = [(Symbol(device.name, symbol), on) for device in mechanism.devices for symbol, on in device.on]
    bushings = [bushing.name for bushing in mechanism.bushings]
    terms = [term for _, on in connected for _, term in on.terms if has_form(term)]
    formed, deflected = np.zeros((len(connected), len(terms))), np.zeros((len(connected), len(bushings), 6))
    on_cams = [found for _, on in connected for _, term in on.terms if (found := term.contact_of) is not None]
    cammed = np.zeros((len(connected), len(on_cams)))
    number = cam = 0
    for k, (symbol, on) in enumerate(connected):
        for factor, term in on.terms:
            if term.deflection is not None:
                bushing, direction = term.deflection
                deflected[k, bushings.index(bushing), direction] += factor
            elif has_form(term):
                formed[k, number] += factor
                number += 1
            elif term.contact_of is not None:
                cammed[k, cam] += factor
                cam += 1
            else:
                raise PrecomputeError(
                    f"the full model has no gradient of the {term.name}, so that element '{symbol.element}' cannot act "
                    "on it"
                )
    return Devices(
        elements=Elements.of(mechanism.devices),
        symbols=tuple(symbol for symbol, _ in connected),
        terms=tuple(terms),
        formed=frozen_array(formed),
        deflected=frozen_array(deflected),
        on_cams=tuple(on_cams),
        cammed=frozen_array(cammed),
    )
