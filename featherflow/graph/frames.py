"""Loop frames: in which loop each node of a subgraph runs, worked out once from Enter and Exit.

Enter runs in the frame around its loop and its output is inside; Exit runs inside and its output is
outside. A constant without inputs belongs to no frame: it is there in every iteration of any.
"""

from __future__ import annotations

from collections.abc import Iterable

from featherflow.framework.errors import InvalidArgumentError
from featherflow.graph.subgraph import Node


class LoopFrame:
    """One loop of the graph; at run time it has an instance for each iteration of its parent.

    Attributes:
      name: the `frame_name` of its Enters; "" for the graph itself.
      parent: the frame around it; None for the graph itself.
      parallel_iterations: how many iterations may be under way at once.
    """

    __slots__ = ("name", "parallel_iterations", "parent")

    def __init__(self, name: str, parent: LoopFrame | None, parallel_iterations: int = 1) -> None:
        self.name = name
        self.parent = parent
        self.parallel_iterations = parallel_iterations

    def around(self) -> Iterable[LoopFrame]:
        """The frame itself and those around it, innermost first."""
        frame: LoopFrame | None = self
        while frame is not None:
            yield frame
            frame = frame.parent

    def __repr__(self) -> str:
        return f"<LoopFrame {' in '.join(repr(frame.name) for frame in self.around())}>"


class Frames:
    """The frames of a subgraph.

    Attributes:
      root: the frame of the graph itself.
      of: for each node, the frame that it runs in. Constants that belong to no frame are left out.
      children: frames by (parent, name).
    """

    def __init__(self) -> None:
        self.root = LoopFrame("", None)
        self.of: dict[Node, LoopFrame] = {}
        self.children: dict[tuple[LoopFrame, str], LoopFrame] = {}

    def of_output(self, node: Node) -> LoopFrame | None:
        """The frame that the outputs of `node` are in; None if they are in every frame."""
        frame = self.of.get(node)
        kind = node.definition.control_flow
        if frame is None or kind not in ("enter", "exit"):
            return frame
        return frame.parent if kind == "exit" else self.entered_by(node)

    def entered_by(self, enter: Node) -> LoopFrame:
        """The frame that an Enter leads into."""
        return self.children[self.of[enter], enter.attrs["frame_name"]]

    def all(self) -> list[LoopFrame]:
        """Every frame, parents first."""
        return [self.root, *self.children.values()]


def is_free_constant(node: Node) -> bool:
    """Whether a node is a constant that waits for nothing."""
    return node.definition.static_value_fn is not None and not (node.inputs or node.control_inputs)


def is_back_edge(source: Node, target: Node) -> bool:
    """Whether a data edge leads into the next iteration of a loop."""
    return (
        source.definition.control_flow == "next_iteration"
        and target.definition.control_flow == "merge"
    )


def assign_frames(nodes: Iterable[Node]) -> Frames:
    """The frame of each node; `nodes` are in topological order, back edges aside.

    Raises:
      InvalidArgumentError: a node takes inputs from different frames, or an Exit is in none.
    """
    frames = Frames()
    for node in nodes:
        if is_free_constant(node):
            continue
        frame = _frame_of_inputs(node, frames)
        frames.of[node] = frame
        kind = node.definition.control_flow
        if kind in ("exit", "next_iteration") and frame.parent is None:
            raise _located(node, f"The {node.definition.name} node '{node.name}' is in no loop")
        if kind == "enter":
            key = frame, node.attrs["frame_name"]
            if key not in frames.children:
                limit = node.attrs["parallel_iterations"]
                frames.children[key] = LoopFrame(key[1], frame, max(1, limit))
    return frames


def _frame_of_inputs(node: Node, frames: Frames) -> LoopFrame:
    found: LoopFrame | None = None
    first: Node | None = None
    sources = [source for source, _ in node.inputs if not is_back_edge(source, node)]
    for source in (*sources, *node.control_inputs):
        frame = frames.of_output(source)
        if frame is None:
            continue
        if found is None:
            found, first = frame, source
        elif frame is not found:
            assert first is not None
            raise _located(
                node,
                f"{{{{node {node.name}}}}} has inputs from different frames. "
                f"The input {{{{node {first.name}}}}} is in frame '{found.name}'. "
                f"The input {{{{node {source.name}}}}} is in frame '{frame.name}'.",
                remedy="Values enter a loop through Enter and leave it through Exit, as "
                "tf.while_loop makes them; use what is computed inside a loop only inside it.",
            )
    return found or frames.root


def _located(node: Node, message: str, remedy: str | None = None) -> InvalidArgumentError:
    return InvalidArgumentError(None, node.operation, message, remedy=remedy)
