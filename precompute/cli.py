"""The command `kinetab`: reads what is meant, does it, and says how it ended."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from fmu_src.errors import FmuError
from fmu_src.files import reason
from precompute.command_line import joined, named, parser
from precompute.errors import PrecomputeError


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0 done, 1 a problem (said on stderr), 2 wrong usage; interrupts are left to `entry`."""
    words = joined(sys.argv[1:] if arguments is None else arguments)
    options = parser(named(words)).parse_args(words)
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


if __name__ == "__main__":
    sys.exit(main())
