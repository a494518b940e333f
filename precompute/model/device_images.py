"""Images of elements with formulas, where a mechanism is placed elsewhere: turned and moved, or mirrored.

A measure s has an image s' = sign s + shift.  The image of an element is connected to s', and its formulas read

    s = sign (s' - shift),   s_rate = sign s'_rate,   and the force on s' is sign times that on s       (1)

so that its parameters, states and outputs are those of the element itself in mirrored motion.  What is read of other
elements is read of their images.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from precompute.formulas.interfaces import RATE
from precompute.formulas.syntax import FormulaError, renamed
from precompute.measures.interfaces import Images
from precompute.measures.measure import Image
from precompute.model.devices import Device, DeviceForce


def device_image(there: Images, name: str, device: Device, devices: Mapping[str, Device]) -> Device:
    """The image of an element.

    Args:
        there: what makes images of measures, and names.
        name: of the image.
        device: the element.
        devices: the elements that have images, by name.
    """
    images = {symbol: on.image(there) for symbol, on in device.on}

    def word(text: str) -> str:
        owner, dot, symbol = text.partition(".")
        if not dot:
            return read(text, images, text)
        own = {s: on.image(there) for s, on in devices[owner].on} if owner in devices else {}
        return read(f"{there.name('element', owner)}.{symbol}", own, symbol)

    def formula(text: str) -> str:
        try:
            return renamed(text, word)
        except FormulaError:  # a mistake, which is told of the original
            return text

    return replace(
        device,
        name=name,
        on=tuple((symbol, images[symbol].of) for symbol, _ in device.on),
        states=tuple(replace(state, rate=formula(state.rate)) for state in device.states),
        unknowns=tuple(replace(unknown, residual=formula(unknown.residual)) for unknown in device.unknowns),
        forces=tuple(_force(force, formula(force.formula), images) for force in device.forces),
        outputs=tuple(replace(output, formula=formula(output.formula)) for output in device.outputs),
    )


def read(word: str, images: Mapping[str, Image], symbol: str) -> str:
    """What a formula reads in place of a symbol: by (1), if that is a measure or its rate."""
    rate = symbol not in images
    image = images.get(symbol.removesuffix(RATE) if rate else symbol)
    if image is None or (rate and not symbol.endswith(RATE)):
        return word
    shift = 0.0 if rate else image.shift
    if image.sign > 0.0:
        return f"({word} - {shift!r})" if shift else word
    return f"({shift!r} - {word})" if shift else f"(-{word})"


def _force(force: DeviceForce, formula: str, images: Mapping[str, Image]) -> DeviceForce:
    turned = force.on in images and images[force.on].sign < 0.0
    return DeviceForce(force.on, f"-({formula})") if turned else DeviceForce(force.on, formula)
