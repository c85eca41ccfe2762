"""Candidate samplers: the classes that a loss over many classes is estimated from.

How classes are drawn is in `kernels/candidate_sampling.py`.

See: Jean, Cho, Memisevic & Bengio 2015, "On using very large target vocabulary for neural machine
translation".
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError, NotFoundError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.op_kernel import NodeInfo
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph_api import get_seed
from featherflow.kernels import candidate_sampling as kernels
from featherflow.ops.random_ops import RandomKernel

_OUTPUTS = (
    "sampled_candidates: int64",
    "true_expected_count: float",
    "sampled_expected_count: float",
)
_COUNTS = ("num_true: int >= 1", "num_sampled: int >= 1", "unique: bool")
_RANGE = "range_max: int >= 1"
_SEEDS = ("seed: int = 0", "seed2: int = 0")
_NO_GRADIENT = "classes are drawn"

# --- the samplers ---------------------------------------------------------------------------------


class _SamplerKernel(RandomKernel):
    """Has a sampler of its own, which may learn from run to run."""

    def __init__(self, node: NodeInfo) -> None:
        super().__init__(node)
        self.sampler = self.make_sampler(node.attrs)

    def make_sampler(self, attrs: dict[str, Any]) -> kernels.ClassSampler:
        """The sampler that the attributes describe."""
        raise NotImplementedError(type(self).__name__)

    def compute(self, ctx: Any, true_classes: np.ndarray) -> kernels.Batch:
        attrs = self.node.attrs
        if true_classes.ndim != 2 or true_classes.shape[1] != attrs["num_true"]:
            raise InvalidArgumentError(
                None,
                None,
                "true_classes must be a matrix with num_true columns",
                received=f"shape {list(true_classes.shape)}",
                expected=f"{attrs['num_true']} columns",
            )
        return self.sampler.sample(
            self.generator, true_classes, attrs["num_sampled"], attrs["unique"]
        )


class _UniformCpu(_SamplerKernel):
    def make_sampler(self, attrs: dict[str, Any]) -> kernels.ClassSampler:
        return kernels.UniformSampler(attrs["range_max"])


class _LogUniformCpu(_SamplerKernel):
    def make_sampler(self, attrs: dict[str, Any]) -> kernels.ClassSampler:
        return kernels.LogUniformSampler(attrs["range_max"])


class _LearnedUnigramCpu(_SamplerKernel):
    def make_sampler(self, attrs: dict[str, Any]) -> kernels.ClassSampler:
        return kernels.LearnedUnigramSampler(attrs["range_max"])


class _AllCpu(_SamplerKernel):
    def make_sampler(self, attrs: dict[str, Any]) -> kernels.ClassSampler:
        return kernels.AllSampler(attrs["num_sampled"])


class _FixedUnigramCpu(_SamplerKernel):
    def make_sampler(self, attrs: dict[str, Any]) -> kernels.ClassSampler:
        return kernels.FixedUnigramSampler(attrs["range_max"], _fixed_weights(attrs))


def _fixed_weights(attrs: dict[str, Any]) -> np.ndarray:
    """The weights of the classes of one shard: reserved ones have none."""
    vocab_file, unigrams = attrs["vocab_file"], attrs["unigrams"]
    if bool(vocab_file) == bool(unigrams):
        raise InvalidArgumentError(
            None,
            None,
            "Must provide one of vocab_file and unigrams, not both",
            received=f"vocab_file {vocab_file!r} and {len(unigrams)} unigrams",
        )
    weights = _read_weights(vocab_file) if vocab_file else unigrams
    distorted = np.power(np.array(weights, np.float32), np.float32(attrs["distortion"]))
    shard, shards = attrs["shard"], attrs["num_shards"]
    reserved = len(range(shard, attrs["num_reserved_ids"], shards))
    # As TensorFlow, which numbers on from the reserved classes of this shard, not of all.
    own = distorted[(shard - reserved) % shards :: shards]
    return np.concatenate([np.zeros(reserved, np.float32), own])


def _read_weights(path: str) -> list[float]:
    """The last column of a file of comma-separated values.

    Raises:
      NotFoundError: there is no such file.
      InvalidArgumentError: a line ends with no number.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise NotFoundError(None, None, f"{path}; {error.strerror}") from None
    try:
        return [float(line.rsplit(",", 1)[-1]) for line in lines if line.strip()]
    except ValueError as error:
        raise InvalidArgumentError(None, None, f"Wrong vocabulary format: {error}") from None


