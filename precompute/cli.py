"""The command `kinetab`: parse, call, print; nothing else.  Only this module and those of single commands print."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from fmu_src import __version__
from fmu_src.build.compile import PLATFORMS, check_compiler, current_platform
from fmu_src.build.native_fmu import build_native_fmu
from fmu_src.build.python_fmu import build_fmu, own_platform
from fmu_src.errors import FmuError
from fmu_src.files import reason
from precompute.assemble_command import add_assemble
from precompute.design_command import add_design
from precompute.errors import PrecomputeError
from precompute.files import check_writable
from precompute.fit_command import add_fit
from precompute.kc_command import add_kc, joined
from precompute.loads_command import add_loads
from precompute.mechanism_file import from_document, load, telling_lines
from precompute.model.mechanism import Mechanism
from precompute.pipeline import bake
from precompute.quantities import si
from precompute.report.command_text import baked
from precompute.report.fmu_info import info_text, variable_lines
from precompute.report.inspection import chosen_text, inspect_drawable
from precompute.report.picture_file import check_picture
from precompute.report.report_text import paste_lines, text
from precompute.run_command import add_run
from precompute.sensitivity_command import add_sensitivity
from precompute.solve_command import add_solve
from precompute.study_command import add_study
from precompute.verify_command import add_verify


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0 done, 1 a problem (said on stderr), 2 wrong usage; interrupts are left to `entry`."""
    options = parser().parse_args(joined(sys.argv[1:] if arguments is None else arguments))
    try:
        code = int(options.command(options))
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        drop_output()
        return 1
    except OSError as error:
        if error.filename is None:  # all that is ours to write is named
            print(f"kinetab: cannot write to standard output: {reason(error)}", file=sys.stderr)
            drop_output()
        else:
            print(f"kinetab: '{error.filename}': {reason(error)}", file=sys.stderr)
        return 1
    except (PrecomputeError, FmuError) as error:
        print(f"kinetab: {error}", file=sys.stderr)
        return 1


def drop_output() -> None:
    """Send what is still to be printed nowhere, since Python would fail again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="kinetab", description="Closed-loop mechanisms as fast FMI 2.0 co-simulation FMUs."
    )
    top.add_argument("--version", action="version", version=f"kinetab {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    check = commands.add_parser("check", help="freedoms, loops, coordinates, conditioning and feasible range")
    check.add_argument("mechanism", type=Path)
    check.add_argument("--all", action="store_true", help="print long lists in full")
    check.add_argument("--json", action="store_true", help="print as JSON")
    check.add_argument("--plot", type=Path, help="draw weights, condition numbers and ||B|| over the ranges")
    check.set_defaults(command=run_check)

    add_assemble(commands.add_parser("assemble", help="close the loops: of a rough drawing, elsewhere, in all ways"))

    bake_ = commands.add_parser("bake", help="solve the loops, make the tables, build the FMU")
    bake_.add_argument("mechanism", type=Path)
    bake_.add_argument("-o", "--output", type=Path, help="the FMU; default: the mechanism's name in this directory")
    bake_.add_argument(
        "--native", action="store_true", help="an FMU of compiled C, which needs no Python where it runs"
    )
    bake_.add_argument(
        "--platform",
        action="append",
        default=[],
        choices=[*PLATFORMS, "all"],
        metavar="NAME",
        help=f"compile for {', '.join(PLATFORMS)} or all; repeatable; default: this one. Others take ziglang",
    )
    bake_.set_defaults(command=run_bake)

    add_design(
        commands.add_parser("design", help="change hardpoints and lengths, and the least of others that absorb it")
    )

    add_fit(commands.add_parser("fit", help="hardpoints and rates from curves that are wanted or were measured"))

    info = commands.add_parser("info", help="what an FMU is: ranges, accuracy, variables")
    info.add_argument("fmu", type=Path)
    info.add_argument("--variables", action="store_true", help="list all variables")
    info.set_defaults(command=run_info)

    add_kc(commands.add_parser("kc", help="kinematics and compliance of an axle: toe, camber, rates, ... over cases"))

    add_sensitivity(
        commands.add_parser("sensitivity", help="which hardpoint does it: a metric's derivatives by design variables")
    )

    add_solve(commands.add_parser("solve", help="exact motion of all markers along given coordinates, without a bake"))

    add_loads(commands.add_parser("loads", help="inverse dynamics: what every joint carries along a given motion"))

    add_study(commands.add_parser("study", help="metrics of thousands of designs: what tolerances do"))

    run = commands.add_parser("run", help="simulate an FMU with FMPy")
    add_run(run)

    verify_ = commands.add_parser("verify", help="compare an FMU with two independent models, and give a verdict")
    add_verify(verify_)
    for command in (run, verify_):
        command.add_argument("fmu", type=Path)
        command.add_argument("--stop", type=seconds, help="stop time [s]; default from the FMU")
        command.add_argument("--step", type=seconds, help="communication step [s], or 1ms; default from the FMU")
        command.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="parameter or constant input, in SI or with a unit: 5deg, 12mm, 100N/mm; repeatable",
        )
    return top


def seconds(word: str) -> float:
    """A time on the command line."""
    try:
        return si(word, "s")
    except PrecomputeError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def loaded(path: Path) -> Mechanism:
    """The mechanism in a file; says what is doubtful in it."""
    mechanism = load(path)
    for warning in mechanism.warnings:
        print(f"kinetab: warning: {warning}", file=sys.stderr)
    return mechanism


def run_check(options: argparse.Namespace) -> int:
    """`kinetab check`."""
    mechanism = loaded(options.mechanism)
    if options.plot:
        check_picture(options.plot, apart_from=[options.mechanism])
    with telling_lines(options.mechanism):
        result, (coordinates, design, selection) = inspect_drawable(
            mechanism, everything=bool(options.all or options.json or options.plot)
        )
    if options.plot and selection:
        from precompute.report.selection_plots import plot_selection  # matplotlib takes a third of a second to import

        plot_selection(coordinates, design, selection, options.plot)
    print(json.dumps(result.as_dict(), indent=2) if options.json else text(result, everything=options.all))
    for problem in result.problems:
        print(f"kinetab: {problem}", file=sys.stderr)
    return 1 if result.problems else 0


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
    picture = picture_of(mechanism)
    with Console(stderr=True).status("compiling the kernel"):
        if options.native:
            build_native_fmu(model, target, platforms, picture=picture)
        else:
            build_fmu(model, target, platforms, picture)
    print(baked(model, target, time.perf_counter() - started))
    if block := chosen_text(mechanism, from_document(model.mechanism)):
        print("\n".join(paste_lines(block)[1:]))
    if options.native:
        print(f"  native FMU for {', '.join(platforms)}")
    return 0


def picture_of(mechanism: Mechanism) -> bytes:
    """For the FMU; none if it cannot be drawn, for which no work should be lost."""
    from precompute.report.drawing import draw

    try:
        return draw(mechanism)
    except Exception as error:
        print(f"kinetab: note: no picture in the FMU: {type(error).__name__}: {error}", file=sys.stderr)
        return b""


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


def run_info(options: argparse.Namespace) -> int:
    """`kinetab info`."""
    print(info_text(options.fmu))
    if options.variables:
        print("\n".join(variable_lines(options.fmu)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
