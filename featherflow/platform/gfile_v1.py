"""tf.gfile: the functions of tf.io.gfile under TF1's names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.platform import gfile
from featherflow.platform.gfile import FileStatistics


@export_v1("gfile.Exists")
def Exists(filename: Any) -> bool:
    """Whether there is a file or folder."""
    return gfile.exists(filename)


@export_v1("gfile.IsDirectory")
def IsDirectory(dirname: Any) -> bool:
    """Whether there is a folder."""
    return gfile.isdir(dirname)


@export_v1("gfile.ListDirectory")
def ListDirectory(dirname: Any) -> list[str]:
    """The names in a folder."""
    return gfile.listdir(dirname)


@export_v1("gfile.Glob")
def Glob(filename: Any) -> list[str]:
    """The paths that fit a pattern, or one of several."""
    return gfile.glob(filename)


@export_v1("gfile.Stat")
def Stat(filename: Any) -> FileStatistics:
    """Size, time and kind of a file."""
    return gfile.stat(filename)


@export_v1("gfile.Walk")
def Walk(top: Any, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """A folder and all below it; with `in_order`, a folder comes before those in it."""
    return gfile.walk(top, in_order)


@export_v1("gfile.MkDir")
def MkDir(dirname: Any) -> None:
    """Makes a folder whose parent is there."""
    gfile.mkdir(dirname)


@export_v1("gfile.MakeDirs")
def MakeDirs(dirname: Any) -> None:
    """Makes a folder and those above it."""
    gfile.makedirs(dirname)


@export_v1("gfile.Remove")
def Remove(filename: Any) -> None:
    """Removes a file."""
    gfile.remove(filename)


@export_v1("gfile.DeleteRecursively")
def DeleteRecursively(dirname: Any) -> None:
    """Removes a folder and all that is in it."""
    gfile.rmtree(dirname)


@export_v1("gfile.Copy")
def Copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    """Copies a file."""
    gfile.copy(oldpath, newpath, overwrite)


@export_v1("gfile.Rename")
def Rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    """Renames a file or folder."""
    gfile.rename(oldname, newname, overwrite)
