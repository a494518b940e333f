"""What elements with formulas do at a state of the full model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from precompute.arrays import Array
from precompute.errors import PrecomputeError
from precompute.formulas.interfaces import RATE
from precompute.reference.bodies import FullState
from precompute.reference.bushings import bushing_state
from precompute.reference.devices.attached import Devices
from precompute.reference.devices.formulas import Value
from precompute.reference.devices.reading import Formula, Pressing, Reading, Symbol, reading
from precompute.reference.inputs import Loads, check_names
from precompute.reference.measures import MeasureMotion
from precompute.reference.model import FullModel

DIFFERENCE, LEAST = 1e-6, 1e-3
"""Of states, for slopes of which only the size is asked: relative, and of which state at least."""


@dataclass(frozen=True, eq=False)
class Response:
    """What they do."""

    force: Array  # (nd,) on the measures that they are connected to, positive if it makes them grow [N or N m]
    rate: Array  # (nx,) of their states
    unknowns: Array  # (nu,)
    reading: Reading  # all that their formulas know

    @property
    def named(self) -> dict[str, float]:
        """All numbers by the names of the outputs of an FMU."""
        found = {}
        for device in self.reading.elements.items:
            names = [name for symbol, _ in device.on for name in (symbol, symbol + RATE)]
            names += [
                part.name for parts in (device.states, device.unknowns, device.loads, device.outputs) for part in parts
            ]
            for name in names:
                found[f"element.{device.name}.{name}"] = self.reading.of(device.name, name).real
            for force in device.forces:
                value = self.reading.formula(Formula(device.name, "forces", force.on)).real
                found[f"element.{device.name}.force.{force.on}"] = value
        return found


def respond(
    model: FullModel, state: FullState, measured: MeasureMotion, load: Loads, pressing: Pressing | None = None
) -> Response:
    """What they do at a state; elements that read loads also ask for what these come from.

    Raises:
        PrecomputeError: a formula has no value there; names it.
    """
    if model.devices.loads and pressing is None:
        symbol, name = model.devices.loads[0]
        raise PrecomputeError(f"element '{symbol.element}' reads '{name}', which the full model knows in motion alone")
    known = given(model, state, measured, load)
    found, unknowns = reading(model.devices.elements, known, state.guess.tolist(), pressing)
    rates = [found.formula(Formula(name, "states", state)).real for name, state in model.devices.states]
    return Response(forces(model.devices, found), np.array(rates, dtype=float), unknowns, found)


def quickest(state: FullState, respond: Callable[[FullState], Response]) -> float:
    """The largest rate at which states follow by themselves, while nothing else changes [1/s]: of an eigenvalue."""
    columns = []
    for k, x in enumerate(state.devices.tolist()):
        step = DIFFERENCE * max(abs(x), LEAST) * np.eye(state.devices.size)[k]
        ends = (replace(state, devices=state.devices + sign * step) for sign in (1.0, -1.0))
        plus, minus = (respond(end).rate for end in ends)
        columns.append((plus - minus) / (2.0 * step[k]))
    return float(np.abs(np.linalg.eigvals(np.array(columns).T)).max()) if columns else 0.0


def given(model: FullModel, state: FullState, measured: MeasureMotion, load: Loads) -> dict[Symbol, Value]:
    """Measures, rates, states, parameters and inputs."""
    s, rate = connected(model, state, measured)
    found: dict[Symbol, Value] = dict(zip(model.devices.symbols, s.tolist(), strict=True))
    rates = (Symbol(name, symbol + RATE) for name, symbol in model.devices.symbols)
    found |= dict(zip(rates, rate.tolist(), strict=True))
    found |= dict(zip(model.devices.states, state.devices.tolist(), strict=True))
    return found | constants(model.devices, load.devices)


def connected(model: FullModel, state: FullState, measured: MeasureMotion) -> tuple[Array, Array]:
    """(nd,) measures that they are connected to, and their rates."""
    devices, own = model.devices, model.of_devices
    s, rate = devices.formed @ measured.values[own], devices.formed @ measured.rates[own]
    if devices.deflected.any():
        at = bushing_state(model.bushings, state)
        s = s + np.einsum("kbi,bi->k", devices.deflected, at.deflection)
        rate = rate + np.einsum("kbi,bi->k", devices.deflected, at.rate)
    if devices.on_cams:
        told = model.couplings.followed(measured.values[model.of_couplings], measured.rates[model.of_couplings])
        values = np.array([told[of][:2] for of in devices.on_cams])
        s, rate = s + devices.cammed @ values[:, 0], rate + devices.cammed @ values[:, 1]
    return s, rate


def constants(devices: Devices, inputs: Mapping[str, float]) -> dict[Symbol, Value]:
    """Parameters, and inputs: those that are named "element.input", others as they start."""
    known = [f"{device.name}.{i.name}" for device in devices.items for i in device.inputs]
    check_names(inputs, known, "input of an element")
    found: dict[Symbol, Value] = {}
    for device in devices.items:
        found |= {Symbol(device.name, p.name): p.value for p in device.parameters}
        found |= {Symbol(device.name, i.name): inputs.get(f"{device.name}.{i.name}", i.value) for i in device.inputs}
    return found


def forces(devices: Devices, found: Reading) -> Array:
    """(nd,) on the measures."""
    keys = [Formula(name, "forces", symbol) for name, symbol in devices.symbols]
    return np.array([found.formula(key).real if key in devices.elements.trees else 0.0 for key in keys], dtype=float)
