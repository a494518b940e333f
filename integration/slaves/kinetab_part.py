"""What the small FMUs of the vehicle have in common: all their variables in one flat list.

A subclass names its variables with their start values and gives `react`, which takes its states over a step and returns
its outputs.  Plain Python without NumPy, so that it runs in any host.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement

from pythonfmu import Fmi2Causality, Fmi2Initial, Fmi2Slave, Fmi2Variability, Real


def three(*names: str) -> list[str]:
    """Names of the components of vectors."""
    return [f"{name}[{i}]" for name in names for i in (1, 2, 3)]


def places(names: Iterable[str]) -> dict[str, slice]:
    """Where the values of each vector or scalar lie."""
    found: dict[str, slice] = {}
    for i, name in enumerate(names):
        vector = name.partition("[")[0]
        found[vector] = slice(found[vector].start if vector in found else i, i + 1)
    return found


class Part(Fmi2Slave):
    """A slave whose values lie in `self.values` in the order parameters, inputs, outputs."""

    def lay_out(self, parameters: Mapping[str, float], inputs: Mapping[str, float], outputs: Sequence[str]) -> None:
        """Register all variables."""
        tunable = {"causality": Fmi2Causality.parameter, "variability": Fmi2Variability.tunable}
        found = {"causality": Fmi2Causality.output, "initial": Fmi2Initial.calculated}
        kinds = [
            (parameters, tunable),
            (inputs, {"causality": Fmi2Causality.input}),
            (dict.fromkeys(outputs, 0.0), found),
        ]
        for names, kind in kinds:
            for name in names:
                self.register_variable(Real(name, getter=float, setter=float, **kind), nested=False)
        self.values = [float(x) for names, _ in kinds for x in names.values()]
        self.first_output = len(parameters) + len(inputs)
        self.stepped = False

    def get_real(self, vrs: list[int]) -> list[float]:
        """Values by reference.  Until the first step outputs follow the inputs, then they are those at its end."""
        if not self.stepped:
            self.values[self.first_output :] = self.react(0.0, 0.0)
        return [self.values[i] for i in vrs]

    def set_real(self, vrs: list[int], values: list[float]) -> None:
        """Parameters and inputs by reference."""
        for i, value in zip(vrs, values, strict=True):
            self.values[i] = value

    def do_step(self, current_time: float, step_size: float) -> bool:
        """One communication step."""
        self.values[self.first_output :] = self.react(current_time, step_size)
        self.stepped = True
        return True

    def react(self, time: float, step: float) -> list[float]:
        """Take the states from `time` over `step`, which may be 0, with the inputs held; the outputs at its end."""
        raise NotImplementedError

    def to_xml(self, model_options: dict[str, str] | None = None) -> Element:
        """With the initial unknowns that pythonfmu leaves out."""
        root = super().to_xml(model_options or {})
        structure = root.find("ModelStructure")
        unknowns = SubElement(structure, "InitialUnknowns")
        for i in range(self.first_output, len(self.values)):
            SubElement(unknowns, "Unknown", index=str(i + 1))
        return root
