"""The command `kinetab`: reads what is meant, does it, and says how it ended."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from fmu_src.errors import FmuError
from fmu_src.files import reason
from precompute.command_line import joined, named, parser, unknown, wants_json
from precompute.errors import PrecomputeError
from precompute.telling import begin


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0 done, 1 a problem (said on stderr), 2 wrong usage; interrupts are left to `entry`."""
    words = joined(sys.argv[1:] if arguments is None else arguments)
    if wrong := unknown(words):
        print(parser(()).format_help(), file=sys.stderr)
        print(f"kinetab: {wrong}", file=sys.stderr)
        return 2
    options = parser(named(words)).parse_args(words)
    begin()
    try:
        code = done(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        drop_output()
        return 1
    except OSError as error:  # all that is ours to write is named
        print(f"kinetab: cannot write to standard output: {reason(error)}", file=sys.stderr)
        drop_output()
        return 1


def done(options: argparse.Namespace) -> int:
    """What was asked for, and what it came to, as words or as JSON."""
    try:
        return int(options.command(options).tell(wants_json(options)))
    except (PrecomputeError, FmuError) as error:
        return failed(options, error, str(error))
    except OSError as error:
        if error.filename is None:
            raise
        return failed(options, error, f"'{error.filename}': {reason(error)}")


def failed(options: argparse.Namespace, error: Exception, text: str) -> int:
    """What is wrong."""
    print(f"kinetab: {text}", file=sys.stderr)
    if wants_json(options):
        from precompute.outcome import envelope, problems_of

        print(envelope({}, (), problems_of(error)))
    return 1


def drop_output() -> None:
    """Send what is still to be printed nowhere, since Python would fail again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
