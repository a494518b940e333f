"""`python -m kinetab`, the same as the command `kinetab`."""

import sys

from precompute.cli import main

if __name__ == "__main__":
    sys.exit(main())
