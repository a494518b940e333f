"""A small suspension: an arm on bushings, a driven rack, a moving chassis; reduced and full model at one state."""

import tomllib
from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from helpers_baked import baked

from fmu_src.interface.variables import layout, variables
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.outputs import outputs
from fmu_src.numpy_runtime.state import State
from precompute.mechanism_file import from_document
from precompute.reference import deflected, full_model

FILE = Path(__file__).parent / "mechanisms" / "corner.toml"


FRONT = {"body": "upright", "centre": "wheel_centre", "toe": 0.4, "camber": -1.5, "radius": 310}
"""A wheel."""


def document(rack=True, stiff=True, chassis="moving"):
    """The mechanism file as a dictionary, with parts left out."""
    found = tomllib.loads(FILE.read_text(encoding="utf-8"))
    found["chassis"] = chassis
    if not stiff:
        del found["joints"]["arm_mount"]["stiff"], found["joints"]["arm_mount"]["second"]
    if not rack:
        del found["bodies"]["rack"], found["joints"]["rack"], found["coordinates"]["free"]["rack"]
        found["joints"]["tie_rod"]["parent"] = "ground"
    return found


def corner(rack=True, stiff=True, driven=True):
    """A reduced model, ready, beside the full one; made once."""
    return prepared(rack, stiff, driven)


@cache
def prepared(rack, stiff, driven):
    if driven == "filtered":  # the same tables, so not baked again
        return Corner(filtered(corner(rack, stiff).model))
    return Corner(baked(from_document(document(rack, stiff))))


@cache
def wheeled(stiff=False, chassis="moving", quasistatic=False):
    """The small suspension with a wheel."""
    found = document(stiff=stiff, chassis=chassis)
    found["wheels"], found["axles"] = {"front": FRONT}, {"front": {"left": "front", "steering": "rack"}}
    if quasistatic:
        found["tables"]["stiff"] = "quasistatic"
    return Corner(baked(from_document(found)))


def filtered(model):
    """The model with its rack driven through a filter."""
    rack = {"driven": "filtered", "filter_time": 0.01}
    first, second = model.coordinates
    mechanism = deepcopy(model.mechanism)
    mechanism["coordinates"]["free"]["rack"].update(rack)
    return replace(model, coordinates=(first, replace(second, **rack)), mechanism=mechanism)


class Corner:
    """Reduced and full model of one mechanism."""

    def __init__(self, model):
        self.model, self.mechanism = model, from_document(model.mechanism)
        self.charts = prepare(self.model)
        self.runtime = self.charts[0]
        self.slots = self.runtime.slots
        self.full = full_model(self.mechanism)
        self.parameters = [p.value for p in self.model.parameters]
        every, self.layout = variables(self.model), layout(self.model)
        self.names = [v.name for v in every[self.layout.outputs]]
        self.inputs = np.array([v.start or 0.0 for v in every[self.layout.inputs]])
        self.start = State(0.0, 0, 0, *np.array([(s.value, s.rate) for s in self.model.starts]).T)

    def tuned(self, values):
        """Values of all parameters, those that are named changed."""
        assert values.keys() <= {p.name for p in self.model.parameters}
        return [values.get(p.name, p.value) for p in self.model.parameters]

    def in_gravity(self, g):
        """The parameters with gravity (3,) in chassis axes."""
        found = list(self.parameters)
        for i, value in zip(self.model.gravity, g, strict=True):
            found[i] = float(value)
        return found

    def outputs(self, state, inputs, parameters=None):
        """Outputs by name."""
        found = outputs(self.charts, state, self.parameters if parameters is None else parameters, inputs)
        return dict(zip(self.names, found, strict=True))

    def full_state(self, z, zd):
        """The same state of the full model, on a resting chassis."""
        nf, pairs = self.runtime.nf, list(zip(z.tolist(), zd.tolist(), strict=True))
        names = [c.name for c in self.model.coordinates]
        stiff = self.full.mechanism.stiff_coordinates
        return deflected(
            self.full, dict(zip(names, pairs[:nf], strict=True)), dict(zip(stiff, pairs[nf:], strict=True))
        )
