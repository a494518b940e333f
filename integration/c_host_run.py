"""An FMU in a host written in C: tests/host/host.c is compiled and run.  A Python FMU starts Python in its process.

python integration/c_host_run.py CrankSlider.fmu [Q.crank=10 solver.static=1 ...]
prints coordinates and accelerations after half a second, with parameters and inputs set before the start.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from fmpy import extract, read_model_description

from fmu_src.build.compile import KERNEL, PLATFORMS, compile_c, compiler, current_platform

HOST = Path(__file__).resolve().parents[1] / "tests" / "host" / "host.c"
STEP, STEPS = 1e-3, 500


def main(path: str, *settings: str) -> None:
    """Simulate half a second in steps of a millisecond."""
    values = {name: float(value) for name, _, value in (word.partition("=") for word in settings)}
    description = read_model_description(path)
    shown = {
        v.name: v.valueReference
        for v in description.modelVariables
        if v.causality == "output" and v.name.startswith(("q.", "qdd."))
    }
    with tempfile.TemporaryDirectory(prefix="kinetab_") as name:
        folder, platform = Path(name), current_platform()
        extract(path, unzipdir=str(folder / "fmu"))
        library = f"{description.coSimulation.modelIdentifier}{PLATFORMS[platform].suffix}"
        host = compile_c(compiler(platform), [HOST], folder / "host", ("-O2", "-std=c99", f"-I{KERNEL}"), ("-ldl",))
        binary, resources = folder / "fmu" / "binaries" / platform / library, (folder / "fmu" / "resources").as_uri()
        outputs = ",".join(map(str, shown.values()))
        references = {v.name: v.valueReference for v in description.modelVariables}
        starts = ",".join(f"{references[name]}={value!r}" for name, value in values.items())
        command = [host, "-s", starts, binary, description.guid, resources, STEPS, STEP, "", outputs]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"the host failed:\n{done.stderr}")
    last = [float.fromhex(word) for word in done.stdout.splitlines()[-1].split(",")]
    for name, value in zip(shown, last[1:], strict=True):
        print(f"{name} = {value:.12g}")


if __name__ == "__main__":
    main(*sys.argv[1:])
