"""Which programs build graphs: TF1 scripts typed with a plain `import featherflow as tf`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(folder: Path, source: str) -> subprocess.CompletedProcess[str]:
    path = folder / "program.py"
    path.write_text(source)
    return subprocess.run(
        [sys.executable, str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )


HEAD = "import numpy as np\nimport featherflow as tf\n"
#: Programs, and what they print as TF1 programs.
TRAPS = {
    "weight decay on a variable made first": (
        "w = tf.Variable([2.0])\n"
        "decay = 0.5 * tf.reduce_sum(w * w)\n"
        "x = tf.placeholder(tf.float32, [1])\n"
        "loss = tf.reduce_sum(w * x) + decay\n"
        "train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n"
        "with tf.Session() as s:\n"
        "    s.run(tf.global_variables_initializer())\n"
        "    for _ in range(3): s.run(train, {x: [0.0]})\n"
        "    print(round(float(s.run(w)[0]), 4))\n",
        "1.458",
    ),
    "noise added to a placeholder": (
        "noise = tf.random.normal([3])\n"
        "x = tf.placeholder(tf.float32, [3])\n"
        "y = x + noise\n"
        "with tf.Session() as s:\n"
        "    a, b = (s.run(y, {x: [0.0] * 3}) for _ in range(2))\n"
        "    print(bool((a != b).all()))\n",
        "True",
    ),
    "a step counter": (
        "step = tf.Variable(0, trainable=False)\n"
        "count = step.assign_add(1)\n"
        "with tf.Session() as s:\n"
        "    s.run(tf.global_variables_initializer())\n"
        "    print([int(s.run(count)) for _ in range(3)])\n",
        "[1, 2, 3]",
    ),
    "a learning rate that decays": (
        "step = tf.Variable(0, trainable=False)\n"
        "rate = tf.train.exponential_decay(1.0, step, 1, 0.5)\n"
        "with tf.Session() as s:\n"
        "    s.run(tf.global_variables_initializer())\n"
        "    first = s.run(rate)\n"
        "    s.run(step.assign_add(2))\n"
        "    print(first, s.run(rate))\n",
        "1.0 0.25",
    ),
    "graph-level seeds": (
        "tf.set_random_seed(1)\n"
        "x = tf.random.uniform([1])\n"
        "def draw():\n"
        "    with tf.Session() as s: return [float(s.run(x)[0]) for _ in range(2)]\n"
        "a, b = draw(), draw()\n"
        "print(a == b, a[0] != a[1])\n",
        "True True",
    ),
}


@pytest.mark.parametrize("name", TRAPS)
def test_tf1_scripts_are_tf1_scripts(name: str, tmp_path: Path) -> None:
    source, expected = TRAPS[name]
    done = run(tmp_path, HEAD + source)
    assert done.stdout.strip() == expected, done.stderr


def test_tf2_scripts_run_at_once(tmp_path: Path) -> None:
    done = run(tmp_path, HEAD + "print(tf.executing_eagerly(), tf.constant([1.0]) + 1)\n")
    assert done.stdout.strip() == "True tf.Tensor([2.], shape=(1,), dtype=float32)", done.stderr


def test_graph_blocks_do_not_decide(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        HEAD + "with tf.Graph().as_default():\n"
        "    x = tf.placeholder(tf.float32)\n"
        "    with tf.compat.v1.Session() as s: print(s.run(x * 2, {x: 3.0}))\n"
        "print(tf.executing_eagerly())\n",
    )
    assert done.stdout.split() == ["6.0", "True"], done.stderr


def test_without_source_the_first_tf1_name_decides(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(
        "import featherflow as tf\n"
        "def build():\n"
        "    x = tf.placeholder(tf.float32)\n"
        "    with tf.Session() as s: return s.run(x + 1.0, {x: 2.0})\n"
    )
    done = run(tmp_path, "import model\nprint(model.build(), model.tf.executing_eagerly())\n")
    assert done.stdout.split() == ["3.0", "False"], done.stderr


def test_effects_before_a_tf1_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(
        "import featherflow as tf\n"
        "v = tf.Variable(1.0)\n"
        "v.assign_add(1.0)\n"
        "def build():\n"
        "    return tf.placeholder(tf.float32) * v\n"
    )
    done = run(tmp_path, "import model\nmodel.build()\n")
    assert "FailedPreconditionError" in done.stderr
    assert "model.py:3" in done.stderr and "tf.disable_v2_behavior()" in done.stderr


def test_variables_made_before_are_variables_of_the_graph(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(
        "import featherflow as tf\n"
        "v = tf.Variable([1.0, 2.0], name='v')\n"
        "def build():\n"
        "    x = tf.placeholder(tf.float32)\n"
        "    y = x * v\n"
        "    update = v.assign_add([1.0, 1.0])\n"
        "    with tf.Session() as s:\n"
        "        s.run(tf.global_variables_initializer())\n"
        "        s.run(update)\n"
        "        return s.run(y, {x: 2.0}).tolist(), tf.trainable_variables()[0] is v\n"
    )
    done = run(tmp_path, "import model\nprint(model.build())\n")
    assert done.stdout.strip() == "([4.0, 6.0], True)", done.stderr
