"""Writes docs/api_coverage.md: which of TensorFlow's names and ops featherflow has.

The counts come from the recorded tables of TensorFlow's public API and op registry; the reasons
from the tables below. `--check` writes nothing and fails if anything would change.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from featherflow import _index  # noqa: E402

TABLES = ROOT / "tests" / "differential"
DOCUMENT = ROOT / "docs" / "api_coverage.md"

LATER = "later"
NEVER = "no"
#: Regular expression of ops that are not there → when they come, and why.
OP_REASONS: tuple[tuple[str, str, str], ...] = (
    (
        r"A|B|Foo\d|None|Old|OutT|Binary|Unary|Restrict|ToBool|CopyOp|Fact|Namespace>.*|Simple\w*|"
        r"(Attr|Float|FiveFloat|Func(List)?Attr|IntAttr|IntInput|IntOutput|Int64Output|InPolymorphic|"
        r"NIn|NPolymorphic|TwoFloat|TwoInt|TwoRefs|RefIn|RefOut|TypeList|OutTypeList|ListInput|"
        r"ListOutput|Polymorphic|Test|MixedStruct|ComplexStruct|Reserved|ResourceCreateOp|"
        r"ResourceUsingOp|ResourceInitializedOp|StubResource|KernelLabel|DefaultAttrs|OpWith|"
        r"StringListAttr|RequiresOlder|GraphDefVersion|ConstructionFails|DevicePlacementOp|"
        r"DtypeWithDefault|Sleep|GetDeadline|IsResourceHandleRef|MakeWeak|NonDeterministic)\w*",
        NEVER,
        "ops of TensorFlow's own tests",
    ),
    (
        r"\w*(Xla|TPU|Tpu|SparseCore|CooTensor|Minibatch|DedupData|Infeed|Outfeed|Prelinearize)\w*",
        NEVER,
        "TPUs and XLA",
    ),
    (r"_\w*", NEVER, "internal to TensorFlow's runtime and its CPU library"),
    (r"DTensor\w*|CopyToMesh\w*|Relayout\w*", NEVER, "DTensor"),
    (r"(Risc|Uniform)[A-Z]\w*", NEVER, "a compiler's own dialects"),
    (r"\w*(TRT|Ifrt|Tfrt)\w*", NEVER, "TensorRT and TensorFlow's other runtimes"),
    (r"Boosted\w*|\w*Trees\w*|TensorForest\w*", NEVER, "boosted trees, which TensorFlow took out"),
    (r"Cudnn\w*", NEVER, "cuDNN's own formats"),
    (
        r"\w*(Dataset|Iterator|Optional|StatsAggregator|MemoryCache|ThreadPool|CompressElement)\w*|"
        r"MapDefun|WindowOp",
        LATER,
        "tf.data",
    ),
    (
        r"\w*(Nccl|Collective|Rpc)\w*|AllToAll|CrossReplica\w*|RemoteCall|Send|Recv",
        LATER,
        "several machines",
    ),
    (r"(Save|Restore|MergeV2|Sharded|LoadAndRemap|Distributed)\w*", LATER, "checkpoints"),
    (r"\w*(CSR|SparseMatrix)\w*", LATER, "sparse matrices"),
    (
        r"Batch(Cholesky|FFT|IFFT|Matrix|Self|Svd)\w*|TensorArray\w*|Stack\w*|Inplace\w*|TileGrad|"
        r"SelfAdjointEig|RandomCrop|RefSelect",
        LATER,
        "versions that old graphs hold",
    ),
    (r"(Debug|DumpTensor|Copy)\w*", LATER, "the debugger of graphs"),
    (r"\w*(Summary|Audio|Wav|Mfcc|ImportEvent)\w*", LATER, "summaries and audio"),
    (r"Ragged\w*|\w*TensorMap\w*|TensorMap\w*", LATER, "ragged tensors and maps"),
    (r"\w*(Quant|Calibration)\w*", LATER, "quantization"),
    (
        r"\w*(Reader|Record|Example|Proto|Csv|CSV|JSON|Jpeg|Jxl|Png|Gif|Bmp|WebP|Image|Bounding)\w*|"
        r"ExtractGlimpse\w*|AdjustContrast|FusedResize\w*|FusedPad\w*",
        LATER,
        "files, records and images",
    ),
    (
        r"\w*(Stateful|Anonymous|Generator)\w*|Rng\w*",
        LATER,
        "tf.random.Generator and eager handles",
    ),
    (
        r"\w*(Session|Accumulator|Barrier|Mutex|Stage|Queue)\w*|"
        r"(Ordered)?Map(Clear|Peek|Size|Incomplete)\w*",
        LATER,
        "stateful containers of TF1",
    ),
    (r"Sdca\w*|Kmeans\w*|KMC2\w*|NearestNeighbors|Skipgram|NegTrain", LATER, "older learners"),
    (r"\w*(Loss|Sampler|CTC|Accidental)\w*", LATER, "candidate sampling and sequences"),
    (r"\w*Apply\w*", LATER, "optimisers"),
)
#: Namespace → when it comes, and why.
NAMESPACE_REASONS = {
    "keras": (LATER, "Keras runs on featherflow as on TensorFlow"),
    "data": (LATER, "input pipelines"),
    "distribute": (LATER, "several devices and machines"),
    "saved_model": (LATER, "SavedModels"),
    "summary": (LATER, "summaries for TensorBoard"),
    "lite": (NEVER, "another runtime"),
    "tpu": (NEVER, "TPUs"),
    "mlir": (NEVER, "TensorFlow's compiler"),
    "xla": (NEVER, "TensorFlow's compiler"),
    "raw_ops": (LATER, "every op that is there is in raw_ops: see the table of ops"),
    "estimator": (NEVER, "taken out of TensorFlow"),
    "feature_column": (LATER, "columns of features"),
    "ragged": (LATER, "ragged tensors"),
    "profiler": (LATER, "with eager execution"),
    "autograph": (LATER, "with tf.function"),
    "types": (LATER, "with tf.function"),
    "experimental": (LATER, "extension types, with tf.function"),
    "mixed_precision": (LATER, "with Keras"),
    "distributions": (LATER, "distributions of TF1"),
    "quantization": (LATER, "quantization"),
    "losses": (LATER, "in TF2 they are Keras's; TF1's are there"),
    "metrics": (LATER, "in TF2 they are Keras's; TF1's are there"),
    "optimizers": (LATER, "Keras's"),
    "initializers": (LATER, "in TF2 they are Keras's; TF1's are there"),
    "config": (LATER, "settings of the eager context"),
    "linalg": (LATER, "LinearOperator and its kinds"),
    "audio": (LATER, "audio formats"),
    "image": (LATER, "image formats"),
    "io": (LATER, "records, examples and image formats"),
    "lookup": (LATER, "tables of experimental kinds"),
    "debugging": (LATER, "switches of the eager context"),
    "random": (LATER, "tf.random.Generator"),
    "nn": (LATER, "candidate sampling and sequences"),
    "train": (LATER, "monitored sessions and distributed training"),
}


def recorded(name: str) -> dict:
    """A table of TensorFlow's facts."""
    return json.loads(gzip.decompress((TABLES / name).read_bytes()))


