"""`python -m featherflow.explain conv2d`: where an op, script or model executes."""

import sys

from featherflow.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["explain", *sys.argv[1:]]))
