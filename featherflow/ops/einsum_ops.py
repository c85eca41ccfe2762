"""Einsum and `tf.einsum`: sums of products by labelled dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import opt_einsum

from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import Dim, InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import einsum as kernels
from featherflow.kernels.einsum import ELLIPSIS, Subscripts, parse_equation
from featherflow.ops.complex_ops import conj
from featherflow.ops.fill_ops import OnesLike
from featherflow.ops.sum_ops import unbroadcast
from featherflow.ops.type_groups import NUMBERS

Einsum = define_op(
    "Einsum",
    inputs=("inputs: N * T",),
    outputs=("output: T",),
    attrs=("equation: string", "N: int >= 1", "T: type"),
)

#: What an unknown size counts as where the order of several products is chosen.
_ASSUMED_SIZE = 2


@Einsum.shape_fn
def _einsum_shape(c: InferenceContext) -> TensorShape:
    try:
        subscripts = parse_equation(c.attrs["equation"])
    except ValueError as error:
        c.fail(str(error))
    if len(subscripts.operands) != len(c.shapes):
        c.fail(f"Expected {len(subscripts.operands)} inputs but got {len(c.shapes)}")
    sizes: dict[str, Dim] = {}
    hidden: int | None = 0
    for labels, shape in zip(subscripts.operands, c.shapes):
        if shape._dims is not None:
            count = _note_sizes(c, labels, shape._dims, sizes)
            hidden = None if hidden is None else max(hidden, count)
        elif ELLIPSIS in labels:
            hidden = None
    if hidden is None and ELLIPSIS in subscripts.output:
        return UNKNOWN
    output = subscripts.output.replace(ELLIPSIS, kernels.private_labels(hidden or 0))
    return TensorShape._of(tuple(sizes.get(label) for label in output))


def _note_sizes(
    c: InferenceContext, labels: str, dims: tuple[Dim, ...], sizes: dict[str, Dim]
) -> int:
    """Merges one operand's dimensions into the sizes of labels; returns how many "..." hides."""
    try:
        expanded = kernels.expand_ellipsis(labels, len(dims))
    except ValueError as error:
        c.fail(str(error))
    for label, dim in zip(expanded, dims):
        known = sizes.get(label)
        if kernels.is_private(label):
            sizes[label] = dim if label not in sizes else _broadcast(c, known, dim)
        else:
            sizes[label] = c.merge_dim(known, dim)
    return sum(map(kernels.is_private, expanded))


def _broadcast(c: InferenceContext, left: Dim, right: Dim) -> Dim:
    if left == 1 or right == 1:
        return right if left == 1 else left
    if left is None or right is None:
        return left or right
    return c.merge_dim(left, right)


@Einsum.kernel("CPU", T=NUMBERS)
def _einsum_cpu(*inputs: np.ndarray, equation: str) -> np.ndarray:
    return kernels.einsum(inputs, equation)


@Einsum.compile_rule
def _einsum_compile(c: Any, *inputs: Any, equation: str) -> Any:
    return c.einsum(equation, inputs)


@Einsum.gradient
def _einsum_grad(op: Any, grad: Tensor) -> list[Tensor]:
    subscripts = parse_equation(op.attrs["equation"])
    return [_operand_grad(op, subscripts, place, grad) for place in range(len(op.inputs))]


def _operand_grad(op: Any, subscripts: Subscripts, place: int, grad: Tensor) -> Tensor:
    """The output's gradient times the other operands, summed to one operand's labels."""
    target, x = subscripts.operands[place], op.inputs[place]
    factors, labels = [grad], [subscripts.output]
    for other, operand in enumerate(op.inputs):
        if other != place:
            factors.append(conj(operand))
            labels.append(subscripts.operands[other])
    available = "".join(labels)
    unique = "".join(dict.fromkeys(target.replace(ELLIPSIS, "")))
    missing = [label for label in unique if label not in available]
    if missing or (ELLIPSIS in target and ELLIPSIS not in available):
        # Labels that were summed over in this operand alone: their gradient is repeated.
        factors.append(OnesLike(x))
        labels.append(target)
    result = Einsum(factors, equation=Subscripts(tuple(labels), target).equation)
    return unbroadcast(result, x) if ELLIPSIS in target else result


@export("einsum", "linalg.einsum")
def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """Σ over labelled dimensions of the product of `inputs`.

        einsum("ij,jk->ik", a, b)     matrix product       einsum("ij->ji", a)    transpose
        einsum("bij,bjk->bik", a, b)  of stacks            einsum("ii->", a)      trace
        einsum("i,j->ij", a, b)       outer product        einsum("ij->i", a)     sums of rows

    Args:
      equation: labels of the dimensions of each input, and after "->" those of the result; labels
        that it lacks are summed over. "..." stands for any dimensions, which broadcast. Without
        "->" the result has the labels that occur once, in order.
      *inputs: tensors of one dtype.
      **kwargs: `optimize`: how `opt_einsum` orders three or more products, "greedy" if not given;
        `name`: of the scope.
    Returns:
      A tensor.
    Raises:
      ValueError: the equation has another form, or does not fit the inputs.
      TypeError: there are other keyword arguments.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.einsum("ij,j->i", [[1, 2], [3, 4]], [1, 10])).tolist()
    [21, 43]
    """
    name, optimize = kwargs.pop("name", None), kwargs.pop("optimize", "greedy")
    if kwargs:
        raise TypeError(f"Invalid keyword arguments for einsum: {', '.join(kwargs)}.")
    with op_scope(name, "einsum", inputs):
        subscripts = parse_equation(equation)
        if len(subscripts.operands) != len(inputs):
            raise ValueError(
                f'Got {len(inputs)} inputs for equation "{equation}", expecting '
                f"{len(subscripts.operands)}"
            )
        tensors = _converted(inputs)
        if len(tensors) <= 2:
            return Einsum(tensors, equation=subscripts.equation)
        return _pairwise(tensors, subscripts, optimize)


def _converted(inputs: Sequence[Any]) -> list[Tensor]:
    dtype: DType | None = next(
        (item.dtype.base_dtype for item in inputs if isinstance(item, Tensor)), None
    )
    return [convert_to_tensor(item, dtype_hint=dtype, name="inputs") for item in inputs]


def _pairwise(tensors: list[Tensor], subscripts: Subscripts, optimize: Any) -> Tensor:
    """Products of two tensors at a time, in the order that opt_einsum finds cheapest."""
    shapes = [_assumed_shape(*pair) for pair in zip(tensors, subscripts.operands)]
    found: Any = opt_einsum.contract_path(
        subscripts.equation, *shapes, shapes=True, einsum_call=True, optimize=optimize
    )
    _, contractions = found
    for places, _, equation, *_ in contractions:
        chosen = [tensors.pop(place) for place in places]
        tensors.append(Einsum(chosen, equation=equation))
    return tensors[0]


def _assumed_shape(tensor: Tensor, labels: str) -> tuple[int, ...]:
    if tensor.shape.rank is None:
        return (_ASSUMED_SIZE,) * len(labels.replace(ELLIPSIS, ""))
    return tuple(_ASSUMED_SIZE if size is None else size for size in tensor.shape.as_list())
