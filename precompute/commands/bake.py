"""The command `kinetab bake`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from fmu_src.build.compile import PLATFORMS, check_compiler, current_platform
from fmu_src.build.native_fmu import build_native_fmu
from fmu_src.build.python_fmu import build_fmu, own_platform
from precompute.command_options import add_quiet, loaded
from precompute.files import check_writable
from precompute.mechanism_file import from_document, telling_lines
from precompute.model.mechanism import Mechanism
from precompute.outcome import Outcome
from precompute.pipeline import bake
from precompute.progress import stages
from precompute.progress_bar import shown
from precompute.report.command_text import baked
from precompute.report.inspection import chosen_text
from precompute.report.report_text import paste_lines
from precompute.results.models import model_data
from precompute.telling import note

EXAMPLES = """\
kinetab bake front_axle.toml                          # FrontAxle.fmu in this directory
kinetab bake front_axle.toml --native -o FA.fmu       # of compiled C, needs no Python where it runs
kinetab bake front_axle.toml --native --platform all  # for Linux, Windows and macOS, with the extra 'native'"""

SHARES = (0.88, 0.04, 0.08)
"""About what of the whole the tables, the picture and compiling take."""


def add(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("mechanism", type=Path)
    parser.add_argument("-o", "--output", type=Path, help="the FMU; default: the mechanism's name in this directory")
    parser.add_argument(
        "--native", action="store_true", help="an FMU of compiled C, which needs no Python where it runs"
    )
    parser.add_argument(
        "--platform",
        action="append",
        default=[],
        choices=[*PLATFORMS, "all"],
        metavar="NAME",
        help=f"compile for {', '.join(PLATFORMS)} or all; repeatable; default: this one. Others take ziglang",
    )
    add_quiet(parser)
    parser.set_defaults(command=run_bake)


def run_bake(options: argparse.Namespace) -> Outcome:
    """`kinetab bake`."""
    mechanism = loaded(options.mechanism)
    target = options.output or Path(f"{mechanism.name}.fmu")
    check_writable(target, ".fmu", apart_from=[options.mechanism])
    platforms = kernel_platforms(options)  # before long work: that it can be compiled for them
    started = time.perf_counter()
    with telling_lines(options.mechanism), shown(options.quiet) as progress:
        tables, drawing, compiling = stages(progress, SHARES)
        model = bake(mechanism, tables, note)
        drawing("drawing the picture", 0.0)
        picture = picture_of(mechanism)
        compiling("compiling the kernel", 0.0)
        if options.native:
            build_native_fmu(model, target, platforms, picture=picture)
        else:
            build_fmu(model, target, platforms, picture)
    seconds = time.perf_counter() - started
    lines = [baked(model, target, seconds, mechanism.tables.stiff_tolerance)]
    if block := chosen_text(mechanism, from_document(model.mechanism)):
        lines += paste_lines(block)[1:]
    if options.native:
        lines.append(f"  native FMU for {', '.join(platforms)}")
    how = {"seconds": seconds, "bytes": target.stat().st_size, "native": options.native, "platforms": platforms}
    data = {**model_data(model), **how, "chosen": block, "step_note": model.step_note}
    return Outcome("\n".join(lines), data, (target,))


def picture_of(mechanism: Mechanism) -> bytes:
    """For the FMU; none if it cannot be drawn, for which no work should be lost."""
    from precompute.report.drawing import draw

    try:
        return draw(mechanism)
    except Exception as error:
        note(f"no picture in the FMU: {type(error).__name__}: {error}")
        return b""


def kernel_platforms(options: argparse.Namespace) -> list[str]:
    """The platforms to compile for; a Python FMU can do without if none was asked for."""
    if options.native or options.platform:
        asked = asked_platforms(options.platform)
        for name in asked:
            check_compiler(name)
        return asked
    own, text = own_platform()
    if text:
        note(text)
    return own


def asked_platforms(names: Sequence[str]) -> list[str]:
    """The platforms that were asked for, each once."""
    if "all" in names:
        return list(PLATFORMS)
    return list(dict.fromkeys(names)) or [current_platform()]
