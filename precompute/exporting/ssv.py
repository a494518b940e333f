"""Parameter sets of SSP 1.0, SSV, which other tools edit and apply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, indent, register_namespace, tostring

from fmu_src.interface.variable import Variable
from fmu_src.model.units import exponents

STANDARD = "http://ssp-standard.org/SSP1/SystemStructure"
SPACES = {"ssd": "Description", "ssc": "Common", "ssv": "ParameterValues"}


@dataclass(frozen=True)
class Entry:
    """A parameter with its value."""

    name: str
    type: str  # "Real" and so on
    value: str
    unit: str | None


def tag(name: str) -> str:
    """`ssd:System` with its name space."""
    prefix, _, local = name.partition(":")
    return f"{{{STANDARD}{SPACES[prefix]}}}{local}"


def xml_text(root: Element) -> str:
    """A whole file; names from files are escaped."""
    for prefix, space in SPACES.items():
        register_namespace(prefix, STANDARD + space)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def parameter_set(name: str, entries: Iterable[Entry], units: Mapping[str, Mapping[str, float]]) -> Element:
    """A set.

    Args:
        name: of the set.
        entries: what is in it; units that are not among `units` are left out.
        units: unit -> exponents of base units, factor and offset.
    """
    root = Element(tag("ssv:ParameterSet"), version="1.0", name=name)
    parameters = SubElement(root, tag("ssv:Parameters"))
    used = {}
    for entry in entries:
        own = SubElement(parameters, tag("ssv:Parameter"), name=entry.name)
        value = SubElement(own, tag(f"ssv:{entry.type}"), value=entry.value)
        if entry.type == "Real" and entry.unit in units:
            value.set("unit", entry.unit or "")
            used[entry.unit or ""] = units[entry.unit or ""]
    add_units(root, "ssv:Units", used)
    return root


def add_units(root: Element, name: str, units: Mapping[str, Mapping[str, float]]) -> None:
    """Definitions of units, if there are any; what has its usual value is left out."""
    if units:
        listed = SubElement(root, tag(name))
        for unit, definition in units.items():
            base = SubElement(SubElement(listed, tag("ssc:Unit"), name=unit), tag("ssc:BaseUnit"))
            for key, value in definition.items():
                if value != (1.0 if key == "factor" else 0.0):
                    base.set(key, repr(float(value)) if key in ("factor", "offset") else str(int(value)))


def ssv(name: str, table: Sequence[Variable]) -> str:
    """All parameters of an FMU of ours, and inputs with a start value, in SI."""
    shown = [v for v in table if v.causality != "output" and v.start is not None]
    units = {v.unit: exponents(v.unit) or {} for v in shown if v.unit not in ("", "1")}
    entries = [Entry(v.name, "Real", repr(float(v.start or 0.0)), v.unit) for v in shown]
    return xml_text(parameter_set(name, entries, units))
