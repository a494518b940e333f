"""Elements with formulas where their measures count otherwise: in a mechanism that is mirrored, moved or drawn anew.

In place of a measure s there is s' = sign s + shift.  Formulas go on with what they had, and so read

    s = sign (s' - shift),   s_rate = sign s'_rate,   and the force on s' is sign times that on s       (1)

so that parameters, states and outputs are as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from precompute.formulas.interfaces import RATE
from precompute.formulas.syntax import FormulaError, renamed
from precompute.measures.interfaces import Images
from precompute.measures.measure import Image, Measure
from precompute.model.devices import Device, DeviceForce

Counted = Mapping[str, Mapping[str, Image]]
"""By element and symbol: what is in place of its measures."""


def images_of(devices: Mapping[str, Device], image: Callable[[Measure], Image]) -> Counted:
    """What is in place of the measures of some elements."""
    return {name: {symbol: image(on) for symbol, on in device.on} for name, device in devices.items()}


def device_image(there: Images, name: str, device: Device, devices: Mapping[str, Device]) -> Device:
    """The image of an element in a mechanism placed elsewhere.

    Args:
        there: what makes images of measures, and names.
        name: of the image.
        device: the element.
        devices: the elements that have images, by name.
    """
    images = images_of({**devices, device.name: device}, lambda on: on.image(there))
    found = reread(device, images, lambda owner: there.name("element", owner))
    loads = tuple(replace(own, load=f"joint.{there.name('joint', own.cam)}.normal") for own in device.loads)
    return replace(found, name=name, loads=loads)


def reread(device: Device, images: Counted, name: Callable[[str], str] = str) -> Device:
    """An element on the images of its measures, with formulas that go on with what they had.

    Args:
        device: the element.
        images: of its own measures, and of those of others whose measures have images.
        name: what another element is called there.
    """
    own = images[device.name]

    def word(text: str) -> str:
        owner, dot, symbol = text.partition(".")
        return read(f"{name(owner)}.{symbol}", images.get(owner, {}), symbol) if dot else read(text, own, text)

    def formula(text: str) -> str:
        try:
            return renamed(text, word)
        except FormulaError:  # a mistake, which is told of the original
            return text

    return replace(
        device,
        on=tuple((symbol, own[symbol].of) for symbol, _ in device.on),
        states=tuple(replace(state, rate=formula(state.rate)) for state in device.states),
        unknowns=tuple(replace(unknown, residual=formula(unknown.residual)) for unknown in device.unknowns),
        forces=tuple(_force(force, formula(force.formula), own) for force in device.forces),
        outputs=tuple(replace(output, formula=formula(output.formula)) for output in device.outputs),
    )


def read(word: str, images: Mapping[str, Image], symbol: str) -> str:
    """What a formula reads in place of a word: by (1), if its symbol is a measure or the rate of one."""
    rate = symbol not in images and symbol.endswith(RATE)
    image = images.get(symbol.removesuffix(RATE) if rate else symbol)
    if image is None:
        return word
    shift = 0.0 if rate else image.shift
    if image.sign > 0.0:
        return f"({word} {'-' if shift > 0.0 else '+'} {abs(shift)!r})" if shift else word
    return f"({shift!r} - {word})" if shift else f"(-{word})"


def _force(force: DeviceForce, formula: str, images: Mapping[str, Image]) -> DeviceForce:
    turned = force.on in images and images[force.on].sign < 0.0
    return DeviceForce(force.on, f"-({formula})") if turned else DeviceForce(force.on, formula)