def op_reason(name: str) -> tuple[str, str]:
    """When an op comes, and with what."""
    for pattern, when, why in OP_REASONS:
        if re.fullmatch(pattern, name):
            return when, why
    return LATER, "others"


def _columns(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def _folded(title: str, names: Iterable[str]) -> str:
    return f"\n<details><summary>{title}</summary>\n\n{_columns(names)}\n\n</details>"


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def op_lines() -> Iterator[str]:
    ops = recorded("op_registry.json.gz")["ops"]
    there = {name for name in ops if name in _index.OP_FAMILIES}
    own = sorted(set(_index.OP_FAMILIES) - set(ops))
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in sorted(set(ops) - there):
        groups[op_reason(name)].append(name)
    yield f"{len(there)} of the {len(ops)} ops of TensorFlow's registry are there."
    if own:
        yield f"Ops of featherflow's own: {_columns(own)}."
    yield ""
    yield _row("ops that are not there", "number", "will they come?")
    yield _row("---", "---:", "---")
    for (when, why), names in sorted(groups.items(), key=lambda item: -len(item[1])):
        yield _row(why, len(names), "yes" if when == LATER else "no")
    for (_, why), names in sorted(groups.items(), key=lambda item: item[0][1]):
        yield _folded(f"{why}: {len(names)}", names)


def _by_namespace(names: Iterable[str]) -> dict[str, set[str]]:
    groups: dict[str, set[str]] = defaultdict(set)
    for name in names:
        groups[name.split(".")[0] if "." in name else ""].add(name)
    return groups


def name_lines(api: str, names: Mapping[str, object], ours: set[str]) -> Iterator[str]:
    groups = _by_namespace(names)
    there = sum(name in ours for name in names)
    yield f"{there} of {len(names)} names are there."
    yield ""
    yield _row("namespace", "there", "of", "the rest")
    yield _row("---", "---:", "---:", "---")
    missing = {}
    for namespace, members in sorted(groups.items()):
        found = members & ours
        when, why = NAMESPACE_REASONS.get(namespace, ("", ""))
        missing[namespace] = members - found
        note = "" if not missing[namespace] else f"{'no: ' if when == NEVER else ''}{why}"
        yield _row(f"`{namespace}`" if namespace else "(root)", len(found), len(members), note)
    for namespace, members in sorted(missing.items()):
        if members and namespace not in ("keras", "raw_ops", "lite", "tpu"):
            title = f"{api} {namespace or '(root)'}: {len(members)} that are not there"
            short = [name.removeprefix(f"{namespace}.") for name in members]
            yield _folded(title, short)


def document() -> str:
    """The text of the document."""
    table = recorded("public_api.json.gz")
    lines = [
        "# What of TensorFlow's API is there",
        "",
        f"Counted against TensorFlow {table['tensorflow']}. Written by `tools/api_coverage.py`.",
        "How names are called is compared by `tests/differential/test_public_api.py`.",
        "",
        "## Ops",
        "",
        *op_lines(),
        "",
        "## Names of TF1's API (`tf.compat.v1`)",
        "",
        *name_lines("tf.compat.v1", table["v1"], set(_index.V2) | set(_index.V1) | _raw_ops()),
        "",
        "## Names of TF2's API (`tf`)",
        "",
        *name_lines("tf", table["v2"], set(_index.V2) | _raw_ops()),
        "",
    ]
    return "\n".join(lines)


def _raw_ops() -> set[str]:
    return {f"raw_ops.{name}" for name in _index.OP_FAMILIES}


def main() -> int:
    text = document()
    if DOCUMENT.exists() and DOCUMENT.read_text() == text:
        return 0
    if "--check" in sys.argv:
        print(f"stale: {DOCUMENT.relative_to(ROOT)}: run tools/api_coverage.py")
        return 1
    DOCUMENT.write_text(text)
    print(f"written: {DOCUMENT.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
