"""The tables of a model against kinematics in natural coordinates, at configurations all over them."""

from __future__ import annotations

from fmu_src.model.reduced_model import ReducedModel
from precompute.model.mechanism import Mechanism
from precompute.verify.findings import KinematicCheck


def kinematic_check(model: ReducedModel, mechanism: Mechanism) -> KinematicCheck:
    """Compare all that the tables hold with an independent solution.

    Args:
        model: as an FMU has it.
        mechanism: that it was baked from, `from_document(model.mechanism)`.

    Returns:
        Differences per quantity, each with the limit that the tables' own tolerance sets, and the coverage of every
        axis and stiff coordinate.
    """
    raise NotImplementedError
