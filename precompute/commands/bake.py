"""The command `kinetab bake`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from fmu_src.build.compile import PLATFORMS, check_compiler, current_platform
from fmu_src.build.native_fmu import build_native_fmu
from fmu_src.build.pages.about import About
from fmu_src.build.python_fmu import build_fmu, own_platform
from precompute.command_options import loaded
from precompute.files import check_writable
from precompute.mechanism_file import from_document, telling_lines
from precompute.model.mechanism import Mechanism
from precompute.pipeline import bake
from precompute.report.command_text import baked
from precompute.report.inspection import chosen_text
from precompute.report.report_text import paste_lines

EXAMPLES = """\
kinetab bake front_axle.toml                          # FrontAxle.fmu in this directory
kinetab bake front_axle.toml --native -o FA.fmu       # of compiled C, needs no Python where it runs
kinetab bake front_axle.toml --native --platform all  # for Linux, Windows and macOS, with the extra 'native'"""


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
    parser.set_defaults(command=run_bake)


def run_bake(options: argparse.Namespace) -> int:
    """`kinetab bake`."""
    mechanism = loaded(options.mechanism)
    target = options.output or Path(f"{mechanism.name}.fmu")
    check_writable(target, ".fmu", apart_from=[options.mechanism])
    platforms = kernel_platforms(options)  # before long work: that it can be compiled for them
    started = time.perf_counter()
    with telling_lines(options.mechanism), progress_bar() as bar:
        tasks: dict[str, int] = {}

        def progress(what: str, done: int, total: int) -> None:
            if what not in tasks:
                for old in tasks.values():
                    bar.update(old, visible=False)  # type: ignore[arg-type]
                tasks[what] = bar.add_task(what, total=total)
            bar.update(tasks[what], completed=done)  # type: ignore[arg-type]

        model = bake(mechanism, progress, lambda text: print(f"kinetab: note: {text}", file=sys.stderr))
    known = about_it(mechanism)
    with Console(stderr=True).status("compiling the kernel"):
        if options.native:
            build_native_fmu(model, target, platforms, about=known)
        else:
            build_fmu(model, target, platforms, known)
    print(baked(model, target, time.perf_counter() - started, mechanism.tables.stiff_tolerance))
    if block := chosen_text(mechanism, from_document(model.mechanism)):
        print("\n".join(paste_lines(block)[1:]))
    if options.native:
        print(f"  native FMU for {', '.join(platforms)}")
    return 0


def about_it(mechanism: Mechanism) -> About:
    """For the page in the FMU."""
    from precompute.web.about import about

    return about(mechanism, lambda text: print(f"kinetab: note: {text}", file=sys.stderr))


def kernel_platforms(options: argparse.Namespace) -> list[str]:
    """The platforms to compile for; a Python FMU can do without if none was asked for."""
    if options.native or options.platform:
        asked = asked_platforms(options.platform)
        for name in asked:
            check_compiler(name)
        return asked
    own, note = own_platform()
    if note:
        print(f"kinetab: note: {note}", file=sys.stderr)
    return own


def asked_platforms(names: Sequence[str]) -> list[str]:
    """The platforms that were asked for, each once."""
    if "all" in names:
        return list(PLATFORMS)
    return list(dict.fromkeys(names)) or [current_platform()]


def progress_bar() -> Progress:
    """On stderr, and only where someone can see it move."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
