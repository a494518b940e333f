"""The parameters and start values of an FMU as a parameter set of SSP 1.0, SSV, which other tools edit and apply."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, register_namespace, tostring

from fmu_src.interface.variable import Variable
from fmu_src.model.units import exponents

SSV = "http://ssp-standard.org/SSP1/SystemStructureParameterValues"
SSC = "http://ssp-standard.org/SSP1/SystemStructureCommon"


def ssv(name: str, table: Sequence[Variable]) -> str:
    """All parameters, and inputs with a start value, in SI."""
    register_namespace("ssv", SSV)
    register_namespace("ssc", SSC)
    root = Element(f"{{{SSV}}}ParameterSet", version="1.0", name=name)
    parameters = SubElement(root, f"{{{SSV}}}Parameters")
    shown = [v for v in table if v.causality != "output" and v.start is not None]
    for variable in shown:
        own = SubElement(parameters, f"{{{SSV}}}Parameter", name=variable.name)
        real = SubElement(own, f"{{{SSV}}}Real", value=repr(float(variable.start or 0.0)))
        if variable.unit not in ("", "1"):
            real.set("unit", variable.unit)
    units = dict.fromkeys(v.unit for v in shown if v.unit not in ("", "1"))
    if units:
        listed = SubElement(root, f"{{{SSV}}}Units")
        for unit in units:
            base = SubElement(SubElement(listed, f"{{{SSC}}}Unit", name=unit), f"{{{SSC}}}BaseUnit")
            for symbol, power in (exponents(unit) or {}).items():
                base.set(symbol, str(power))
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"
