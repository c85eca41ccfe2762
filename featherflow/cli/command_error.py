"""CommandError: a command cannot do what it is asked; one line says why and what would help."""

from __future__ import annotations


class CommandError(Exception):
    """The usage is wrong, or the model is: the command line prints the message and ends with 2."""
