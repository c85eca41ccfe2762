"""Lookup tables: static, from files, of vocabularies, mutable, of vectors, dense."""

from __future__ import annotations

import pathlib
import tempfile

import numpy as np

from ..case import Case, Script, case, error_case, error_cases

PAIRS = {
    "string": ("string", "int64", "int32", "float32", "float64", "bool"),
    "int64": ("string", "int64", "int32", "float32", "float64"),
    "int32": ("string", "int32", "float32", "float64"),
}
KEYS = {"string": ["a", "b", "z"], "int64": [1, 2, 9], "int32": [1, 2, 9]}


def _long(*values):
    return np.array(values, np.int64)


def _fed(tf, value, dtype=None):
    return tf.placeholder_with_default(tf.constant(value, dtype), None)


def _values(dtype):
    """(two values, a default)"""
    if dtype == "string":
        return ["x", "y"], "?"
    return ([True, True], False) if dtype == "bool" else ([3, 4], -1)


def _static(tf, keys=("a", "b"), values=(1, 2), default=-1, **options):
    initializer = tf.lookup.KeyValueTensorInitializer(list(keys), list(values))
    return tf.lookup.StaticHashTable(initializer, default, **options)


def _runs(*steps):
    """A script that runs fetches one after the other."""
    return Script(lambda session: [_sorted(session.run(step)) for step in steps])


def _sorted(value):
    """An export in the order of its keys."""
    if not isinstance(value, tuple):
        return value
    keys, values = value
    order = sorted(range(len(keys)), key=lambda place: np.ravel(keys[place]).tolist())
    return [keys[order], values[order]]


def _names(tf):
    return [f"{node.name}:{node.op}" for node in tf.get_default_graph().as_graph_def().node]


# --- static tables --------------------------------------------------------------------------------

for _key, _kinds in PAIRS.items():
    for _value in _kinds:

        @case(f"static_{_key}_{_value}")
        def _static_types(tf, key=_key, value=_value):
            values, default = _values(value)
            initializer = tf.lookup.KeyValueTensorInitializer(
                tf.constant(KEYS[key][:2], key), tf.constant(values, value)
            )
            table = tf.lookup.StaticHashTable(initializer, tf.constant(default, value))
            found = table.lookup(tf.constant([KEYS[key]], key))
            fetches = [found, table.size(), table.lookup(_fed(tf, KEYS[key][0], key))]
            return Case(fetches, setup=[tf.tables_initializer()])


@case
def static_table(tf):
    table = _static(tf)
    sparse = tf.SparseTensor([[0, 0], [0, 3]], ["b", "q"], [1, 4])
    fed = tf.placeholder(tf.string, [None, 2])
    fetches = [table.lookup(sparse), table[tf.constant("a")], table.lookup(fed)]
    facts = [table.name, table.key_dtype.name, table.value_dtype.name]
    facts.append(len(tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)))
    return Case([fetches, facts], {fed: [["a", "c"]]}, setup=[tf.initialize_all_tables()])


@case
def static_names(tf):
    table = _static(tf)
    table.lookup(tf.constant(["a"]))
    table.size()
    table.export()
    other = _static(tf, name="named")
    tf.tables_initializer(name="start")
    return [_names(tf), other.name, other.default_value.name, other.resource_handle.name]


@case
def static_initialized_again(tf):
    table = _static(tf)
    return _runs(table.initializer, table.initializer, table.size(), table.export())


@case
def static_equal_pairs(tf):
    table = _static(tf, ("a", "a"), (1, 1))
    return _runs(table.initializer, table.size())


@case
def static_size_before(tf):
    return _static(tf).size()


