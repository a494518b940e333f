"""What `kinetab check` says about loads: which are outputs, which are not defined and why, and what they cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from precompute.coordinates.decouple import Dependence
from precompute.coordinates.load_dependence import grouped, undefined_lines
from precompute.kinematics.topology import Topology
from precompute.model.mechanism import Mechanism
from precompute.tables.columns import Columns
from precompute.tables.table_size import requested_size, shown


@dataclass(frozen=True)
class LoadReport:
    """Loads and accelerations that the FMU gives on request."""

    defined: tuple[str, ...]  # outputs
    undefined: tuple[str, ...]  # what is left out and why, in words
    accelerations: tuple[str, ...]  # markers
    size: int  # of their tables, as expected before they are made [bytes]

    def lines(self, cut: Callable[[list[str]], list[str]]) -> list[str]:
        """In plain words, what is there cut off as it may be; nothing if nothing is asked for."""
        if not (self.defined or self.undefined or self.accelerations):
            return []
        said = cut([f"  {line}" for line in grouped(self.defined)])
        said += [f"  accelerations of {', '.join(self.accelerations)}"] if self.accelerations else []
        said += [f"  not defined, left out: {line}" for line in self.undefined]
        return [f"Loads and accelerations, read on request; {shown(self.size)} of the tables below", *said]


def load_report(mechanism: Mechanism, topology: Topology, dependence: Dependence, columns: Columns) -> LoadReport:
    """Of a mechanism whose columns are planned."""
    return LoadReport(
        defined=tuple(load.opening.name for load in dependence.loads),
        undefined=undefined_lines(mechanism, topology, dependence.undefined),
        accelerations=tuple(m.name for m in mechanism.markers if m.acceleration),
        size=requested_size(columns),
    )
