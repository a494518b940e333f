"""From the file's elements with formulas to the devices of the run-time, with their parameters."""

from __future__ import annotations

from collections.abc import Mapping

from fmu_src.model.devices import (
    Connection,
    Device,
    DeviceInput,
    DeviceOutput,
    Formula,
    StateInfo,
    UnknownInfo,
)
from fmu_src.model.programs import Table
from fmu_src.model.reduced_model import Element
from precompute.errors import MechanismError
from precompute.formulas.linking import WHAT, Link, link
from precompute.model.mechanism import Mechanism
from precompute.reduction.elements import ParameterList


def device_links(mechanism: Mechanism) -> tuple[Link, ...]:
    """The elements of a mechanism, linked.

    Raises:
        MechanismError: with every mistake in their formulas.
    """
    links, problems = link(mechanism.devices, lambda measure: measure.unit(mechanism))
    if problems:
        raise MechanismError([str(problem) for problem in problems], f"mechanism '{mechanism.name}'")
    return links


def device_elements(mechanism: Mechanism) -> list[Element]:
    """A measure each that a device is connected to, in the order of `Mechanism.acting`; without laws."""
    return [
        Element(f"element.{device.name}.{symbol}", on.unit(mechanism), ())
        for device in mechanism.devices
        for symbol, on in device.on
    ]


def devices(mechanism: Mechanism, first: int, parameters: ParameterList) -> tuple[Device, ...]:
    """The devices of the run-time.

    Args:
        mechanism: whose formulas are sound.
        first: number of the first of `device_elements` among all elements.
        parameters: gets theirs, element by element.
    """
    own = {
        (device.name, p.name): parameters.add(
            f"element.{device.name}.{p.name}", p.value, p.unit or "1", p.text, p.minimum
        )
        for device in mechanism.devices
        for p in device.parameters
    }
    places = [(device.name, symbol) for device in mechanism.devices for symbol, _ in device.on]
    elements = {place: first + number for number, place in enumerate(places)}
    return tuple(_device(found, own, elements) for found in device_links(mechanism))


def _device(found: Link, parameters: Mapping[tuple[str, str], int], elements: Mapping[tuple[str, str], int]) -> Device:
    constants: list[float] = []
    formulas = []
    texts = {("outputs", e.name, o.name): f" ({o.text})" for e in found.elements for o in e.outputs if o.text}
    for formula in found.formulas:
        owner, kind, name = formula.key
        what = f"{WHAT[kind]} '{name}'{texts.get((kind, owner, name), '')}"
        formulas.append(Formula(owner, what, formula.program.moved(len(constants))))
        constants += formula.program.constants
    members = found.elements
    return Device(
        connections=tuple(
            Connection(f"{e.name}.{symbol}", elements[e.name, symbol], found.number(e.name, "forces", symbol))
            for e in members
            for symbol, _ in e.on
        ),
        states=tuple(
            StateInfo(f"{e.name}.{s.name}", s.unit or "1", s.start, s.text, found.number(e.name, "states", s.name))
            for e in members
            for s in e.states
        ),
        unknowns=tuple(
            UnknownInfo(
                f"{e.name}.{u.name}",
                u.unit or "1",
                u.start,
                u.nominal,
                u.text,
                found.number(e.name, "unknowns", u.name),
            )
            for e in members
            for u in e.unknowns
        ),
        parameters=tuple(parameters[e.name, p.name] for e in members for p in e.parameters),
        inputs=tuple(
            DeviceInput(f"{e.name}.{i.name}", i.unit or "1", i.value, i.minimum, i.maximum, i.text)
            for e in members
            for i in e.inputs
        ),
        constants=tuple(constants),
        tables=tuple(Table(tuple(t.x.tolist()), tuple(t.y.tolist())) for e in members for t in e.tables),
        formulas=tuple(formulas),
        inner=found.inner,
        outputs=tuple(
            DeviceOutput(f"{e.name}.{o.name}", o.unit or "1", o.text, found.number(e.name, "outputs", o.name))
            for e in members
            for o in e.outputs
        ),
    )