def _define_sampler(name: str, kernel: type[_SamplerKernel], attrs: Sequence[str]) -> Op:
    op = define_op(
        name,
        inputs=("true_classes: int64",),
        outputs=_OUTPUTS,
        attrs=(*_COUNTS, *attrs, *_SEEDS),
        is_stateful=True,
        order_free=True,
    )
    op.kernel("CPU")(kernel)
    op.shape_fn(_sampler_shape)
    op.without_gradient(_NO_GRADIENT)
    return op


def _sampler_shape(c: InferenceContext) -> list[TensorShape]:
    batch, _ = c.dims(0, 2)
    samples = TensorShape._of((c.attrs["num_sampled"],))
    return [samples, TensorShape._of((batch, c.attrs["num_true"])), samples]


UniformCandidateSampler = _define_sampler("UniformCandidateSampler", _UniformCpu, [_RANGE])
LogUniformCandidateSampler = _define_sampler("LogUniformCandidateSampler", _LogUniformCpu, [_RANGE])
LearnedUnigramCandidateSampler = _define_sampler(
    "LearnedUnigramCandidateSampler", _LearnedUnigramCpu, [_RANGE]
)
# The same without a lock; here the kernel of one node never runs twice at a time.
ThreadUnsafeUnigramCandidateSampler = _define_sampler(
    "ThreadUnsafeUnigramCandidateSampler", _LearnedUnigramCpu, [_RANGE]
)
FixedUnigramCandidateSampler = _define_sampler(
    "FixedUnigramCandidateSampler",
    _FixedUnigramCpu,
    [
        _RANGE,
        "vocab_file: string = ''",
        "distortion: float = 1.0",
        "num_reserved_ids: int = 0",
        "num_shards: int >= 1 = 1",
        "shard: int >= 0 = 0",
        "unigrams: list(float) = []",
    ],
)
AllCandidateSampler = _define_sampler("AllCandidateSampler", _AllCpu, [])


# --- ComputeAccidentalHits ------------------------------------------------------------------------

ComputeAccidentalHits = define_op(
    "ComputeAccidentalHits",
    inputs=("true_classes: int64", "sampled_candidates: int64"),
    outputs=("indices: int32", "ids: int64", "weights: float"),
    attrs=("num_true: int", *_SEEDS),
)


@ComputeAccidentalHits.shape_fn
def _compute_accidental_hits_shape(c: InferenceContext) -> list[TensorShape]:
    _, columns = c.dims(0, 2)
    if columns is not None and columns != c.attrs["num_true"]:
        c.fail(f"Dimension must be {c.attrs['num_true']} but is {columns}", received=c.received())
    c.with_rank(1, 1)
    return [TensorShape._of((None,))] * 3


@ComputeAccidentalHits.kernel("CPU")
def _compute_accidental_hits_cpu(
    true_classes: np.ndarray, sampled_candidates: np.ndarray, *, num_true: int
) -> tuple[np.ndarray, ...]:
    is_matrix = true_classes.ndim == 2 and true_classes.shape[1] == num_true
    if not is_matrix or sampled_candidates.ndim != 1:
        raise InvalidArgumentError(
            None,
            None,
            "true_classes must be a matrix with num_true columns, sampled_candidates a vector",
            received=f"shapes {list(true_classes.shape)} and {list(sampled_candidates.shape)}",
        )
    return kernels.accidental_hits(true_classes, sampled_candidates)


ComputeAccidentalHits.without_gradient(_NO_GRADIENT)


# --- public functions -----------------------------------------------------------------------------


