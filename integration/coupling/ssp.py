"""A system as an SSP archive: the file that libcosim, ecos, FMPy, OMSimulator and other masters open as a whole.

OMSimulator opens only files that hold its own annotation, which says how it is to step; the others pass over it.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from coupling.system import System, split

STANDARD = "http://ssp-standard.org/SSP1/SystemStructure"
START_VALUES = "initialValues"  # the name under which ecos finds them
SPACES = {"ssd": "Description", "ssc": "Common", "ssv": "ParameterValues"}
OMSIMULATOR = "https://raw.githubusercontent.com/OpenModelica/OMSimulator/master/schema/oms.xsd"
STEP = {"description": "oms-ma", "stepSize": "0.001", "absoluteTolerance": "0.0001", "relativeTolerance": "0.0001"}
"""OMSimulator's master with a fixed step; the tolerances have no meaning for it, but must be there."""


def write_ssp(system: System, name: str, path: Path) -> Path:
    """The system with its FMUs in one archive."""
    for prefix, space in SPACES.items():
        ElementTree.register_namespace(prefix, STANDARD + space)
    ElementTree.register_namespace("oms", OMSIMULATOR)
    root = Element(tag("ssd:SystemStructureDescription"), name=name, version="1.0")
    top = SubElement(root, tag("ssd:System"), name=name)
    elements = SubElement(top, tag("ssd:Elements"))
    for instance in system.fmus:
        add_component(elements, instance, system)
    connections = SubElement(top, tag("ssd:Connections"))
    for source, target in system.connections:
        (start, out), (end, into) = split(source), split(target)
        ends = {"startElement": start, "startConnector": out, "endElement": end, "endConnector": into}
        SubElement(connections, tag("ssd:Connection"), ends)
    add_annotation(top)
    SubElement(root, tag("ssd:DefaultExperiment"), startTime="0.0", stopTime="1.0")

    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("SystemStructure.ssd", ElementTree.tostring(root, xml_declaration=True, encoding="UTF-8"))
        for fmu in dict.fromkeys(system.fmus.values()):
            archive.write(fmu, f"resources/{fmu.name}")
    return path


def add_component(elements: Element, instance: str, system: System) -> None:
    """One FMU with its connected variables and start values."""
    component = SubElement(elements, tag("ssd:Component"), name=instance, type="application/x-fmu-sharedlibrary")
    component.set("source", f"resources/{system.fmus[instance].name}")
    connectors = SubElement(component, tag("ssd:Connectors"))
    for end, kind in ((0, "output"), (1, "input")):
        for name in dict.fromkeys(
            split(pair[end])[1] for pair in system.connections if split(pair[end])[0] == instance
        ):
            SubElement(SubElement(connectors, tag("ssd:Connector"), name=name, kind=kind), tag("ssc:Real"))
    starts = {split(n)[1]: value for n, value in system.starts.items() if split(n)[0] == instance}
    if starts:
        bindings = SubElement(component, tag("ssd:ParameterBindings"))
        values = SubElement(SubElement(bindings, tag("ssd:ParameterBinding")), tag("ssd:ParameterValues"))
        parameters = SubElement(
            SubElement(values, tag("ssv:ParameterSet"), version="1.0", name=START_VALUES), tag("ssv:Parameters")
        )
        for name, value in starts.items():
            SubElement(SubElement(parameters, tag("ssv:Parameter"), name=name), tag("ssv:Real"), value=repr(value))


def add_annotation(system: Element) -> None:
    """What OMSimulator needs to open the file."""
    annotations = SubElement(system, tag("ssd:Annotations"))
    node = SubElement(annotations, tag("ssc:Annotation"), type="org.openmodelica")
    for name in ("Annotations", "SimulationInformation"):
        node = SubElement(node, f"{{{OMSIMULATOR}}}{name}")
    SubElement(node, f"{{{OMSIMULATOR}}}FixedStepMaster", STEP)


def tag(name: str) -> str:
    """`ssd:System` with its name space."""
    prefix, _, local = name.partition(":")
    return f"{{{STANDARD}{SPACES[prefix]}}}{local}"
