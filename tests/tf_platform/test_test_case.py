"""What tf.test.TestCase and tf.test.Benchmark do where no answers of TensorFlow are recorded."""

from __future__ import annotations

import sys

import pytest

import featherflow as tf


def run(body) -> None:
    """Runs `body` as the one test of a class; what it raises is raised."""

    class OneTest(tf.test.TestCase):
        def test_it(self) -> None:
            body(self)

    result = OneTest("test_it").run()
    assert result is not None
    assert not result.errors, result.errors[0][1]
    assert not result.failures, result.failures[0][1]


def test_writes_to_a_stream_are_captured(capfd) -> None:
    def body(test: tf.test.TestCase) -> None:
        with test.captureWritesToStream(sys.stderr) as captured:
            print("inside", file=sys.stderr)
            assert captured.contents() == "inside\n"

    with capfd.disabled():
        run(body)


def test_files_are_made_in_the_folder_of_the_test() -> None:
    def body(test: tf.test.TestCase) -> None:
        folder = test.create_tempdir("folder")
        file = folder.create_file("below/text.txt", content="text")
        assert file.full_path.startswith(test.get_temp_dir())
        assert file.read_text() == "text"
        file.write_text(" more", "a")
        assert file.read_bytes() == b"text more"
        assert test.create_tempfile(content=b"\x00\x01").read_bytes() == b"\x00\x01"
        assert folder.mkdir("inner").full_path.endswith("inner")

    run(body)


@pytest.mark.parametrize(("value", "holds"), [(1.05, True), (1.5, False)])
def test_messages_may_be_near(value: float, holds: bool) -> None:
    message = tf.GraphDef()
    message.node.add(name="a").attr["f"].f = value
    text = "node { name: 'a' attr { key: 'f' value { f: 1.0 } } }"
    test = tf.test.TestCase()
    if holds:
        test.assertProtoEquals(text, message, relative_tolerance=0.1)
    else:
        with pytest.raises(AssertionError):
            test.assertProtoEquals(text, message, relative_tolerance=0.1)


def test_versions_of_graphs() -> None:
    with tf.Graph().as_default() as graph:
        tf.no_op(name="q")
    test = tf.test.TestCase()
    test.assertProtoEqualsVersion("node { name: 'q' op: 'NoOp' }", graph.as_graph_def())
    with pytest.raises(AssertionError):
        test.assertProtoEqualsVersion("node { name: 'r' op: 'NoOp' }", graph.as_graph_def())


def test_properties_are_recorded() -> None:
    test = tf.test.TestCase()
    test.record_property("size", 3)
    assert test.get_recorded_properties() == {"size": 3}


def test_a_failed_thread_is_reported_where_it_is_joined() -> None:
    def body(test: tf.test.TestCase) -> None:
        thread = test.checkedThread(target=lambda: test.fail("in the thread"))
        thread.start()
        with test.assertRaisesRegex(AssertionError, "in the thread"):
            thread.join()

    run(body)


def test_a_session_that_must_use_a_gpu_refuses_to_do_without() -> None:
    def body(test: tf.test.TestCase) -> None:
        with test.session(force_gpu=True) as session:
            x = tf.constant(1.0)
            assert x.device == "/device:GPU:0"
            with test.assertRaises(tf.errors.InvalidArgumentError):
                session.run(x)

    run(body)


def test_a_benchmark_reports_its_median(capsys) -> None:
    class AddBenchmark(tf.test.Benchmark):
        def benchmarkAdd(self) -> None: ...

    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.add(tf.placeholder_with_default(1.0, []), 2.0)
        result = AddBenchmark().run_op_benchmark(
            session, y, min_iters=3, store_trace=True, mbs=1, extras={"note": 7}
        )
    assert result["iters"] == 3 and result["wall_time"] > 0
    assert "traceEvents" in result["extras"]["full_trace_chrome_format"]
    assert capsys.readouterr().out.startswith("entry: AddBenchmark.benchmarkAdd iters: 3")
    assert not AddBenchmark.is_abstract() and tf.test.Benchmark.is_abstract()
