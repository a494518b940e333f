"""A motion that forces make, given back: no drive has to supply anything, and joints carry what multipliers say."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_loads import Exact, Full, random_ports, watched

from precompute.loading.exact import exact_loads
from precompute.loading.motion import given_motion
from precompute.mechanism_file import load
from precompute.reference import ChassisState

ROUNDING = 1e-9
"""Of the largest load: the full model solves for multipliers by singular values."""


def free(name, chassis):
    """A shipped mechanism with all loads, nothing driven."""
    mechanism = watched(load(MECHANISMS / f"{name}.toml"))
    coordinates = tuple(replace(c, driven=False) for c in mechanism.coordinates)
    return replace(mechanism, coordinates=coordinates, chassis=chassis)


def columns_of(mechanism, names, given, ports, ground):
    """One sample as columns of a motion."""
    z, rates, zdd, _, _ = given
    columns = {"time": [0.0]}
    for k, name in enumerate(names):
        columns |= {name: [z[0, k]], f"{name}.rate": [rates[0, k]], f"{name}.acceleration": [zdd[0, k]]}
    for port, both in ports.items():
        columns |= {f"port.{port}.{s}[{i + 1}]": [v[i]] for s, v in zip("FM", both, strict=True) for i in range(3)}
    for key, symbols in (("twist", ("w", "v")), ("twist_rate", ("wd", "vd"))):
        if ground:
            parts = ground[key][0].reshape(2, 3)
            columns |= {f"chassis.{s}[{i + 1}]": [parts[k, i]] for k, s in enumerate(symbols) for i in range(3)}
    if ground:
        columns |= {f"gravity[{i + 1}]": [ground["gravity"][0, i]] for i in range(3)}
    return columns


@pytest.mark.parametrize(
    "name, chassis", [("macpherson_rigid", "fixed"), ("macpherson_rigid", "moving"), ("spatial_slider_crank", "fixed")]
)
def test_loads_are_the_multipliers_and_drives_have_nothing_to_do(name, chassis):
    mechanism, rng = free(name, chassis), np.random.default_rng(4)
    exact = Exact(mechanism)
    c = exact.coordinates
    lower, upper = (np.array([getattr(x, end) for x in c.free]) for end in ("lower", "upper"))
    z = c.design + 0.4 * (rng.uniform(lower, upper) - c.design)
    ports, e = random_ports(mechanism, rng), rng.normal(size=4)
    moving = ChassisState(rng.normal(size=3), e / np.linalg.norm(e), rng.normal(size=6), 3.0 * rng.normal(size=6))
    state = (z, 2.0 * rng.normal(size=z.size) * (upper - lower), ports)
    found, (given, ground) = Full(exact).at(*state, moving if chassis == "moving" else None)
    loads = exact_loads(mechanism, given_motion(columns_of(mechanism, c.names, given, ports, ground), mechanism))
    names = [n for n in loads.outputs if n.startswith(("joint.", "rod."))]
    largest = max(abs(found.loads[n]) for n in names)
    assert largest > 10.0 and len(names) > 5
    for n in names:
        assert loads.outputs[n][0] == pytest.approx(found.loads[n], abs=ROUNDING * largest), n
    for n in c.names:
        assert loads.outputs[f"drive.{n}.force"][0] == pytest.approx(0.0, abs=ROUNDING * largest)
