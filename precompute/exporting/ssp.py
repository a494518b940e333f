"""A system as an SSP 1.0 archive: SystemStructure.ssd, its FMUs, and a parameter set for each that has start values.

Names of elements and attributes are those of SystemStructureDescription.xsd of the standard.  What masters ask for
beyond it: prefixes as the standard writes them, plain names of files, and the same name for all parameter sets.
OMSimulator opens only files that hold its own annotation, which says how it is to step; the others pass over it.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, register_namespace

from precompute.exporting.joining import Connector, Joined
from precompute.exporting.ssv import Entry, add_units, parameter_set, tag, xml_text
from precompute.exporting.system import Value, split

START_VALUES = "initialValues"
"""Name of all parameter sets: ecos applies those of one name."""

OMSIMULATOR = "https://raw.githubusercontent.com/OpenModelica/OMSimulator/master/schema/oms.xsd"
TOLERANCES = {"absoluteTolerance": "0.0001", "relativeTolerance": "0.0001"}
"""Without meaning for OMSimulator's master with a fixed step, but they must be there."""

DATE = (1980, 1, 1, 0, 0, 0)
"""Of all files in the archive: the same system is the same file."""


def ssp(joined: Joined) -> bytes:
    """The archive."""
    system = joined.system
    files = _plain_names(dict.fromkeys(path.resolve() for path in system.fmus.values()))
    sets = {name: f"resources/{name}.ssv" for name in system.fmus if joined.values[name]}
    sources = {name: f"resources/{files[path.resolve()]}" for name, path in system.fmus.items()}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        _write(archive, "SystemStructure.ssd", xml_text(structure(joined, sources, sets)).encode())
        for name, file in sets.items():
            entries = [_entry(*found) for found in joined.values[name]]
            _write(archive, file, xml_text(parameter_set(START_VALUES, entries, joined.units)).encode())
        for path, file in files.items():
            _write(archive, f"resources/{file}", path.read_bytes(), zipfile.ZIP_STORED)  # it is compressed
    return stream.getvalue()


def _write(archive: zipfile.ZipFile, name: str, data: bytes, how: int = zipfile.ZIP_DEFLATED) -> None:
    archive.writestr(zipfile.ZipInfo(name, DATE), data, how)


def _plain_names(paths: Mapping[Path, None]) -> dict[Path, str]:
    """Names in the archive without what URIs must escape, each once; letters of both cases may be the same."""
    found: dict[Path, str] = {}
    for path in paths:
        stem = re.sub(r"[^A-Za-z0-9_-]+", "_", path.stem).strip("_") or "fmu"
        name, count = f"{stem}.fmu", 1
        while name.lower() in (other.lower() for other in found.values()):
            count += 1
            name = f"{stem}_{count}.fmu"
        found[path] = name
    return found


def structure(joined: Joined, sources: Mapping[str, str], sets: Mapping[str, str]) -> Element:
    """SystemStructure.ssd.

    Args:
        joined: the system.
        sources: of each instance, its FMU in the archive.
        sets: of each that has one, its parameter set.
    """
    register_namespace("oms", OMSIMULATOR)
    system = joined.system
    root = Element(tag("ssd:SystemStructureDescription"), name=system.name, version="1.0")
    root.set("generationTool", "kinetab")
    top = SubElement(root, tag("ssd:System"), name=system.name)
    elements = SubElement(top, tag("ssd:Elements"))
    for name, source in sources.items():
        component = SubElement(elements, tag("ssd:Component"), name=name, type="application/x-fmu-sharedlibrary")
        component.set("source", source)
        component.set("implementation", "CoSimulation")
        _add_connectors(component, joined, name)
        if name in sets:
            bindings = SubElement(component, tag("ssd:ParameterBindings"))
            SubElement(bindings, tag("ssd:ParameterBinding"), source=sets[name])
    if system.connections:
        connections = SubElement(top, tag("ssd:Connections"))
        for (start, out), (end, into) in (map(split, pair) for pair in system.connections):
            ends = {"startElement": start, "startConnector": out, "endElement": end, "endConnector": into}
            SubElement(connections, tag("ssd:Connection"), ends)
    _add_annotation(top, system.step_size)
    add_units(root, "ssd:Units", joined.units)
    SubElement(root, tag("ssd:DefaultExperiment"), startTime="0.0", stopTime=repr(system.stop_time))
    return root


def _add_connectors(component: Element, joined: Joined, name: str) -> None:
    """Connected variables with type and unit; of enumerations the FMU says what they are."""
    if joined.connectors[name]:
        connectors = SubElement(component, tag("ssd:Connectors"))
        for one in joined.connectors[name]:
            connector = SubElement(connectors, tag("ssd:Connector"), name=one.name, kind=one.kind)
            if one.type != "Enumeration":
                shown = SubElement(connector, tag(f"ssc:{one.type}"))
                if one.type == "Real" and one.unit in joined.units:
                    shown.set("unit", one.unit or "")


def _entry(connector: Connector, value: Value) -> Entry:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return Entry(
        connector.name, connector.type, repr(float(value)) if connector.type == "Real" else text, connector.unit
    )


def _add_annotation(system: Element, step: float) -> None:
    """What OMSimulator needs to open the file."""
    annotations = SubElement(system, tag("ssd:Annotations"))
    node = SubElement(annotations, tag("ssc:Annotation"), type="org.openmodelica")
    for name in ("Annotations", "SimulationInformation"):
        node = SubElement(node, f"{{{OMSIMULATOR}}}{name}")
    how = {"description": "oms-ma", "stepSize": f"{step:g}", **TOLERANCES}
    SubElement(node, f"{{{OMSIMULATOR}}}FixedStepMaster", how)
