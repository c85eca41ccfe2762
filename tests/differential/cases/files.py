"""Checkpoints, files, records, serialized examples and summaries."""

from __future__ import annotations

import pathlib
import tempfile

import numpy as np

from ..case import Script, case, error_case, error_cases
from ..inputs import normal


def _in_folder(body):
    """A session's body that gets a temporary folder as its second argument."""

    def run(session):
        with tempfile.TemporaryDirectory() as folder:
            return body(session, pathlib.Path(folder))

    return Script(run)


@case
def saver_saves_and_restores(tf):
    w = tf.Variable(normal(2, 3), name="w")
    b = tf.Variable([1, 2], name="b", use_resource=True)
    change = tf.group(tf.assign_add(w, tf.ones([2, 3])), tf.assign(b, [7, 8]))
    saver = tf.train.Saver()

    def body(session, folder):
        session.run(tf.global_variables_initializer())
        path = saver.save(session, str(folder / "model"), global_step=5)
        session.run(change)
        changed = session.run([w, b])
        saver.restore(session, path)
        reader = tf.train.load_checkpoint(path)
        return {
            "changed": changed,
            "restored": session.run([w, b]),
            "name": pathlib.Path(path).name,
            "files": sorted(item.name for item in folder.iterdir()),
            "latest": pathlib.Path(tf.train.latest_checkpoint(str(folder))).name,
            "exists": tf.train.checkpoint_exists(path),
            "stored": [f"{name} {shape}" for name, shape in tf.train.list_variables(path)],
            "b": reader.get_tensor("b"),
            "dtype": str(reader.get_variable_to_dtype_map()["w"]),
        }

    return _in_folder(body)


@case
def saver_with_chosen_names(tf):
    w, other = tf.Variable([1.0, 2.0], name="w"), tf.Variable([5.0, 6.0], name="other")
    save, load = tf.train.Saver({"renamed": w}), tf.train.Saver({"renamed": other})

    def body(session, folder):
        session.run(tf.global_variables_initializer())
        path = save.save(session, str(folder / "model"), write_meta_graph=False)
        load.restore(session, path)
        return [session.run([w, other]), sorted(item.name for item in folder.iterdir())]

    return _in_folder(body)


@case
def saver_keeps_the_last_few(tf):
    tf.Variable(1, name="v")
    saver = tf.train.Saver(max_to_keep=2)

    def body(session, folder):
        session.run(tf.global_variables_initializer())
        for step in (1, 2, 3):
            saver.save(session, str(folder / "model"), global_step=step, write_meta_graph=False)
        kept = [pathlib.Path(path).name for path in saver.last_checkpoints]
        return [kept, sorted(item.name for item in folder.glob("*.index"))]

    return _in_folder(body)


@case
def saver_of_a_meta_graph(tf):
    w = tf.Variable(normal(3), name="w")
    tf.multiply(w, 2.0, name="y")
    saver = tf.train.Saver()

    def body(session, folder):
        session.run(tf.global_variables_initializer())
        path = saver.save(session, str(folder / "model"))
        with tf.Graph().as_default() as graph, tf.Session() as other:
            restored = tf.train.import_meta_graph(f"{path}.meta")
            restored.restore(other, path)
            return other.run(graph.get_tensor_by_name("y:0"))

    return _in_folder(body)


@case
def raw_save_and_restore(tf):
    prefix = tf.placeholder(tf.string, [])
    tensors = [tf.constant(normal(2, 3)), tf.constant([1, 2], tf.int64), tf.constant(["a", "b"])]
    names = ["x", "y", "z"]
    save = tf.raw_ops.SaveV2(
        prefix=prefix, tensor_names=names, shape_and_slices=["", "", ""], tensors=tensors
    )
    restore = tf.raw_ops.RestoreV2(
        prefix=prefix,
        tensor_names=names,
        shape_and_slices=["2 3 0,1:1,2", "", ""],
        dtypes=[tf.float32, tf.int64, tf.string],
    )

    def body(session, folder):
        feeds = {prefix: str(folder / "raw")}
        session.run(save, feeds)
        return session.run(restore, feeds)

    return _in_folder(body)


@case
def read_and_write_files(tf):
    name = tf.placeholder(tf.string, [])
    write, read = tf.write_file(name, "some\x00bytes"), tf.read_file(name)
    pattern = tf.placeholder(tf.string, [])
    matches = tf.matching_files(pattern)

    def body(session, folder):
        path = str(folder / "a.bin")
        session.run(write, {name: path})
        found = session.run(matches, {pattern: str(folder / "*.bin")})
        return [session.run(read, {name: path}), [pathlib.Path(p.decode()).name for p in found]]

    return _in_folder(body)


@case
def file_system_functions(tf):
    def body(session, folder):
        path = str(folder / "sub" / "text")
        tf.gfile.MakeDirs(str(folder / "sub"))
        with tf.gfile.GFile(path, "w") as file:
            file.write("first\nsecond\n")
        with tf.gfile.Open(path) as file:
            lines = list(file)
        tf.gfile.Copy(path, path + "2")
        tf.gfile.Rename(path + "2", path + "3")
        return [
            lines,
            tf.gfile.Exists(path),
            tf.gfile.IsDirectory(path),
            sorted(tf.gfile.ListDirectory(str(folder / "sub"))),
            len(tf.gfile.Glob(str(folder / "sub" / "*"))),
            tf.gfile.Stat(path).length,
        ]

    return _in_folder(body)


