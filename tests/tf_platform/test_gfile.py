"""tf.gfile and tf.io.gfile: what TensorFlow 2.21 does on the same files."""

from __future__ import annotations

from pathlib import Path

import pytest

import featherflow as tf
from featherflow.framework import errors

TEXT = "line1\nline2\nlast"


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "file.txt").write_text(TEXT)
    return str(tmp_path / "file.txt")


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """`.hidden`, `a`, `b`, `c1`, `sub/.more/k`, `sub/k`."""
    for name in (".hidden", "a", "b", "c1"):
        (tmp_path / name).write_text(name)
    (tmp_path / "sub" / ".more").mkdir(parents=True)
    (tmp_path / "sub" / "k").write_text("k")
    (tmp_path / "sub" / ".more" / "k").write_text("k")
    return str(tmp_path)


# --- files ----------------------------------------------------------------------------------------


def test_reading(path: str) -> None:
    with tf.gfile.GFile(path) as file:
        assert file.read(5) == "line1"
        assert file.tell() == 5
        assert file.read() == "\nline2\nlast"
        assert file.read() == ""
    with tf.gfile.Open(path, "rb") as file:
        assert file.readline() == b"line1\n"
        assert file.readlines() == [b"line2\n", b"last"]
    with tf.gfile.FastGFile(path) as file:
        assert list(file) == ["line1\n", "line2\n", "last"]
        assert (file.name, file.mode, file.size(), file.seekable()) == (path, "r", 16, True)
    with tf.io.gfile.GFile(path) as file:
        assert next(file) == "line1\n"


@pytest.mark.parametrize(
    ("offset", "whence", "rest"), [(3, 0, "e1\nline2\nlast"), (-2, 2, "st"), (16, 0, "")]
)
def test_seeking(path: str, offset: int, whence: int, rest: str) -> None:
    with tf.gfile.GFile(path) as file:
        file.seek(offset, whence)
        assert file.read() == rest


def test_seeking_from_the_position(path: str) -> None:
    with tf.gfile.GFile(path) as file:
        file.read(3)
        file.seek(2, 1)
        assert file.read(1) == "\n"
        file.seek(position=1)
        assert file.read(1) == "i"


def test_refused_seeks(path: str) -> None:
    with tf.gfile.GFile(path) as file:
        with pytest.raises(errors.OutOfRangeError, match="reached end of file"):
            file.seek(17)
        with pytest.raises(errors.InvalidArgumentError, match="Invalid whence argument: 5"):
            file.seek(0, 5)
        with pytest.raises(TypeError, match="offset argument required"):
            file.seek()
        with pytest.raises(errors.InvalidArgumentError, match="negative number of bytes: -2"):
            file.read(-2)


def test_writing(tmp_path: Path) -> None:
    path = tmp_path / "new.txt"
    with tf.gfile.GFile(str(path), "w") as file:
        assert not path.exists()  # TensorFlow, too, makes it with the first write
        file.write("é")
        file.write(b"\xff")
        file.flush()
        assert path.read_bytes() == b"\xc3\xa9\xff"
        assert (file.size(), file.tell()) == (3, 3)
    with tf.gfile.GFile(str(path), "a") as file:
        file.write("!")
    assert path.read_bytes() == b"\xc3\xa9\xff!"
    with tf.gfile.GFile(str(path), "w+") as file:
        file.write("abc")
        file.seek(0)
        assert file.read() == "abc"


def test_wrong_modes(path: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="mode is not"):
        tf.gfile.GFile(path, "z")
    with pytest.raises(errors.PermissionDeniedError, match="isn't open for writing"):
        tf.gfile.GFile(path).write("x")
    with pytest.raises(errors.PermissionDeniedError, match="isn't open for reading"):
        tf.gfile.GFile(path, "w").read()
    with pytest.raises(TypeError, match="Expected binary or unicode string, got 3"):
        tf.gfile.GFile(path, "w").write(3)
    assert Path(path).read_text() == TEXT


def test_text_must_be_utf8(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"\xff")
    with tf.gfile.GFile(str(tmp_path / "latin")) as file, pytest.raises(UnicodeDecodeError):
        file.read()


def test_closed_files_open_anew(path: str) -> None:
    file = tf.gfile.GFile(path)
    assert file.read(4) == "line"
    file.close()
    file.close()
    assert file.read(5) == "line1"
    file.close()


# --- folders --------------------------------------------------------------------------------------


def test_asking(folder: str) -> None:
    assert tf.gfile.Exists(folder) and tf.io.gfile.exists(f"{folder}/a")
    assert not tf.gfile.Exists(f"{folder}/none") and not tf.gfile.Exists("")
    assert tf.gfile.IsDirectory(folder) and not tf.gfile.IsDirectory(f"{folder}/a")
    assert tf.gfile.ListDirectory(folder) == [".hidden", "a", "b", "c1", "sub"]
    found = tf.gfile.Stat(f"{folder}/c1")
    assert (found.length, found.is_directory) == (2, False) and found.mtime_nsec > 0
    assert tf.io.gfile.stat(folder).is_directory


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*", [".hidden", "a", "b", "c1", "sub"]),
        ("[ab]", ["a", "b"]),
        ("c?", ["c1"]),
        ("*/*", ["sub/.more", "sub/k"]),
        ("a", ["a"]),
        ("none", []),
    ],
)
def test_glob(folder: str, pattern: str, names: list[str]) -> None:
    assert tf.gfile.Glob(f"{folder}/{pattern}") == [f"{folder}/{name}" for name in names]


