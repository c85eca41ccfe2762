"""`python -m featherflow COMMAND`: the command line."""

import sys

from featherflow.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
