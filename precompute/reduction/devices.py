"""From the file's elements with formulas to the devices of the run-time, with their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fmu_src.model.devices import (
    Connection,
    Device,
    DeviceInput,
    DeviceLoad,
    DeviceOutput,
    Formula,
    StateInfo,
    UnknownInfo,
)
from fmu_src.model.programs import Table
from fmu_src.model.reduced_model import Element, ReducedModel
from precompute.errors import MechanismError
from precompute.formulas.linking import WHAT, Link, link
from precompute.model.devices import Device as FileDevice
from precompute.model.devices import DeviceLoad as FileLoad
from precompute.model.mechanism import Mechanism
from precompute.reduction.elements import ParameterList

UNPLACED = -1
"""Number of a load before it is known which loads there are."""


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
        )
        + tuple(_load_unknown(found, e.name, load) for e in members for load in e.loads),
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
        loads=tuple(
            DeviceLoad(UNPLACED, sum(len(e.unknowns) for e in members) + number)
            for number in range(sum(len(e.loads) for e in members))
        ),
    )


def _load_unknown(found: Link[FileDevice], element: str, load: FileLoad) -> UnknownInfo:
    """The unknown that a load is."""
    residual = found.number(element, "loads", load.name)
    return UnknownInfo(f"{element}.{load.name}", load.unit, 0.0, 1.0, f"Load {load.load}", residual)


def with_loads(model: ReducedModel, mechanism: Mechanism) -> ReducedModel:
    """The model with the places of the loads that its devices read.

    Raises:
        MechanismError: one of these is not defined.
    """
    known = {load.name: number for number, load in enumerate(model.loads)}
    names = {f"{d.name}.{own.name}": own.load for d in mechanism.devices for own in d.loads}
    lost = [f"elements.{at.replace('.', '.loads.')}" for at, load in names.items() if load not in known]
    if lost:
        text = "this load is not defined here: other constraints share it, or the joint is no cam"
        raise MechanismError([f"{at}: {text}" for at in lost], f"mechanism '{mechanism.name}'")
    return replace(
        model,
        devices=tuple(
            replace(
                device,
                loads=tuple(replace(own, load=known[names[device.unknowns[own.unknown].name]]) for own in device.loads),
            )
            for device in model.devices
        ),
    )
