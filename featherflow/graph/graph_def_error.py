"""GraphDefError: what is wrong with a GraphDef, and at which node."""

from __future__ import annotations


class GraphDefError(ValueError):
    """A GraphDef cannot be read; TensorFlow raises ValueError at the same places.

    Attributes:
      message: what is wrong, in one clause.
      node, op: the name of the node in the GraphDef and its op; "" where no single node is.
      received, expected, remedy: as in `errors.OpError`.
    """

    def __init__(
        self,
        message: str,
        *,
        node: str = "",
        op: str = "",
        received: object = None,
        expected: object = None,
        remedy: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.node = node
        self.op = op
        self.received = received
        self.expected = expected
        self.remedy = remedy

    def __str__(self) -> str:
        where = f"Node '{self.node}'" + (f" ({self.op})" if self.op else "")
        text = f"{where}: {self.message}" if self.node else self.message
        found = "" if self.received is None else f"received {self.received}"
        wanted = "" if self.expected is None else f"expected {self.expected}"
        clause = "; ".join(part for part in (found, wanted) if part)
        sentences = [text.rstrip(".")]
        if clause:
            sentences.append(clause[0].upper() + clause[1:].rstrip("."))
        if self.remedy:
            sentences.append(self.remedy.rstrip("."))
        return text if len(sentences) == 1 else ". ".join(sentences) + "."