@case
def static_raw(tf):
    raw = tf.raw_ops
    handle = raw.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64)
    again = raw.InitializeTableV2(table_handle=handle, keys=["b"], values=_long(2))
    return _runs(
        raw.InitializeTableV2(table_handle=handle, keys=["a"], values=_long(1)),
        again,
        raw.LookupTableExportV2(table_handle=handle, Tkeys=tf.string, Tvalues=tf.int64).keys,
        raw.LookupTableFindV2(table_handle=handle, keys=["a", "z"], default_value=_long(5, 6)),
    )


@case
def static_refs(tf):
    raw = tf.raw_ops
    handle = raw.HashTable(key_dtype=tf.string, value_dtype=tf.int64)
    found = raw.LookupTableFind(
        table_handle=handle, keys=["a", "b"], default_value=tf.constant(7, tf.int64)
    )
    exported = raw.LookupTableExport(table_handle=handle, Tkeys=tf.string, Tvalues=tf.int64)
    shapes = [str(item.shape) for item in (handle, found, *exported)]
    steps = [
        raw.InitializeTable(table_handle=handle, keys=["a"], values=_long(1)),
        found,
        raw.LookupTableSize(table_handle=handle),
        exported.values,
    ]
    return Script(lambda session: [*(session.run(step) for step in steps), shapes])


@case
def shared_by_name(tf):
    raw = tf.raw_ops
    handles = [
        raw.MutableHashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name="one")
        for _ in range(2)
    ]
    insert = raw.LookupTableInsertV2(table_handle=handles[0], keys=["a"], values=_long(1))
    return _runs(insert, raw.LookupTableSizeV2(table_handle=handles[1]))


error_cases(
    static_not_initialized=lambda tf: _static(tf).lookup(tf.constant(["a"])),
    static_export_not_initialized=lambda tf: _static(tf).export(),
    static_conflict=lambda tf: _static(tf, ("a", "a"), (1, 2)).initializer,
    static_other_key=lambda tf: _static(tf).lookup(tf.constant([1])),
    static_other_default=lambda tf: _static(tf, default="x"),
    static_vector_default=lambda tf: _static(tf, default=[1, 2]),
    static_fewer_values=lambda tf: _static(tf, ("a", "b"), (1,)),
    static_matrix=lambda tf: _static(tf, (("a", "b"),), ((1, 2),)),
    static_list=lambda tf: _static(tf).lookup(["a"]),
)


def _raw_static(tf, op, **inputs):
    handle = tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64)
    return getattr(tf.raw_ops, op)(table_handle=handle, **inputs)


error_cases(
    insert_into_static=lambda tf: _raw_static(
        tf, "LookupTableInsertV2", keys=["a"], values=_long(1)
    ),
    remove_from_static=lambda tf: _raw_static(tf, "LookupTableRemoveV2", keys=["a"]),
    initialize_other_type=lambda tf: _raw_static(
        tf, "InitializeTableV2", keys=[1], values=_long(1)
    ),
    initialize_fewer=lambda tf: _raw_static(
        tf, "InitializeTableV2", keys=_fed(tf, ["a"]), values=_fed(tf, _long(1, 2))
    ),
    initialize_static_fewer=lambda tf: _raw_static(
        tf, "InitializeTableV2", keys=["a"], values=_long(1, 2)
    ),
    find_other_type=lambda tf: _raw_static(
        tf, "LookupTableFindV2", keys=[1], default_value=tf.constant(1, tf.int64)
    ),
    find_other_value_type=lambda tf: _raw_static(
        tf, "LookupTableFindV2", keys=["a"], default_value=1
    ),
)


@error_case
def initialize_with_other_size(tf):
    raw = tf.raw_ops
    handle = raw.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64)
    first = raw.InitializeTableV2(table_handle=handle, keys=["a"], values=_long(1))
    second = raw.InitializeTableV2(table_handle=handle, keys=["a", "b"], values=_long(1, 2))
    return _runs(first, second)


@error_case
def initialize_mutable(tf):
    raw = tf.raw_ops
    handle = raw.MutableHashTableV2(key_dtype=tf.string, value_dtype=tf.int64)
    return raw.InitializeTableV2(table_handle=handle, keys=["a"], values=_long(1))