def test_glob_of_several_patterns(folder: str) -> None:
    found = tf.io.gfile.glob([f"{folder}/c*", f"{folder}/a"])
    assert found == [f"{folder}/c1", f"{folder}/a"]


def test_walk(folder: str) -> None:
    down = [
        (folder, ["sub"], [".hidden", "a", "b", "c1"]),
        (f"{folder}/sub", [".more"], ["k"]),
        (f"{folder}/sub/.more", [], ["k"]),
    ]
    assert list(tf.gfile.Walk(folder)) == list(tf.io.gfile.walk(folder)) == down
    assert list(tf.gfile.Walk(folder, in_order=False)) == down[::-1]
    assert list(tf.io.gfile.walk(folder, topdown=False)) == down[::-1]
    assert list(tf.gfile.Walk(f"{folder}/none")) == []


def test_making_and_removing(tmp_path: Path) -> None:
    tf.gfile.MakeDirs(str(tmp_path / "x" / "y"))
    tf.gfile.MakeDirs(str(tmp_path / "x" / "y"))
    tf.gfile.MkDir(str(tmp_path / "x"))
    (tmp_path / "x" / "y" / "f").write_text("f")
    tf.gfile.Remove(str(tmp_path / "x" / "y" / "f"))
    assert list((tmp_path / "x" / "y").iterdir()) == []
    tf.gfile.DeleteRecursively(str(tmp_path / "x"))
    assert not (tmp_path / "x").exists()
    (tmp_path / "f").write_text("f")
    tf.io.gfile.rmtree(str(tmp_path / "f"))
    assert not (tmp_path / "f").exists()


def test_links_are_removed_not_followed(folder: str) -> None:
    link = Path(folder, "link")
    link.symlink_to(Path(folder, "sub"))
    tf.gfile.DeleteRecursively(str(link))
    assert not link.is_symlink() and Path(folder, "sub", "k").exists()


def test_copying_and_renaming(folder: str) -> None:
    a, b, new = f"{folder}/a", f"{folder}/b", f"{folder}/new"
    tf.gfile.Copy(a, new)
    with pytest.raises(errors.AlreadyExistsError, match="file already exists"):
        tf.gfile.Copy(b, new)
    tf.gfile.Copy(b, new, overwrite=True)
    assert Path(new).read_text() == "b"
    with pytest.raises(errors.AlreadyExistsError):
        tf.gfile.Rename(a, b)
    tf.io.gfile.rename(a, b, overwrite=True)
    assert Path(b).read_text() == "a" and not Path(a).exists()
    tf.io.gfile.copy(src=b, dst=a)
    tf.gfile.Rename(oldname=a, newname=new, overwrite=True)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda d: tf.gfile.GFile(f"{d}/none").read(), errors.NotFoundError, "none; No such file"),
        (lambda d: tf.gfile.GFile(d).read(), errors.FailedPreconditionError, "Is a directory"),
        (lambda d: tf.gfile.MkDir(f"{d}/q/r"), errors.NotFoundError, "q/r; No such file"),
        (lambda d: tf.gfile.MakeDirs(f"{d}/a"), errors.FailedPreconditionError, "not a directory"),
        (lambda d: tf.gfile.MakeDirs(f"{d}/a/x"), errors.FailedPreconditionError, "a is not a dir"),
        (lambda d: tf.gfile.ListDirectory(f"{d}/a"), errors.NotFoundError, "Could not find dir"),
        (lambda d: tf.gfile.Stat(f"{d}/none"), errors.NotFoundError, "none; No such file"),
        (lambda d: tf.gfile.Remove(f"{d}/none"), errors.NotFoundError, "none; No such file"),
        (lambda d: tf.gfile.Copy(f"{d}/none", f"{d}/z"), errors.NotFoundError, "none; No such"),
        (lambda d: tf.gfile.Rename(f"{d}/none", f"{d}/z"), errors.NotFoundError, "none; No such"),
        (lambda d: tf.gfile.DeleteRecursively(f"{d}/none"), errors.NotFoundError, "not found"),
        (lambda d: tf.gfile.Exists("gs://a/b"), errors.UnimplementedError, "scheme 'gs' not impl"),
        (lambda d: tf.gfile.GFile("s3://a"), errors.UnimplementedError, "scheme 's3' not impl"),
        (lambda d: tf.gfile.Exists(None), TypeError, "Expected binary or unicode string, got None"),
    ],
)
def test_errors(folder: str, call, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(folder)


def test_names_of_files(folder: str) -> None:
    assert tf.gfile.Exists(Path(folder)) and tf.gfile.Exists(folder.encode())
    assert tf.gfile.Exists(f"file://{folder}/a")
    assert tf.io.gfile.join("a", b"b", Path("c")) == "a/b/c"
    assert "file" in tf.io.gfile.get_registered_schemes()
