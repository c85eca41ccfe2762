"""Test programs as users write them: run whole, by unittest and by pytest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import sys

import numpy as np
import featherflow as tf

tf.flags.DEFINE_integer("size", 3, "number of elements")


class ArithmeticTest(tf.test.TestCase):

  def setUp(self):
    super().setUp()
    self.x = np.arange(3, dtype=np.float32)

  def testSquare(self):
    with self.session() as sess:
      x = tf.placeholder(tf.float32, [None])
      y = tf.square(x)
      self.assertAllClose(self.x ** 2, sess.run(y, {x: self.x}))
      self.assertAllEqual([3], sess.run(tf.shape(y), {x: self.x}))
      self.assertEqual("Square", y.op.type)

  def testFlag(self):
    if "pytest" not in sys.modules:  # whose command line is not the program's
      self.assertBetween(tf.flags.FLAGS.size, 3, 5)

  def testVariable(self):
    with self.cached_session():
      v = tf.Variable([1.0, 2.0])
      self.evaluate(tf.global_variables_initializer())
      self.evaluate(v.assign_add([1.0, 1.0]))
    with self.cached_session():
      self.assertAllEqual(self.evaluate(v), [2.0, 3.0])

  def testError(self):
    with self.session():
      bad = tf.check_numerics(tf.log([0.0]), "found")
      with self.assertRaisesOpError("found : Tensor had Inf"):
        bad.eval()

  def testGradient(self):
    with self.session():
      x = tf.placeholder(tf.float32, [4])
      y = tf.tanh(x)
      self.assertLess(tf.test.compute_gradient_error(x, [4], y, [4]), 1e-3)

  def testThreads(self):
    found = []
    threads = [self.checkedThread(target=found.append, args=(i,)) for i in range(3)]
    for thread in threads:
      thread.start()
    for thread in threads:
      thread.join()
    self.assertCountEqual([0, 1, 2], found)


class WrongTest(tf.test.TestCase):

  def testFails(self):
    self.assertAllClose([1.0, 2.0], [1.0, 2.5])

  def testErrs(self):
    raise ValueError("on purpose")


if __name__ == "__main__":
  tf.test.main()
"""

BENCHMARK = """
import featherflow as tf


class AddBenchmark(tf.test.Benchmark):

  def benchmarkAdd(self):
    with tf.Graph().as_default(), tf.Session(config=tf.test.benchmark_config()) as sess:
      y = tf.add(tf.placeholder_with_default(1.0, []), 2.0)
      self.run_op_benchmark(sess, y, min_iters=3, extras={"note": 7})

  def benchmarkOther(self):
    raise ValueError("not asked for")


if __name__ == "__main__":
  tf.test.main()
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "arithmetic_test.py"
    path.write_text(PROGRAM)
    return path


def run(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, command)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )


def test_a_program_fails_if_a_test_does(program: Path) -> None:
    done = run(program)
    assert done.returncode == 1
    assert "Ran 10 tests" in done.stderr  # in each class one says that it is none: test_session
    assert "failures=1, errors=1, skipped=2" in done.stderr
    assert "Mismatched value" in done.stderr and "on purpose" in done.stderr


def test_a_program_passes_if_all_tests_do(program: Path) -> None:
    done = run(program, "ArithmeticTest")
    assert done.returncode == 0, done.stderr
    assert "OK" in done.stderr


def test_flags_are_read_before_the_names_of_tests(program: Path) -> None:
    done = run(program, "--size=5", "ArithmeticTest.testFlag")
    assert done.returncode == 0, done.stderr
    assert "Ran 1 test" in done.stderr
    assert run(program, "--size=9", "ArithmeticTest.testFlag").returncode == 1


def test_a_failing_test_of_that_name_fails(program: Path) -> None:
    assert run(program, "WrongTest.testFails").returncode == 1


def test_pytest_runs_the_same_file(program: Path) -> None:
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", program)
    assert done.returncode == 1
    assert "2 failed, 6 passed" in done.stdout, done.stdout


def test_benchmarks_run_when_they_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "add_benchmark.py"
    path.write_text(BENCHMARK)
    done = run(path, "--benchmarks=Add$")
    assert done.returncode == 0, done.stderr
    assert "entry: AddBenchmark.benchmarkAdd iters: 3 wall_time: " in done.stdout
    assert "note: 7" in done.stdout
