"""`python -m kinetab`, the same as the command `kinetab`."""

import sys

from precompute.entry import main

if __name__ == "__main__":
    sys.exit(main())
