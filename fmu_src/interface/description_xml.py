"""The model description: what the FMU by pythonfmu and the native one have in common, which is nearly all.

A frame without variables, from pythonfmu or `native_build`, is completed with units, bounds, nominal values,
dependencies and capabilities.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from .. import __version__
from ..model.reduced_model import ReducedModel
from ..model.units import unit
from .variable import Variable

CAPABILITIES = {
    "needsExecutionTool": "false",
    "canHandleVariableCommunicationStepSize": "true",
    "canGetAndSetFMUstate": "true",
    "canSerializeFMUstate": "true",
}


LOG_CATEGORIES = {
    "logStatusWarning": "Log messages with fmi2Warning status.",
    "logStatusDiscard": "Log messages with fmi2Discard status.",
    "logStatusError": "Log messages with fmi2Error status.",
    "logStatusFatal": "Log messages with fmi2Fatal status.",
    "logAll": "Log all messages.",
}


def model_identifier(name: str) -> str:
    """A C identifier made from a model's name, for file and module names."""
    identifier = re.sub(r"\W", "_", name, flags=re.ASCII)
    return identifier if re.match(r"[A-Za-z_]", identifier) else f"_{identifier}"


def complete(root: Element, model: ReducedModel, table: Sequence[Variable], guid: str) -> Element:
    """Complete the description of an FMU without variables.

    Args:
        root: the element `fmiModelDescription`; changed in place.
        model: the model.
        table: its variables.
        guid: identity of the FMU's content.
    """
    root.set("modelName", model.name)
    root.set("guid", guid)
    frame = root.get("generationTool")
    root.set("generationTool", f"kinetab {__version__}" + (f" with {frame}" if frame else ""))
    root.set("license", "see documentation/licenses for the code inside; the model is its author's")
    root.attrib.pop("generationDateAndTime", None)  # or else the same mechanism would give other bytes tomorrow
    simulation = root.find("CoSimulation")
    variables, structure = root.find("ModelVariables"), root.find("ModelStructure")
    assert simulation is not None and variables is not None and structure is not None
    for name, value in CAPABILITIES.items():
        simulation.set(name, value)
    for old in root.findall("LogCategories"):
        root.remove(old)
    place = list(root).index(simulation) + 1
    root.insert(place, unit_definitions(table))
    root.insert(place + 1, log_categories())
    variables.extend(scalar_variable(variable, reference) for reference, variable in enumerate(table))
    structure.clear()
    structure.extend(model_structure(table))
    return root


def log_categories() -> Element:
    """Element LogCategories; fmi2.c knows the same names."""
    root = Element("LogCategories")
    for name, text in LOG_CATEGORIES.items():
        SubElement(root, "Category", name=name, description=text)
    return root


def unit_definitions(table: Sequence[Variable]) -> Element:
    """Element UnitDefinitions with every unit that the variables use."""
    root = Element("UnitDefinitions")
    for name in sorted({variable.unit for variable in table if variable.unit}):
        definition = unit(name)
        node = SubElement(root, "Unit", name=name)
        if definition.exponents is not None:
            SubElement(node, "BaseUnit", {base: str(power) for base, power in definition.exponents.items()})
        if definition.display is not None:
            SubElement(node, "DisplayUnit", name=definition.display.name, factor=repr(definition.display.factor))
    return root


def scalar_variable(variable: Variable, reference: int) -> Element:
    """Element ScalarVariable."""
    node = Element("ScalarVariable", name=variable.name, valueReference=str(reference))
    node.set("description", variable.description)
    node.set("causality", variable.causality)
    node.set("variability", variable.variability)
    if variable.initial is not None:
        node.set("initial", variable.initial)
    real = SubElement(node, "Real")
    if variable.unit:
        real.set("unit", variable.unit)
    if variable.display_unit is not None:
        real.set("displayUnit", variable.display_unit)
    for key, value in (
        ("min", variable.minimum),
        ("max", variable.maximum),
        ("nominal", variable.size),
        ("start", variable.start),
    ):
        if value is not None:
            real.set(key, repr(float(value)))
    return node


def model_structure(table: Sequence[Variable]) -> list[Element]:
    """Elements Outputs and InitialUnknowns, with all dependencies."""
    index = {variable.name: i for i, variable in enumerate(table, start=1)}
    outputs, unknowns = Element("Outputs"), Element("InitialUnknowns")
    for variable in table:
        if variable.causality != "output":
            continue
        for parent, names in ((outputs, variable.depends_on), (unknowns, variable.depends_initially_on)):
            unknown = SubElement(parent, "Unknown", index=str(index[variable.name]))
            if names is not None:  # without a list it depends on everything
                numbers = sorted(index[name] for name in names)
                unknown.set("dependencies", " ".join(map(str, numbers)))
                unknown.set("dependenciesKind", " ".join(["dependent"] * len(numbers)))
    return [outputs, unknowns]


def content_guid(folder: str | Path) -> str:
    """A GUID that is the hash of all files of a folder, so that equal content has equal identity."""
    folder = Path(folder)
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{path.relative_to(folder).as_posix()} {content}\n".encode())
    return guid_text(digest.hexdigest())


def guid_text(text: str) -> str:
    """The first 32 hexadecimal digits of a text in the form of a GUID."""
    return f"{{{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:32]}}}"
