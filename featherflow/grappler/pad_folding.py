"""Pad folding: zeros that a Pad puts around an image are left to the convolution behind it."""

from __future__ import annotations

import numpy as np

from featherflow.graph.subgraph import Node
from featherflow.grappler.graph_editor import GraphEditor, same_device

_CONVOLUTIONS = ("Conv2D", "DepthwiseConv2dNative")
_RANK = 4


def fold_pads(editor: GraphEditor) -> None:
    """Lets convolutions do the padding of Pads that nothing else reads."""
    for node in editor.nodes():
        if node.definition.name in ("Pad", "PadV2") and _may_fold(editor, node):
            pads = _pads(editor, node)
            users = editor.users(node)
            if pads is not None and all(_takes_pads(editor, node, user, pads) for user in users):
                for user in users:
                    _fold(editor, node, user, pads)


def _may_fold(editor: GraphEditor, pad: Node) -> bool:
    return (
        editor.may_rewrite(pad)
        and not editor.is_fetched(pad)
        and pad.output_shapes[0].rank == _RANK
        and all(user.definition.name in _CONVOLUTIONS for user in editor.users(pad))
    )


def _pads(editor: GraphEditor, pad: Node) -> np.ndarray | None:
    """The paddings, if they are constant and of zeros."""
    pads = editor.constant(pad.inputs[1])
    if pads is None or pads.shape != (_RANK, 2) or pads.min() < 0:
        return None
    if len(pad.inputs) > 2:
        filling = editor.constant(pad.inputs[2])
        if filling is None or filling.ndim or filling != 0 or np.signbit(filling):
            return None
    return pads


def _takes_pads(editor: GraphEditor, pad: Node, conv: Node, pads: np.ndarray) -> bool:
    """Whether a convolution can do the padding: of height and width, and on top of no SAME."""
    height, width = _spatial_axes(conv)
    others = np.delete(pads, (height, width), axis=0)
    return (
        conv.attrs["padding"] in ("VALID", "EXPLICIT")
        and not others.any()
        and conv.inputs[0] == (pad, 0)
        and conv.inputs[1][0] is not pad
        and conv not in editor.conditional
        and same_device(conv, pad.inputs[0][0])
        and same_device(conv, pad)
    )


def _spatial_axes(conv: Node) -> tuple[int, int]:
    return (2, 3) if conv.attrs["data_format"] == "NCHW" else (1, 2)


def _fold(editor: GraphEditor, pad: Node, conv: Node, pads: np.ndarray) -> None:
    there = conv.attrs["explicit_paddings"] if conv.attrs["padding"] == "EXPLICIT" else (0,) * 8
    total = tuple(int(size) for size in np.asarray(there) + pads.ravel())
    conv.attrs = {**conv.attrs, "padding": "EXPLICIT", "explicit_paddings": total}
    editor.set_input(conv, 0, pad.inputs[0])
    editor.note(f"{conv.name}: pads by itself instead of {pad.name}")
