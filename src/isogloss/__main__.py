"""``python -m isogloss``, which `torchrun` needs: the command line of `isogloss.cli.main`."""

import sys

from isogloss.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
