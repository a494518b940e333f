"""Ten million steps of native FMUs, in one instance and in a thousand: does the memory grow?

python tests/host/soak.py [STEPS]
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from helpers_elements import BUSY, HOLD, SERVO, baked, bob, rotor  # noqa: E402
from helpers_fmi import Unpacked, c_host  # noqa: E402
from helpers_model import crank_slider  # noqa: E402
from helpers_stiff import stiff_pendulum  # noqa: E402

from fmu_src.build.native_fmu import build_native_fmu  # noqa: E402

STEPS = 10_000_000
INSTANCES = (1, 1000)
MODELS = {
    "crank_slider": crank_slider(),
    "stiff_pendulum": stiff_pendulum(moving=True),
    "servo": baked(rotor(SERVO)),
    "elements_on_rubber": baked(bob(BUSY, HOLD)),
}
ALLOWED = 512
"""[KiB] Growth that is noise of the C library."""


def main():
    steps = int(float(sys.argv[1])) if len(sys.argv) > 1 else STEPS
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = c_host(folder, "soak")
        for model_name, model in MODELS.items():
            fmu = Unpacked(build_native_fmu(model, folder / f"{model_name}.fmu"), folder / model_name)
            for instances in INSTANCES:
                failed |= soak(program, fmu, model_name, instances, steps)
    sys.exit(failed)


def soak(program, fmu, name, instances, steps):
    """Run and tell; whether memory has grown."""
    outputs = ",".join(map(str, fmu.outputs))
    words = [program, fmu.binary, fmu.guid, fmu.uri, instances, steps // instances, 1e-3, outputs]
    start = time.monotonic()
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{name}: {done.stderr}")
    first, tenth, last, again = map(int, done.stdout.split())
    grown = max(last, again) - tenth > ALLOWED
    print(
        f"{name}, {instances} instances, {steps:.0e} steps in {time.monotonic() - start:.0f} s: {first} KiB with all "
        f"instances, {tenth} after a tenth of the steps, {last} after all, {again} with all made anew: "
        f"{'IT GROWS' if grown else 'no growth'}",
        flush=True,
    )
    return grown


if __name__ == "__main__":
    main()
