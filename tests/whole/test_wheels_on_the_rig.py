"""What FMUs show of wheels is what `kinetab kc` has at the same travel and steering: names, definitions, signs, values.

The run-time is the compiled kernel, the rig closes loops exactly and knows no tables.
"""

from functools import cache

import numpy as np
import pytest
from helpers_baked import baked_file
from helpers_corner import wheeled
from scipy.optimize import brentq

from fmu_src.build.compile import library
from fmu_src.build.model_writer import save
from fmu_src.interface.variables import layout, variables
from fmu_src.slave.kernel_instance import KernelModel
from fmu_src.slave.kernel_library import load_library
from fmu_src.slave.runtimes import MODEL_FILE
from kinetab.mechanism import of
from precompute.kc.registry import METRICS
from precompute.mechanism_file import from_document

TABLES = 1e-7
"""Of angles and of lengths over 1 m, where the files ask for 1e-6; found: 2e-10."""

SLOPES = 1e-6
"""The same of what comes from slopes of tables; found: 9e-10."""

SI = {"mm": 1e-3, "deg": np.pi / 180.0, "mm/mm": 1.0, "deg/mm": np.pi / 0.18}
SAME = (
    *("toe", "camber"),
    *("caster", "kingpin_inclination", "scrub_radius", "mechanical_trail"),
    *("caster_geometric", "kingpin_inclination_geometric", "scrub_radius_geometric", "mechanical_trail_geometric"),
)
"""Called the same on both sides."""
OTHERWISE = {"travel": "centre_vertical", "contact.inclination": "inclination"}
PATCH = ("patch_longitudinal", "patch_lateral", "patch_vertical")
OWN = ("contact.x", "contact.y", "contact.gap", "contact.v", "material.v", "slip")
"""What the rig, where nothing spins and no road is an input, does not have."""
BY_SLOPES = ("caster", "kingpin_inclination", "scrub_radius", "mechanical_trail")


class Suspension:
    """A model in the kernel, and the rig."""

    def __init__(self, model, folder):
        self.model, self.mechanism = model, of(from_document(model.mechanism))
        self.kernel = KernelModel(load_library(library()), save(model, folder / MODEL_FILE))
        self.names = [variable.name for variable in variables(model)]
        self.outputs = range(layout(model).outputs.start, len(self.names))

    def shown(self, values):
        """All outputs at the start with some start values, inputs and parameters."""
        kernel = self.kernel()
        kernel.set([self.names.index(name) for name in values], list(values.values()))
        kernel.setup(0.0)
        kernel.enter_initialization()
        kernel.exit_initialization()
        return dict(zip((self.names[i] for i in self.outputs), kernel.get(self.outputs), strict=True))

    def at_travel(self, fixed, free, travel, wheel):
        """All outputs where a wheel has a travel; one coordinate is found for it."""

        def outputs(q):
            return self.shown(fixed | {f"q_start.{free}": q})

        (axis,) = (a for a in self.model.charts[0].axes if a.name == free)
        q = brentq(lambda q: outputs(q)[f"wheel.{wheel}.travel"] - travel, axis.lower, axis.upper, xtol=1e-14)
        return outputs(q)


def compared(on, wheel, out, case, point, names=None):
    """Largest differences of values and of what comes from slopes; every output of the wheel must be compared."""
    own = next(w for w in on.model.wheels if w.name == wheel)
    side, prefix = own.side, f"wheel.{wheel}."
    worst = {"tables": 0.0, "slopes": 0.0}
    left = {name.removeprefix(prefix).partition("[")[0] for name in out if name.startswith(prefix)}
    left -= {name for name in left if name.startswith(OWN)}
    if names is not None:
        left &= names
    axes, wheel_ = np.array(own.axes), on.mechanism.wheel(wheel)
    for name in sorted(left):
        if name == "contact.r":
            r = np.array([out[f"{prefix}contact.r[{i}]"] for i in (1, 2, 3)])
            path = axes @ (r - wheel_.contact(on.mechanism.axes)) * [1.0, 1.0 if side == "left" else -1.0, 1.0]
            pairs = [(path[i], f"{column}.{side}", 1.0) for i, column in enumerate(PATCH)]
        elif name.startswith("motion_ratio."):
            _, kind, element = name.split(".")
            column = f"{kind}_motion_ratio.{element}.{side}"
            pairs = [(out[prefix + name], column, abs(case[column].design) * SI[case[column].unit])]
        else:
            assert name in SAME or name in OTHERWISE
            pairs = [(out[prefix + name], f"{OTHERWISE.get(name, name)}.{side}", 1.0)]
        for value, column, scale in pairs:
            there = case[column]
            kind = "slopes" if name in BY_SLOPES or name.startswith("motion") else "tables"
            worst[kind] = max(worst[kind], abs(value - there[point] * SI[there.unit]) / scale)
            assert np.isfinite(value)
    return worst["tables"], worst["slopes"]