@error_case
def shared_with_other_types(tf):
    raw = tf.raw_ops
    sizes = [
        raw.LookupTableSizeV2(
            table_handle=raw.HashTableV2(key_dtype=tf.string, value_dtype=dtype, shared_name="x")
        )
        for dtype in (tf.int64, tf.int32)
    ]
    return _runs(*sizes)


# --- files ----------------------------------------------------------------------------------------

WHOLE, NUMBER = -2, -1
_FILES = {
    "lines": "a\nb\nc\n",
    "columns": "a\t1\nb\t2\n",
    "commas": "a,1,x\nb,2,y",
    "windows": "a\r\nb\r\n",
    "gap": "a\nb\n\nc",
    "equal": "a\na\n",
    "nothing": "",
    "words": "a,1\nb,x\n",
    "short": "a\t1.5\nb\n",
}


def _from_file(content, key, value, keys, default=-1, **options):
    """A program that looks keys up in the table of a file."""

    def program(tf):
        def body(_):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "vocabulary")
                path.write_bytes(_FILES[content].encode())
                with tf.Graph().as_default(), tf.Session() as other:
                    initializer = tf.lookup.TextFileInitializer(str(path), *key, *value, **options)
                    table = tf.lookup.StaticHashTable(initializer, default)
                    other.run(table.initializer)
                    return other.run([table.lookup(tf.constant(keys, key[0])), table.size()])

        return Script(body)

    return program


_TEXT, _INT = ("string", WHOLE), ("int64", NUMBER)
for _name, _arguments in {
    "line_to_number": ("lines", _TEXT, _INT, ["a", "c", "z"]),
    "number_to_line": ("lines", _INT, _TEXT, [0, 2, 9], "?"),
    "line_to_line": ("lines", _TEXT, _TEXT, ["a", "z"], "?"),
    "column_to_column": ("columns", ("string", 0), ("int64", 1), ["a", "b"]),
    "column_to_int32": ("columns", ("string", 0), ("int32", 1), ["a", "b"]),
    "column_to_float": ("columns", ("string", 0), ("float32", 1), ["a", "b"], 0.0),
    "column_to_number": ("columns", ("string", 0), _INT, ["a", "b"]),
    "number_column_to_text": ("columns", ("int64", 1), ("string", 0), [1, 2, 3], "?"),
    "line_with_tab": ("columns", _TEXT, _INT, ["a", "a\t1"]),
    "windows": ("windows", _TEXT, _INT, ["a", "a\r"]),
}.items():
    case(f"file_{_name}")(_from_file(*_arguments))
for _name, _options in {
    "vocab_size": {"vocab_size": 2},
    "offset": {"value_index_offset": 10},
    "offset_and_size": {"value_index_offset": 1, "vocab_size": 1},
    "name": {"name": "from_file"},
}.items():
    case(f"file_with_{_name}")(_from_file("lines", _TEXT, _INT, ["a", "c"], **_options))
case("file_number_offset")(_from_file("lines", _INT, _TEXT, [0, 1, 3], "?", value_index_offset=1))
case("file_delimiter")(_from_file("commas", ("string", 2), ("int64", 1), ["x", "y"], delimiter=","))
for _name, _arguments in {
    "missing_column": ("columns", ("string", 0), ("int64", 2), ["a"]),
    "empty_line": ("gap", _TEXT, _INT, ["a"]),
    "equal_keys": ("equal", _TEXT, _INT, ["a"]),
    "nothing": ("nothing", _TEXT, _INT, ["a"]),
    "line_no_number": ("lines", ("int64", WHOLE), _INT, [1]),
    "short_line": ("short", ("string", 0), ("float64", 1), ["a"], 0.0),
    "number_as_text": ("lines", ("string", NUMBER), _INT, ["a"]),
    "number_as_int32": ("lines", _TEXT, ("int32", NUMBER), ["a"]),
    "column_below": ("lines", ("string", -3), _INT, ["a"]),
}.items():
    error_case(f"file_{_name}")(_from_file(*_arguments))
