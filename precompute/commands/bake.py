"""The command `kinetab bake`: its options, and what they come to.  It prints, as all commands do."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fmu_src.build.compile import PLATFORMS, check_compiler, current_platform
from fmu_src.build.native_fmu import build_native_fmu
from fmu_src.build.pages.about import About
from fmu_src.build.python_fmu import build_fmu, own_platform
from fmu_src.errors import FmuError
from precompute.cache.stages import Stages
from precompute.command_options import add_quiet, loaded
from precompute.errors import PrecomputeError
from precompute.files import check_writable
from precompute.following import Followed
from precompute.mechanism_file import from_document, telling_lines
from precompute.model.mechanism import Mechanism
from precompute.outcome import Outcome
from precompute.pipeline import bake
from precompute.progress import stages
from precompute.progress_bar import shown
from precompute.report.command_text import baked, change_lines
from precompute.report.inspection import chosen_text
from precompute.report.report_text import paste_lines
from precompute.results.models import model_data
from precompute.telling import note

EXAMPLES = """\
kinetab bake front_axle.toml                          # FrontAxle.fmu in this directory
kinetab bake front_axle.toml --watch                  # again whenever the file is saved
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
    parser.add_argument("--watch", action="store_true", help="bake again whenever the file is saved; until Ctrl-C")
    parser.add_argument("--no-cache", action="store_true", help="make all anew; results are the same, to the bit")
    add_quiet(parser)
    parser.set_defaults(command=run_bake)


def run_bake(options: argparse.Namespace) -> Outcome:
    """`kinetab bake`."""
    if options.watch:
        if options.json:
            raise PrecomputeError("--watch goes on until Ctrl-C and has no result for --json; leave out one of them")
        return run_watched(options)
    mechanism = loaded(options.mechanism)
    target = checked_target(options, mechanism)
    return bake_to(target, mechanism, options, kernel_platforms(options))


def run_watched(options: argparse.Namespace) -> Outcome:
    """Bake whenever the file, or one that it names, is saved; an FMU stays until the next good one."""
    followed, platforms = Followed(options.mechanism), kernel_platforms(options)
    before: Mapping[str, Any] | None = None
    for _ in followed.saves():
        try:
            mechanism = loaded(options.mechanism)
            for line in change_lines(before, mechanism.source or {}):
                print(line, flush=True)
            before = mechanism.source
            bake_to(checked_target(options, mechanism), mechanism, options, platforms).tell(as_json=False)
        except (PrecomputeError, FmuError) as error:
            print(f"kinetab: {error}", file=sys.stderr)
        print(f"waiting for '{options.mechanism}' to be saved; Ctrl-C ends this", flush=True)
    return Outcome("")


def checked_target(options: argparse.Namespace, mechanism: Mechanism) -> Path:
    """Where the FMU goes, if it can be written there: found out before long work."""
    target: Path = options.output or Path(f"{mechanism.name}.fmu")
    check_writable(target, ".fmu", apart_from=[options.mechanism])
    return target


def bake_to(target: Path, mechanism: Mechanism, options: argparse.Namespace, platforms: list[str]) -> Outcome:
    """Bake a mechanism, build its FMU and say what was made."""
    started, kept = time.perf_counter(), Stages() if options.no_cache else Stages.kept()
    with telling_lines(options.mechanism), shown(options.quiet) as progress:
        tables, drawing, compiling = stages(progress, SHARES)
        model = bake(mechanism, tables, note, kept)
        drawing("drawing the picture", 0.0)
        known = about_it(mechanism)
        compiling("compiling the kernel", 0.0)
        if options.native:
            build_native_fmu(model, target, platforms, about=known)
        else:
            build_fmu(model, target, platforms, known)
    seconds = time.perf_counter() - started
    lines = [baked(model, target, seconds, mechanism.tables.stiff_tolerance)]
    if kept.reused:
        lines.append(f"  from the cache: {', '.join(kept.reused)}")
    if block := chosen_text(mechanism, from_document(model.mechanism)):
        lines += paste_lines(block)[1:]
    if options.native:
        lines.append(f"  native FMU for {', '.join(platforms)}")
    how = {"seconds": seconds, "bytes": target.stat().st_size, "native": options.native, "platforms": platforms}
    made = {"chosen": block, "step_note": model.step_note, "cached": list(kept.reused)}
    return Outcome("\n".join(lines), {**model_data(model), **how, **made}, (target,))


def about_it(mechanism: Mechanism) -> About:
    """For the page in the FMU."""
    from precompute.web.about import about

    return about(mechanism, note)


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