@case
def record_files(tf):
    def body(session, folder):
        path = str(folder / "data.tfrecord")
        with tf.python_io.TFRecordWriter(path) as writer:
            for word in (b"one", b"", b"three"):
                writer.write(word)
        size = pathlib.Path(path).stat().st_size
        records = list(tf.python_io.tf_record_iterator(path))
        return [size, [record.decode() for record in records]]

    return _in_folder(body)


def _example(tf):
    train = tf.train
    features = {
        "number": train.Feature(int64_list=train.Int64List(value=[3, 4])),
        "text": train.Feature(bytes_list=train.BytesList(value=[b"word"])),
        "real": train.Feature(float_list=train.FloatList(value=[0.5])),
    }
    return train.Example(features=train.Features(feature=features)).SerializeToString()


@case
def parse_examples(tf):
    serialized = _example(tf)
    features = {
        "number": tf.FixedLenFeature([2], tf.int64),
        "text": tf.FixedLenFeature([], tf.string),
        "real": tf.VarLenFeature(tf.float32),
        "absent": tf.FixedLenFeature([1], tf.float32, default_value=[9.0]),
    }
    single = tf.parse_single_example(serialized, features)
    batch = tf.parse_example([serialized, serialized], features)
    return {"single": single, "batch": batch}


@case
def parse_tensors(tf):
    x = tf.constant(normal(2, 2))
    return [tf.parse_tensor(tf.serialize_tensor(x), tf.float32), tf.serialize_tensor([1, 2])]


@case
def summaries(tf):
    tf.summary.scalar("loss", 0.5)
    tf.summary.scalar("loss", tf.constant(2.0))
    with tf.name_scope("layer"):
        tf.summary.histogram("weights", [1.0, 2.0, 2.0, -3.0])
        tf.summary.text("note", tf.constant("hello"))
    merged = tf.summary.merge_all()

    def body(session):
        summary = tf.Summary.FromString(session.run(merged))
        by_tag = {value.tag: value for value in summary.value}
        histogram = by_tag["layer/weights"].histo
        return {
            "tags": sorted(by_tag),
            "scalars": [by_tag["loss"].simple_value, by_tag["loss_1"].simple_value],
            "histogram": [histogram.min, histogram.max, histogram.num, histogram.sum],
            "squares": histogram.sum_squares,
            "limits": np.array(histogram.bucket_limit),
            "counts": np.array(histogram.bucket),
        }

    return Script(body)


@case
def event_files(tf):
    tf.summary.scalar("loss", 0.5)
    merged = tf.summary.merge_all()

    def body(session, folder):
        with tf.summary.FileWriter(str(folder), session.graph) as writer:
            for step in range(3):
                writer.add_summary(session.run(merged), step)
        (path,) = folder.iterdir()
        events = list(tf.train.summary_iterator(str(path)))
        return [
            [event.WhichOneof("what") for event in events],
            [event.step for event in events],
            events[0].file_version,
        ]

    return _in_folder(body)


@case
def monitored_session(tf):
    step = tf.train.get_or_create_global_step()
    w = tf.Variable(2.0)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(w * w, global_step=step)

    def body(session):
        hooks, seen = [tf.train.StopAtStepHook(last_step=4)], []
        with tf.train.MonitoredTrainingSession(hooks=hooks) as monitored:
            while not monitored.should_stop():
                _, count, value = monitored.run([train, step, w])
                seen.append([int(count), round(float(value), 4)])
        return [len(seen), seen[-1]]

    return Script(body)


def _fails(body):
    return lambda tf: _in_folder(lambda session, folder: body(tf, session, folder))


@error_case
def restore_what_does_not_exist(tf):
    tf.Variable(1)
    saver = tf.train.Saver()
    return _in_folder(lambda session, folder: saver.restore(session, str(folder / "nothing")))


@error_case
def restore_a_missing_variable(tf):
    first, second = tf.Variable(1, name="first"), tf.Variable(2, name="second")
    save, load = tf.train.Saver([first]), tf.train.Saver([second])

    def body(session, folder):
        session.run(tf.global_variables_initializer())
        load.restore(session, save.save(session, str(folder / "model")))

    return _in_folder(body)


@error_case
def restore_another_shape(tf):
    first, second = tf.Variable([1], name="first"), tf.Variable([1, 2], name="second")
    save, load = tf.train.Saver({"v": first}), tf.train.Saver({"v": second})

    def body(session, folder):
        session.run(tf.global_variables_initializer())
        load.restore(session, save.save(session, str(folder / "model")))

    return _in_folder(body)


error_cases(
    saver_without_variables=lambda tf: tf.train.Saver(),
    read_missing_file=lambda tf: tf.read_file("/nonexistent/file"),
    parse_garbage=lambda tf: tf.parse_single_example(
        "garbage", {"x": tf.FixedLenFeature([], tf.int64)}
    ),
    parse_missing_feature=lambda tf: tf.parse_single_example(
        _example(tf), {"nothing": tf.FixedLenFeature([], tf.int64)}
    ),
    parse_other_dtype=lambda tf: tf.parse_single_example(
        _example(tf), {"number": tf.FixedLenFeature([2], tf.float32)}
    ),
    parse_other_length=lambda tf: tf.parse_single_example(
        _example(tf), {"number": tf.FixedLenFeature([3], tf.int64)}
    ),
    parse_tensor_of_other_dtype=lambda tf: tf.parse_tensor(tf.serialize_tensor([1]), tf.float32),
    open_missing_file=_fails(lambda tf, session, folder: tf.gfile.Open(str(folder / "x")).read()),
    parse_no_features=lambda tf: tf.parse_single_example(_example(tf), {}),
)