def _sample(
    op: Op,
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None,
    name: str | None,
    **attrs: Any,
) -> Any:
    first, second = get_seed(seed)
    return op(
        true_classes,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=unique,
        seed=first,
        seed2=second,
        name=name,
        **attrs,
    )


@export("random.uniform_candidate_sampler")
@export_v1("nn.uniform_candidate_sampler", "random.uniform_candidate_sampler")
def uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Draws classes of [0, range_max) that are all as probable.

    Args:
      true_classes: `[N, num_true]`, int64.
      num_true: true classes of each example.
      num_sampled: how many classes are drawn.
      unique: whether all of them differ.
      range_max: the number of classes.
      seed: of the op.
      name: of the node.
    Returns:
      A named tuple: the classes, `[num_sampled]`, and how often each true class and each drawn
      one is expected among them.

    >>> import featherflow as tf
    >>> classes, _, counts = tf.random.uniform_candidate_sampler([[0]], 1, 4, True, 4, seed=1)
    >>> with tf.Session() as sess:
    ...     sorted(sess.run(classes).tolist())
    [0, 1, 2, 3]
    """
    op = UniformCandidateSampler
    return _sample(op, true_classes, num_true, num_sampled, unique, seed, name, range_max=range_max)


@export("random.log_uniform_candidate_sampler")
@export_v1("nn.log_uniform_candidate_sampler", "random.log_uniform_candidate_sampler")
def log_uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Draws classes by Zipf's law: they are numbered by how frequent they are.

        p(k) = log((k + 2) / (k + 1)) / log(range_max + 1)

    Args and returns: as for `uniform_candidate_sampler`.
    """
    op = LogUniformCandidateSampler
    return _sample(op, true_classes, num_true, num_sampled, unique, seed, name, range_max=range_max)


@export("nn.learned_unigram_candidate_sampler", "random.learned_unigram_candidate_sampler")
def learned_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Draws classes as often as they were true ones in the runs before.

    Args and returns: as for `uniform_candidate_sampler`.
    """
    op = LearnedUnigramCandidateSampler
    return _sample(op, true_classes, num_true, num_sampled, unique, seed, name, range_max=range_max)


@export("nn.fixed_unigram_candidate_sampler", "random.fixed_unigram_candidate_sampler")
def fixed_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Sequence[float] = (),
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Draws classes with given weights.

    Args:
      true_classes, num_true, num_sampled, unique, range_max, seed, name: as for
        `uniform_candidate_sampler`.
      vocab_file: a file of comma-separated lines, the weight last; or
      unigrams: the weights.
      distortion: the power that weights are raised to.
      num_reserved_ids: classes in front, which are never drawn.
      num_shards, shard: takes each `num_shards`-th class from `shard` on only.
    Returns:
      As `uniform_candidate_sampler`.
    """
    return _sample(
        FixedUnigramCandidateSampler,
        true_classes,
        num_true,
        num_sampled,
        unique,
        seed,
        name,
        range_max=range_max,
        vocab_file=vocab_file,
        distortion=distortion,
        num_reserved_ids=num_reserved_ids,
        num_shards=num_shards,
        shard=shard,
        unigrams=list(unigrams),
    )


@export("nn.all_candidate_sampler", "random.all_candidate_sampler")
def all_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Gives all `num_sampled` classes: the loss is not estimated but exact."""
    return _sample(AllCandidateSampler, true_classes, num_true, num_sampled, unique, seed, name)


@export("nn.compute_accidental_hits")
def compute_accidental_hits(
    true_classes: Any,
    sampled_candidates: Any,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Where drawn classes are true ones.

    Args:
      true_classes: `[N, num_true]`, int64.
      sampled_candidates: `[samples]`, int64.
      num_true: true classes of each example.
      seed: of the op; without effect.
      name: of the node.
    Returns:
      A named tuple: rows of `true_classes`, places in `sampled_candidates`, and −max for each.
    """
    first, second = get_seed(seed)
    return ComputeAccidentalHits(
        true_classes, sampled_candidates, num_true=num_true, seed=first, seed2=second, name=name
    )