for _name, _options in {
    "too_few_lines": {"vocab_size": 5},
    "no_lines": {"vocab_size": 0},
    "long_delimiter": {"delimiter": "ab"},
}.items():
    error_case(f"file_with_{_name}")(_from_file("lines", _TEXT, _INT, ["a"], **_options))
error_case("file_words_for_numbers")(
    _from_file("words", ("string", 0), ("int64", 1), ["a"], delimiter=",")
)
error_cases(
    file_without_name=lambda tf: tf.lookup.TextFileInitializer(
        "", "string", WHOLE, "int64", NUMBER
    ),
    file_missing=lambda tf: (
        tf.lookup.StaticHashTable(
            tf.lookup.TextFileInitializer("/nonexistent/file", "string", WHOLE, "int64", NUMBER), -1
        ).initializer
    ),
)


@case
def file_names(tf):
    index = tf.lookup.TextFileIndex
    for options in ({}, {"vocab_size": 3}, {"value_index_offset": 2}):
        initializer = tf.lookup.TextFileInitializer(
            "folder/file", tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER, **options
        )
        tf.lookup.StaticHashTable(initializer, -1)
    nodes = tf.get_default_graph().as_graph_def().node
    shared = [node.attr["shared_name"].s.decode() for node in nodes if node.op == "HashTableV2"]
    return [_names(tf), shared, index.WHOLE_LINE, index.LINE_NUMBER]


# --- vocabularies ---------------------------------------------------------------------------------


def _vocabulary(tf, keys=("a", "b"), buckets=3, **options):
    initializer = tf.lookup.KeyValueTensorInitializer(
        list(keys), np.arange(len(keys), dtype=np.int64), key_dtype=options.pop("key_dtype", None)
    )
    return tf.lookup.StaticVocabularyTable(initializer, buckets, **options)


@case
def vocabulary(tf):
    table = _vocabulary(tf)
    sparse = tf.SparseTensor([[0, 0], [0, 1]], ["q", "b"], [1, 2])
    fetches = [table.lookup(tf.constant([["a", "b"], ["zz", "y"]])), table.size()]
    fetches += [table.lookup(sparse), table[_fed(tf, ["q"])]]
    return Case(fetches, setup=[table.initializer])


@case
def vocabulary_of_numbers(tf):
    table = _vocabulary(tf, (5, 6), key_dtype=tf.int64)
    narrow = _vocabulary(tf, (5, 6), key_dtype=tf.int64, lookup_key_dtype=tf.int32)
    fetches = [table.lookup(tf.constant([5, 9, 77], tf.int64)), narrow.lookup(tf.constant([5, 9]))]
    return Case(fetches, setup=[tf.tables_initializer()])


@case
def vocabulary_of_nothing(tf):
    table = tf.lookup.StaticVocabularyTable(None, 3, lookup_key_dtype=tf.string)
    return [table.lookup(tf.constant(["a", "b"])), table.size(), table.name]


@case
def vocabulary_names(tf):
    table = _vocabulary(tf, name="words")
    table.lookup(tf.constant(["a"]))
    other = _vocabulary(tf, (5,), key_dtype=tf.int64)
    other.lookup(tf.constant([5], tf.int64))
    return [_names(tf), table.name, other.name]


error_cases(
    vocabulary_without_buckets=lambda tf: _vocabulary(tf, buckets=0),
    vocabulary_to_int32=lambda tf: tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(["a"], [1]), 3
    ),
    vocabulary_of_floats=lambda tf: _vocabulary(tf, (1.5,)),
    vocabulary_other_key=lambda tf: _vocabulary(tf).lookup(tf.constant([1])),
    vocabulary_other_lookup_type=lambda tf: _vocabulary(tf, lookup_key_dtype=tf.int64),
)

