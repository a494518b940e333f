"""Write small model files of all kinds into a folder, for the fuzzer to change.

python tests/fuzz/seeds.py FOLDER
"""

import sys
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from helpers_corner import corner  # noqa: E402
from helpers_elements import BUSY, SERVO, bob, rotor  # noqa: E402
from helpers_elements import baked as with_elements  # noqa: E402
from helpers_formulas import VARIED  # noqa: E402
from helpers_model import crank_slider, double_pendulum  # noqa: E402
from helpers_random import dense_model, random_model, turned_model, with_designs  # noqa: E402
from helpers_stiff import stiff_pendulum  # noqa: E402

from fmu_src.build.model_writer import to_bytes  # noqa: E402
from kinetab import bake, load  # noqa: E402

LOOSE = 1e-2
"""Tolerance of tables that need not be exact: small files are tried more often."""


def baked(path):
    """A reduced model with coarse tables."""
    mechanism = load(ROOT / path)
    return bake(replace(mechanism, tables=replace(mechanism.tables, tolerance=LOOSE)))


def models():
    """Models by name; each has something that the others have not."""
    yield "crank_slider", crank_slider(nodes=15)
    yield "two_axes", double_pendulum(nodes=8)
    yield "extrapolated", double_pendulum(nodes=8, outside="linear")
    yield "stiff", stiff_pendulum(nodes=8, moving=True)
    yield "driven", stiff_pendulum(nodes=8, driven="direct")
    yield "quasistatic", stiff_pendulum(nodes=8, quasistatic=True)
    yield "dense", dense_model(1, ns=8, degree=1, moving=False, method="midpoint")
    free = {"periodic": (False, True, False), "outside": ("linear", "error", "error"), "driven": ("no",) * 3}
    yield "three_axes", random_model(12, 3, 0, 1, 1, False, False, **free)
    yield "loads", random_model(14, 2, 2, 1, 3, True, False, wheels=1, loads=2, **free)
    yield "moments_about_axes", turned_model(6, quasistatic=True)
    yield "charts", baked("integration/mechanisms/crank_slider_charts.toml")
    yield "crank_slider_stiff", baked("tests/mechanisms/crank_slider_stiff.toml")
    yield "cam", baked("integration/mechanisms/fuel_pump.toml")
    yield "slip", baked("integration/mechanisms/fuel_pump_traction.toml")
    yield "servo", with_elements(rotor(SERVO))
    for name, options in (
        ("dynamic", {}),
        ("midpoint", {"method": "midpoint"}),
        ("quasistatic", {"stiff": "quasistatic"}),
    ):
        yield f"elements_{name}", with_elements(bob(BUSY, **options))
    yield "formulas", random_model(3, 2, 0, 1, 2, False, False, devices=VARIED, **free)
    wheeled = random_model(1, 2, 2, 1, 3, True, False, wheels=2, loads=2, **free)
    yield "designs", with_designs(wheeled, 2, 14)
    yield "formulas_over_charts", random_model(4, 2, 0, 2, 2, False, False, devices=VARIED, **free)
    yield "corner", corner(rack=False).model
    yield "disc", baked("tests/mechanisms/wobbling_disc.toml")
    yield "rigid_corner", corner(rack=False, stiff=False).model


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, model in models():
        data = to_bytes(model)
        (folder / f"{name}.kinetab").write_bytes(data)
        print(f"{name}: {len(data) / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
