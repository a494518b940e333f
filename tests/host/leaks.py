"""Native FMUs in a C host, all under AddressSanitizer, UBSan and LeakSanitizer.

KINETAB_CFLAGS="-fsanitize=address,undefined ..." python tests/host/leaks.py
"""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from helpers_baked import baked_file  # noqa: E402
from helpers_elements import BUSY, HOLD, baked, bob  # noqa: E402
from helpers_fmi import Unpacked, c_host  # noqa: E402
from helpers_model import crank_slider, double_pendulum  # noqa: E402
from helpers_stiff import stiff_pendulum  # noqa: E402

from fmu_src.build.native_fmu import build_native_fmu  # noqa: E402

MODELS = {
    "crank_slider": crank_slider(),
    "double_pendulum": double_pendulum(nodes=15),
    "stiff": stiff_pendulum(nodes=15, moving=True),
    "quasistatic": stiff_pendulum(nodes=15, quasistatic=True),
    "elements": baked(bob(BUSY, HOLD)),
    "disc": baked_file("rolling_disc"),
}
STEPS, INSTANCES = 1000, 3


def main():
    flags = shlex.split(os.environ.get("KINETAB_CFLAGS", ""))
    if "-fsanitize=address,undefined" not in flags:
        sys.exit("KINETAB_CFLAGS has no -fsanitize=address,undefined; use make sanitize")
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = c_host(folder, "soak", flags)
        for model_name, model in MODELS.items():
            fmu = Unpacked(build_native_fmu(model, folder / f"{model_name}.fmu", sources=False), folder / model_name)
            outputs = ",".join(map(str, fmu.outputs))
            good = [program, fmu.binary, fmu.guid, fmu.uri, INSTANCES, STEPS, 1e-3, outputs]
            wrong = [program, fmu.binary, "no such model", *good[3:]]
            failed |= sanitized(f"{model_name}, {STEPS} steps", good, 0)
            failed |= sanitized(f"{model_name}, refused", wrong, 1)
    sys.exit(failed)


def sanitized(what, words, expected):
    """Run and tell; whether something was found."""
    environment = os.environ | {"ASAN_OPTIONS": "detect_leaks=1"}
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=environment)
    bad = done.returncode != expected or "Sanitizer" in done.stderr or "runtime error" in done.stderr
    print(f"{what}: {'FOUND' if bad else 'clean'}", flush=True)
    if bad:
        print(done.stderr)
    return bad


if __name__ == "__main__":
    main()
