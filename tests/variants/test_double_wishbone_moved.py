"""Hardpoints of the shipped double wishbone moved while its FMU runs, against models baked with them there."""

import tomllib
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from helpers import MECHANISMS

from fmu_src.build.compile import library
from fmu_src.build.kernel_shape import shape_header
from fmu_src.build.model_writer import save
from fmu_src.interface.variables import variables
from fmu_src.model.designs import at_design
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.reading import read
from fmu_src.slave.kernel_instance import KernelModel
from fmu_src.slave.kernel_library import load_library
from kinetab import bake
from precompute.design import moved
from precompute.mechanism_file.reading import parse_document

pytestmark = pytest.mark.slow

INCH = 0.0254
NAMES = {"outer_z": "point.outer.z", "lower_x": "point.lower_ball.x"}


def mechanism(design):
    document = tomllib.loads((MECHANISMS / "double_wishbone_rigid.toml").read_text())
    own = {"design": {name: {"of": of, "range": 0.005 / INCH} for name, of in NAMES.items()}}
    return parse_document(document | (own if design else {}))


@cache
def model():
    return bake(mechanism(True))


@cache
def baked_at(outer_z, lower_x):
    return bake(moved(mechanism(False), {"point.outer.z": outer_z, "point.lower_ball.x": lower_x}))


def angles(model):
    """Steer and camber [deg] of the wheel all over the range of the file."""
    runtime, chart = prepare(model)[0], model.charts[0]
    number, marker = next((i, m) for i, m in enumerate(model.markers) if m.name == "wheel")
    R, design = chart.rows.markers[number].R, marker.spin_design
    found = []
    for pitman in np.linspace(chart.axes[0].lower, chart.axes[0].upper, 25):
        for shock in np.linspace(chart.axes[1].lower, chart.axes[1].upper, 25):
            value, _ = read(runtime.everything, np.array([pitman, shock]))
            u = value[R : R + 9].reshape(3, 3) @ np.array(marker.spin_axis)
            steer = np.arctan2(design[0] * u[1] - design[1] * u[0], design[0] * u[0] + design[1] * u[1])
            found.append((steer, -np.arcsin(u[2])))
    return np.degrees(found)


@pytest.mark.parametrize(
    ("p", "allowed"),
    [
        ((0.005, 0.0), 0.003),
        ((0.0, 0.005), 0.014),
        ((0.0029, 0.0), 0.003),  # where it errs most
        ((0.0, -0.0029), 0.014),
        ((0.0025, 0.0025), 0.014),
    ],
)
def test_steer_and_camber_are_those_of_the_mechanism_there(p, allowed):
    assert np.abs(angles(at_design(model(), p)) - angles(baked_at(*p))).max() < allowed


def driven_over_a_road(model, p, folder):
    """Outputs of a second under wheel loads, step by step; in the kernel that is compiled for the model."""
    instance = KernelModel(load_library(library(shape=shape_header(model))), save(model, folder / "m.kinetab"))()
    table = variables(model)
    names = [v.name for v in table]
    instance.setup(0.0)
    instance.enter_initialization()
    instance.set([names.index(name) for name in p], list(p.values()))
    instance.exit_initialization()
    shown = [v.name for v in table if v.causality == "output" and v.name.startswith(("marker.", "spring.", "q"))]
    loads = [names.index("port.contact.F[2]"), names.index("port.contact.F[3]")]
    found = []
    for t in np.arange(1000) * 1e-3:
        instance.set(loads, [1500.0 * np.sin(4.0 * np.pi * t), 5000.0 + 2500.0 * np.sin(6.0 * np.pi * t)])
        instance.step(t, 1e-3)
        found.append(instance.get([names.index(name) for name in shown]))
    return np.array(found)


def test_a_second_on_a_road_is_that_of_the_mechanism_there(tmp_path):
    here = driven_over_a_road(model(), {"design.outer_z": 0.002, "design.lower_x": -0.002}, tmp_path)
    there = driven_over_a_road(baked_at(0.002, -0.002), {}, tmp_path)
    never = driven_over_a_road(model(), {}, tmp_path)
    span = np.ptp(there, axis=0)
    moves = span > 1e-9
    assert (np.abs(here - there).max(axis=0)[moves] / span[moves]).max() < 5e-4
    assert (np.abs(never - there).max(axis=0)[moves] / span[moves]).max() > 0.05


def test_the_kernel_is_the_same_so_that_a_step_costs_the_same():
    plain = replace(model(), designs=(), design_numbers=())
    assert shape_header(model()) == shape_header(plain) == shape_header(bake(mechanism(False)))
