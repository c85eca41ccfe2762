"""EagerOperation: a call of an op that has run, as gradient functions and errors look at one."""

from __future__ import annotations

import traceback as traceback_module
from collections.abc import Sequence
from typing import Any

from featherflow.framework.dtypes import DType
from featherflow.framework.op import Op, flat_arg_dtypes
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph import exporter
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.operation import capture_frames, creation_frames


class EagerNode:
    """What a kernel may know of its node: the op and its attributes, and no graph.

    Attributes:
      attrs: complete.
      output_dtypes: of the outputs, lists unrolled.
    """

    __slots__ = ("attrs", "definition", "device", "name", "output_dtypes")

    inputs: tuple[Any, ...] = ()
    operation = None
    control_inputs: tuple[Any, ...] = ()

    def __init__(self, definition: Op, attrs: dict[str, Any], device: str) -> None:
        self.definition = definition
        self.attrs = attrs
        self.device = device
        self.name = definition.name
        self.output_dtypes: list[DType] = flat_arg_dtypes(definition.op_def.outputs, attrs)

    @property
    def output_shapes(self) -> list[TensorShape]:
        """Nothing is known before the kernel runs."""
        return [UNKNOWN] * len(self.output_dtypes)


class EagerOperation:
    """One call: what gradient functions, recorders and errors see of it.

    Attributes:
      definition, attrs: the op and its attributes.
      inputs, outputs: eager tensors, lists unrolled.
      backward: `(operation, *gradients)`, instead of the op's own gradient; or None.
      skip_input_indices: inputs whose gradients nobody needs; gradient functions may heed it.
    """

    __slots__ = (
        "_frames",
        "attrs",
        "backward",
        "definition",
        "inputs",
        "outputs",
        "skip_input_indices",
    )

    name = ""
    device = ""
    _control_flow_context = None
    control_inputs: tuple[Any, ...] = ()
    #: As messages show them: values have no names.
    _inputs: tuple[Any, ...] = ()

    def __init__(
        self, definition: Op, attrs: dict[str, Any], inputs: Sequence[Any], outputs: Sequence[Any]
    ) -> None:
        self.definition = definition
        self.attrs = attrs
        self.inputs = inputs
        self.outputs = outputs
        self.backward: Any = None
        self.skip_input_indices: frozenset[int] = frozenset()
        self._frames: tuple[Any, ...] = ()

    @property
    def type(self) -> str:
        """The op's name."""
        return self.definition.name

    @property
    def graph(self) -> Any:
        """Whose function library and name scopes count: those of the place that asks."""
        return get_default_graph()

    def values(self) -> tuple[Any, ...]:
        """The outputs."""
        return tuple(self.outputs)

    def get_attr(self, name: str) -> Any:
        """The value of an attribute, in the form that `Operation.get_attr` gives.

        Raises:
          ValueError: there is none of that name.
        """
        if name not in self.attrs:
            raise ValueError(
                f"{self.type} has no attr named '{name}'; it has: "
                f"{', '.join(sorted(self.attrs)) or 'none'}."
            )
        return exporter.public_attr(self, name)  # type: ignore[arg-type]

    @property
    def node_def(self) -> Any:
        """The call as a NodeDef message; its inputs have no names."""
        return exporter.node_def_message(self)  # type: ignore[arg-type]

    @property
    def traceback(self) -> traceback_module.StackSummary:
        """The user's frames, outermost first; empty unless `located` was called."""
        frames = [
            (code.co_filename, line, code.co_name, None)
            for code, line in creation_frames(self)  # type: ignore[arg-type]
        ]
        return traceback_module.StackSummary.from_list(frames[::-1])

    def located(self) -> EagerOperation:
        """Itself, with the frames of the user who is calling it now."""
        self._frames = capture_frames()
        return self

    def __repr__(self) -> str:
        return f"<EagerOperation {self.type}>"
