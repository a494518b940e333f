"""Preloads that hold the design position at rest, where the file leaves them to statics.

The mechanism stands at design, what is free is held there, stiff directions give way; the loads of all ports act, as
they do where the FMU starts.
"""

from __future__ import annotations

from dataclasses import replace

from precompute.errors import PrecomputeError
from precompute.reduction.exact_rest import exact_rest
from precompute.reduction.rest_laws import Laws, laws_of
from precompute.reduction.statics import StaticsError
from precompute.rig.bench import Bench


def with_preloads(own: Bench, apart: bool = False) -> tuple[Bench, Laws]:
    """The bench with all preloads known, and its laws; `apart` if every element has a measure of its own.

    Raises:
        PrecomputeError: no preload can hold the design position.
    """
    mechanism, closure = own.mechanism, own.closure
    open_ = [spring.name for spring in mechanism.springs if spring.static_preload]
    if open_:
        stiff = len(mechanism.stiff_coordinates) if own.elastic else 0
        try:
            found = exact_rest(closure, own.q, own.q, range(len(own.z) - stiff, len(own.z)), mechanism.ports)
        except StaticsError as error:
            names = ", ".join(f"'{name}'" for name in open_)
            raise PrecomputeError(
                f"no preload of {names} holds the design position at rest ({error}); give a preload or a free length"
            ) from None
        own = replace(own, closure=replace(closure, mechanism=found.mechanism))
    return own, laws_of(own.mechanism, own.closure.poses(own.q), apart=apart)
