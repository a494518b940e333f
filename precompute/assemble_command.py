"""The command `kinetab assemble`: its options, and what they come to.  It prints, as `cli` does."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from precompute.errors import PrecomputeError
from precompute.files import check_writable
from precompute.mechanism_file import load
from precompute.model.mechanism import Mechanism
from precompute.report.assemblies import Assemblies, assemblies
from precompute.report.assembly_text import text
from precompute.running.quantities import si


def add_assemble(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument("mechanism", type=Path)
    parser.add_argument(
        "--at",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="hold an independent coordinate there, in SI or with a unit: crank=30deg; repeatable; default: as drawn",
    )
    parser.add_argument("--branches", action="store_true", help="find all assemblies, from 400 random starts")
    parser.add_argument("--branch", type=int, metavar="N", help="the assembly to write, numbered as --branches lists them")
    parser.add_argument("-o", "--output", type=Path, help="write the mechanism file with its points moved there")
    parser.add_argument("--all", action="store_true", help="print long lists in full")
    parser.add_argument("--json", action="store_true", help="print as JSON, in SI")
    parser.set_defaults(command=run_assemble)
