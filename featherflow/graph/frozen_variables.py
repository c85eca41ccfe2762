"""Repairs graphs that were frozen by replacing variables with constants, and nothing else.

Old freezing tools left the nodes that change variables: the updates of batch normalisation's moving
averages, and the RefSwitches that lead variables into a `cond`. Their variable is a Const now, and
no ref, so TensorFlow refuses such a graph ("expected float_ref"). Each of these nodes has a twin
without refs, which gives the value that the node would have given:

    RefSwitch(c, p)   → Switch(c, p)      likewise RefMerge, RefEnter, RefExit, RefIdentity, …
    Assign(c, v)      → Identity(v)
    AssignAdd(c, v)   → AddV2(c, v)
    AssignSub(c, v)   → Sub(c, v)

The constant itself stays what it was when the variable was frozen. So every read of it gives the
frozen value, also one that waits for an update: what inference wants. Only refs whose origin is a
Const are repaired; a variable that is missing for another reason is an error as ever.
"""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

from featherflow.framework.op import Op, get_op
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor

#: Op → its twin without refs.
_TWINS = {
    "Assign": "Identity",
    "AssignAdd": "AddV2",
    "AssignSub": "Sub",
    "RefEnter": "Enter",
    "RefExit": "Exit",
    "RefIdentity": "Identity",
    "RefMerge": "Merge",
    "RefNextIteration": "NextIteration",
    "RefSwitch": "Switch",
}
#: A ref is followed back so far; in real graphs it is one or two ops from its variable.
_MAX_STEPS = 64
_NAMED_NODES = 4


class FrozenVariables:
    """The repairs of one import."""

    def __init__(self) -> None:
        self._changes: Counter[tuple[str, str]] = Counter()
        self._nodes: list[str] = []
        self._repaired: set[str] = set()

    def twin(
        self, definition: Op, attrs: dict[str, Any], inputs: list[Tensor], node: str
    ) -> tuple[Op, dict[str, Any], list[Tensor]] | None:
        """Op, attributes and inputs that stand for a node whose ref is a constant, or None.

        Args:
          definition, attrs, inputs: the node as it was; some input is no ref where a ref is wanted.
          node: its name in the graph, for the report.
        """
        twin_name = _TWINS.get(definition.name)
        if twin_name is None or not self._is_frozen(inputs[0]):
            return None
        twin = get_op(twin_name)
        self._changes[definition.name, twin_name] += 1
        self._nodes.append(node)
        self._repaired.add(node)
        kept = {attr.name: attr.default for attr in twin.op_def.attrs if attr.has_default}
        for name, value in attrs.items():
            if name.startswith("_") or twin.op_def.attr(name) is not None:
                kept[name] = value
        return twin, kept, inputs[1:] if definition.name == "Assign" else inputs

    def _is_frozen(self, tensor: Tensor) -> bool:
        """Whether a tensor is a Const, at most passed on or updated by repaired nodes."""
        for _ in range(_MAX_STEPS):
            operation: Operation = tensor._op
            definition = operation.definition
            if definition.name == "Const" or operation.name in self._repaired:
                return True
            if not operation._inputs or not (definition.aliases or definition.control_flow):
                return False
            tensor = operation._inputs[0]
        return False

    def warn(self) -> None:
        """Says what was changed, if anything was."""
        if not self._changes:
            return
        changes = ", ".join(
            f"{count} {op} → {twin}" for (op, twin), count in sorted(self._changes.items())
        )
        shown = ", ".join(self._nodes[:_NAMED_NODES])
        more = len(self._nodes) - _NAMED_NODES
        warnings.warn(
            "import_graph_def: the graph updates variables that were frozen to constants; these "
            f"nodes now work on values ({changes}: {shown}{f' and {more} more' if more > 0 else ''}"
            "). The constants keep their frozen values.",
            UserWarning,
            stacklevel=4,
        )