# --- mutable tables -------------------------------------------------------------------------------


def _mutable(tf, default=-1, key=None, value=None):
    return tf.lookup.experimental.MutableHashTable(key or tf.string, value or tf.int64, default)


for _key, _kinds in PAIRS.items():
    for _value in _kinds:
        if (_key, _value) in (("string", "string"), ("int32", "string")):
            continue

        @case(f"mutable_{_key}_{_value}")
        def _mutable_types(tf, key=_key, value=_value):
            values, default = _values(value)
            table = _mutable(tf, tf.constant(default, value), key, value)
            vectors = _mutable(tf, tf.constant([default] * 2, value), key, value)
            keys = tf.constant(KEYS[key], key)
            return _runs(
                table.insert(tf.constant(KEYS[key][:2], key), tf.constant(values, value)),
                table.lookup(keys),
                table.export(),
                vectors.insert(
                    tf.constant(KEYS[key][:2], key), tf.constant([values, values], value)
                ),
                vectors.lookup(keys),
                vectors.export(),
            )


@case
def mutable_table(tf):
    table = _mutable(tf)
    return _runs(
        table.insert(["a", "b"], [1, 2]),
        table.lookup(["a", "z"]),
        table.size(),
        table.insert(["a", "c", "c"], [9, 3, 4]),
        table.lookup(["a", "c"]),
        table.remove(tf.constant(["a", "q"])),
        table.lookup([["a"], ["b"]]),
        table.size(),
        table.export(),
        table.insert("d", 5),
        table.lookup(tf.constant("d")),
    )


@case
def mutable_default_values(tf):
    table = _mutable(tf)
    return _runs(
        table.insert(["a"], [1]),
        table.lookup(tf.constant(["a", "z"]), dynamic_default_values=_long(7, 8)),
        table.lookup(tf.constant(["a", "z"]), dynamic_default_values=tf.constant(7, tf.int64)),
    )


@case
def mutable_shapes(tf):
    keys = [tf.placeholder(tf.string, [2, 3]), tf.placeholder(tf.string)]
    tables = [_mutable(tf), _mutable(tf, [1, 2])]
    found = [table.lookup(item) for table in tables for item in keys]
    exported = [item for table in tables for item in table.export()]
    return [str(item.shape) for item in (*found, *exported, tables[0].size())]


@case
def mutable_names(tf):
    table = _mutable(tf)
    table.insert(["a"], [1])
    table.lookup(tf.constant(["a"]))
    table.size()
    table.export()
    table.remove(tf.constant(["a"]))
    _mutable(tf, [1, 2])
    return [_names(tf), table.name, len(tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS))]


@case
def mutable_import(tf):
    table = _mutable(tf)
    replace = tf.raw_ops.LookupTableImportV2(
        table_handle=table.resource_handle, keys=["x"], values=_long(7)
    )
    return _runs(table.insert(["a", "b"], [1, 2]), replace, table.export())


error_cases(
    mutable_fewer_values=lambda tf: _mutable(tf).insert(["a", "b"], [1]),
    mutable_vectors_as_scalars=lambda tf: _mutable(tf, [1, 2]).insert(["a", "b"], [1, 2]),
    mutable_longer_vectors=lambda tf: _mutable(tf, [1, 2]).insert(["a"], [[1, 2, 3]]),
    mutable_other_key=lambda tf: _mutable(tf).insert([1], [1]),
    mutable_find_other_key=lambda tf: _mutable(tf).lookup(tf.constant([1])),
    mutable_remove_other_key=lambda tf: _mutable(tf).remove(tf.constant([1])),
    mutable_matrix_default=lambda tf: _mutable(tf, [[1]]).size(),
    mutable_default_of_other_size=lambda tf: _mutable(tf).lookup(
        tf.constant(["a", "b"]), dynamic_default_values=_long(1, 2, 3)
    ),
)

