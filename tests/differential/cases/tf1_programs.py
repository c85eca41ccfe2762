"""What the TF1 programs of `programs/` compute, for those that take steps in a session."""

from __future__ import annotations

from ..case import Script, case
from ..programs import TOPICS, programs_of


def _script_of(program):
    def script(tf):
        return Script(program(tf)["steps"])

    return script


for _topic in TOPICS:
    for _name, _program in programs_of(_topic):
        if hasattr(_program, "has_steps"):
            case(_name)(_script_of(_program))
