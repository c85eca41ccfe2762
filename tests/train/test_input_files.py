"""Files that input pipelines start from."""

from __future__ import annotations

from pathlib import Path

import featherflow as tf


def test_files_are_matched_when_the_variable_is_set(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c.dat"):
        (tmp_path / name).touch()
    with tf.Graph().as_default() as graph, tf.Session() as session:
        names = tf.train.match_filenames_once(str(tmp_path / "*.txt"))
        nodes = [(node.name, node.type) for node in graph.get_operations()]
        session.run(tf.local_variables_initializer())
        (tmp_path / "later.txt").touch()
        found = session.run(names)
        collections = graph.get_all_collection_keys()
    assert sorted(Path(name.decode()).name for name in found) == ["a.txt", "b.txt"]
    assert nodes == [  # as TensorFlow's
        ("matching_filenames/MatchingFiles/pattern", "Const"),
        ("matching_filenames/MatchingFiles", "MatchingFiles"),
        ("matching_filenames", "VariableV2"),
        ("matching_filenames/Assign", "Assign"),
        ("matching_filenames/read", "Identity"),
    ]
    assert collections == [tf.GraphKeys.LOCAL_VARIABLES]
