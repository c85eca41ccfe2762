"""Batching: whether a cluster treats the images of a batch apart, so that each can run alone.

A large model on a batch moves its activations through memory, layer by layer. Image by image they
stay in cache, and threads that take whole images never wait for each other. What it costs is that
weights are read once for each image: it pays where a model computes much for each weight.

The question is answered by comparing two lowerings of the cluster, of the whole batch and of one
image: the same values in the same order, whose first axes have `batch` times as many elements.
"""

from __future__ import annotations

from collections.abc import Sequence

from featherflow.compiler.fusion import live_values
from featherflow.compiler.lowered import (
    Broadcast,
    Constant,
    Contracted,
    Given,
    Joined,
    Lowered,
    Map,
    Number,
    Padded,
    Reduced,
    Reshaped,
    Sliced,
    Transposed,
)

#: Seconds for one operation, and for one byte of weights that is not in cache.
_SECONDS_A_FLOP = 1 / 160e9
_SECONDS_A_BYTE = 1 / 15e9
#: Operations for one image from which on calls are long enough.
_WORTH_ALONE = 2e7
#: Three images on two threads leave one of these idle for half of the time.
_UNEVEN_BATCH = 3


def pays_alone(flops: float, weight_bytes: int, batch: int) -> bool:
    """Whether images are better run one by one.

    The number of threads has no say: a product of few rows is summed in other chains than one of
    many, and results must not depend on threads.

    Args:
      flops: for one image.
    """
    computing, reading = flops * _SECONDS_A_FLOP, weight_bytes * _SECONDS_A_BYTE
    pays = flops >= _WORTH_ALONE and reading < 0.5 * computing
    return pays and batch != _UNEVEN_BATCH


def batched_inputs(
    whole: Sequence[Lowered],
    outputs: Sequence[Lowered],
    one: Sequence[Lowered],
    one_outputs: Sequence[Lowered],
    batch: int,
) -> list[bool] | None:
    """For each input of the cluster, whether images have parts of their own; None if not apart.

    Args:
      whole, outputs: the values and outputs for the batch.
      one, one_outputs: those for one image.
    """
    values, singles = live_values(whole, outputs), live_values(one, one_outputs)
    if len(values) != len(singles) or len(outputs) != len(one_outputs):
        return None
    batched: set[Lowered] = set()
    for value, single in zip(values, singles):
        if value.dtype != single.dtype or not _come_about_alike(value, single):
            return None
        if value.shape == single.shape:
            if any(operand in batched for operand in value.operands):
                return None
            continue
        expected = (single.shape[0] * batch, *single.shape[1:]) if single.shape else ()
        if value.shape != expected or not _keeps_apart(value, batched):
            return None
        batched.add(value)
    if not all(output in batched for output in outputs):
        return None
    given = [value for value in whole if isinstance(value.origin, Given)]
    return [value in batched for value in given]


def _come_about_alike(value: Lowered, single: Lowered) -> bool:
    """Whether two values differ by the shapes of their operands only: not by a number that depends
    on how many images there are."""
    origin, other = value.origin, single.origin
    if isinstance(origin, Constant) and isinstance(other, Constant):
        return origin.array is other.array or (
            origin.array.shape == other.array.shape
            and origin.array.tobytes() == other.array.tobytes()
        )
    if isinstance(origin, Number) and isinstance(other, Number):
        return repr(origin.number) == repr(other.number)
    return origin == other


def _keeps_apart(value: Lowered, batched: set[Lowered]) -> bool:
    """Whether each image of a batched value comes from the same image of its operands."""
    origin, operands = value.origin, value.operands
    if isinstance(origin, Given):
        return True
    if isinstance(origin, Constant | Number):
        return False
    if isinstance(origin, Map | Broadcast):
        return all(_fits(operand, value, batched) for operand in operands)
    if isinstance(origin, Contracted):
        return _contracts_apart(value, batched)
    if operands[0] not in batched:
        return False
    if isinstance(origin, Reshaped):
        return True  # images are neighbours in C order, under any shape
    if isinstance(origin, Transposed):
        return origin.permutation[0] == 0
    if isinstance(origin, Sliced):
        return origin.starts[0] == 0 and origin.steps[0] == 1 and _same_first(value, operands[0])
    if isinstance(origin, Padded):
        return origin.before[0] == 0 and _same_first(value, operands[0])
    if isinstance(origin, Reduced):
        return 0 not in origin.axes
    assert isinstance(origin, Joined)
    return origin.axis != 0 and all(operand in batched for operand in operands)


def _same_first(value: Lowered, operand: Lowered) -> bool:
    return value.shape[0] == operand.shape[0]


def _fits(operand: Lowered, value: Lowered, batched: set[Lowered]) -> bool:
    """Whether an operand lies along the images of a value, or is the same for all."""
    if operand in batched:
        return operand.rank == value.rank and _same_first(value, operand)
    return operand.rank < value.rank or operand.shape[:1] in ((), (1,))


def _contracts_apart(value: Lowered, batched: set[Lowered]) -> bool:
    first, *others = value.operands
    if first not in batched:
        return False
    apart = [other for other in others if other in batched]
    if not apart:
        return all(other.rank < 3 or other.shape[0] == 1 or value.rank == 4 for other in others)
    return value.rank > 2 and all(
        other.rank == value.rank and _same_first(value, other) for other in apart
    )