# --- dense tables ---------------------------------------------------------------------------------


def _dense(tf, default=-1, empty=0, deleted=-2, key=None, value=None, **options):
    return tf.lookup.experimental.DenseHashTable(
        key or tf.int64, value or tf.int64, default, empty, deleted, **options
    )


for _key, _kinds in {
    "string": ("int64", "int32", "float32", "float64", "bool"),
    "int64": ("int64", "int32", "float32", "float64", "bool"),
    "int32": ("int32", "float32", "float64"),
}.items():
    for _value in _kinds:

        @case(f"dense_{_key}_{_value}")
        def _dense_types(tf, key=_key, value=_value):
            values, default = _values(value)
            marks = ("", "$") if key == "string" else (0, -1)
            table = _dense(tf, tf.constant(default, value), *marks, key, value)
            return _runs(
                table.insert(tf.constant(KEYS[key][:2], key), tf.constant(values, value)),
                table.lookup(tf.constant(KEYS[key], key)),
                table.remove(tf.constant(KEYS[key][:1], key)),
                table.lookup(tf.constant(KEYS[key], key)),
                table.size(),
            )


@case
def dense_buckets(tf):
    table = _dense(tf, initial_num_buckets=4)
    exported = list(table.export())
    return _runs(
        table.insert([5, 6], [1, 2]),
        exported,
        table.insert([13], [3]),
        exported,
        table.remove(tf.constant([5, 6], tf.int64)),
        exported,
        table.insert(list(range(20, 40)), list(range(20))),
        exported,
        table.size(),
    )


@case
def dense_vectors(tf):
    values = _dense(tf, [-1, -1], initial_num_buckets=4)
    keys = _dense(tf, -1, [0, 0], [-2, -2], initial_num_buckets=4)
    words = _dense(tf, -1, "", "$", tf.string, initial_num_buckets=4)
    return _runs(
        values.insert([5], [[1, 2]]),
        values.lookup([5, 7]),
        list(values.export()),
        keys.insert([[5, 6], [1, 2]], [1, 2]),
        keys.lookup([[5, 6], [7, 8]]),
        list(keys.export()),
        words.insert(["a", "bc"], [1, 2]),
        list(words.export()),
    )


@case
def dense_shapes_and_names(tf):
    table = _dense(tf)
    keyed = _dense(tf, [1, 1], [0, 0], [-2, -2])
    found = [
        table.lookup(tf.placeholder(tf.int64, [2, 3])),
        keyed.lookup(tf.placeholder(tf.int64, [3, 2])),
        *table.export(),
    ]
    return [[str(item.shape) for item in found], _names(tf), table.name]


error_cases(
    dense_insert_empty=lambda tf: _dense(tf).insert([0], [1]),
    dense_insert_deleted=lambda tf: _dense(tf).insert([-2], [1]),
    dense_find_empty=lambda tf: _dense(tf).lookup([0]),
    dense_find_deleted=lambda tf: _dense(tf).lookup([-2]),
    dense_remove_empty=lambda tf: _dense(tf).remove(tf.constant([0], tf.int64)),
    dense_equal_marks=lambda tf: _dense(tf, deleted=0).size(),
    dense_marks_of_other_shape=lambda tf: _dense(tf, empty=[0, 0]).size(),
    dense_marks_of_matrices=lambda tf: _dense(tf, empty=[[0]], deleted=[[1]]),
    dense_matrix_values=lambda tf: _dense(tf, default=[[1]]).size(),
    dense_three_buckets=lambda tf: _dense(tf, initial_num_buckets=3).size(),
    dense_two_buckets=lambda tf: _dense(tf, initial_num_buckets=2).size(),
    dense_other_values=lambda tf: _dense(tf, empty=[0, 0], deleted=[1, 1]).insert([5, 6], [1, 2]),
)
