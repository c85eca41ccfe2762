"""tf.app.run: reads the flags, runs the program's main function, and exits with what it returns."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from featherflow.framework.exports import export_v1
from featherflow.platform.flags import FLAGS


@export_v1("app.run")
def run(
    main: Callable[[list[str]], Any] | None = None, argv: Sequence[str] | None = None
) -> NoReturn:
    """Runs `main(argv)` with the flags taken out of `argv`, then exits.

    Args:
      main: a function of the remaining arguments, the program's name first; by default the `main`
        of the program.
      argv: the command line; by default `sys.argv`.
    """
    rest = FLAGS(sys.argv if argv is None else argv, known_only=True)
    function = sys.modules["__main__"].main if main is None else main
    sys.exit(function(rest))