RIGID = {  # file -> what finds the travel of each wheel, steering
    "double_wishbone_rigid": ({"left": "shock"}, "pitman"),
    "front_axle": ({"left": "shock_l", "right": "shock_r"}, "pitman"),
}


@cache
def rig_of(name):
    found = of(from_document(baked_file(name).mechanism))
    return found.kc(travel=(-50, 50), steer=(-20, 20), cases=["bump", "steering"], points=5)


@pytest.mark.parametrize("name", RIGID)
@pytest.mark.parametrize("case", ["bump", "steering"])
def test_a_rigid_suspension_is_that_of_the_rig(name, case, tmp_path):
    on, (free, steering) = Suspension(baked_file(name), tmp_path), RIGID[name]
    found = rig_of(name)[case]
    reached = 0.0
    for point in range(len(found.input)):
        turn = np.radians(found.input[point]) if case == "steering" else 0.0
        z = {f"q_start.{steering}": turn}
        for wheel, coordinate in free.items():
            travel = found[f"centre_vertical.{on.mechanism.wheel(wheel).side}"][point] * 1e-3
            out = on.at_travel(z, coordinate, travel, wheel)
            z[f"q_start.{coordinate}"] = out[f"q.{coordinate}"]
        for wheel in free:
            values, slopes = compared(on, wheel, out, found, point)
            assert values < TABLES and slopes < SLOPES
        reached = max(reached, abs(out[f"wheel.{wheel}.toe"]))
    assert len(found.input) == 5 and reached > np.radians(5.0 if case == "steering" else 0.1)


def test_every_metric_of_position_is_there_or_known_not_to_be():
    """So that a metric of places that is added to the rig is thought of here."""
    there = {*SAME, *OTHERWISE.values(), *PATCH}
    ours = {m.name for m in METRICS.values() if m.order == "position" and m.of == "wheel"} - there
    others = {"steer", "camber_front_view", "centre_longitudinal", "centre_lateral"}
    assert ours == others | {f"{x}_geometric" for x in ("spindle_length", "caster_offset", "kingpin_offset")}


# -- on bushings -------------------------------------------------------------------------------------------------------


AT_REST = 1e-7
"""Of angles and of lengths over 1 m: tables, and their Taylor polynomial at half a millimetre of deflection."""


LOCKED = {  # model -> wheel, what steers it, what finds its travel
    "corner": (lambda: wheeled(stiff=True).model, "front", "drive.rack.q", "arm"),
    "macpherson": (lambda: baked_file("macpherson"), "left", "q_start.rack", "strut"),
}


@pytest.mark.parametrize("name", LOCKED)
def test_locked_bushings_are_deflections_of_zero(name, tmp_path):
    """Ways of moving have deflections held: with none, they are those of the rig with its bushings locked."""
    model, wheel, steering, free = LOCKED[name]
    on = Suspension(model(), tmp_path)
    rig = on.mechanism.kc(steer=(-15, 15), cases=["steering"], points=3, elastic=False)["steering"]
    still = {f"q_start.{stiff.name}": 0.0 for stiff in on.model.stiff}
    assert still and not next(w for w in on.model.wheels).balls and len(rig.input) == 3
    for point, at in enumerate(rig.input * 1e-3):
        out = on.at_travel(still | {steering: at}, free, rig["centre_vertical"][point] * 1e-3, wheel)
        values, slopes = compared(on, wheel, out, rig, point)
        assert values < TABLES and slopes < SLOPES
        assert out[f"wheel.{wheel}.mechanical_trail"] > 1e-3


@pytest.mark.parametrize("quasistatic", [False, True])
def test_at_rest_on_bushings_it_stands_where_the_rig_has_it(quasistatic, tmp_path):
    """`solver.static` = 1 under the wheel load of the rig."""
    on = Suspension(wheeled(stiff=True, quasistatic=quasistatic).model, tmp_path)
    rig = on.mechanism.kc(travel=(-25, 25), steer=(-15, 15), cases=["bump", "steering"], points=5)
    positions = {*SAME, *OTHERWISE, "contact.r"} - {*BY_SLOPES}
    for name in ("bump", "steering"):
        case = rig[name]
        assert len(case.input) == 5
        for point, at in enumerate(case.input * 1e-3):
            values = {"solver.static": 1.0, "port.wheel.F[3]": 0.0, "wheel.front.F[3]": case["wheel_load"][point]}
            out = on.shown(values | {"drive.rack.q": at if name == "steering" else 0.0})
            assert compared(on, "front", out, case, point, positions)[0] < AT_REST
            if name == "bump":
                assert out["wheel.front.travel"] == pytest.approx(at, abs=AT_REST)
            assert abs(out["q.arm_mount.x"]) > 3e-4  # it gives way
