"""The names of `tensorflow.python.lib.io.file_io`, which programs import for its functions."""

from __future__ import annotations

import os
import uuid
from typing import Any

from featherflow.platform import gfile, gfile_v1
from featherflow.platform.file import GFile

FileIO = GFile
file_exists = file_exists_v2 = gfile.exists
is_directory = is_directory_v2 = gfile.isdir
list_directory = list_directory_v2 = gfile.listdir
get_matching_files = get_matching_files_v2 = gfile.glob
stat = stat_v2 = gfile.stat
create_dir = create_dir_v2 = gfile.mkdir
recursive_create_dir = recursive_create_dir_v2 = gfile.makedirs
delete_file = delete_file_v2 = gfile.remove
delete_recursively = delete_recursively_v2 = gfile.rmtree
copy, copy_v2 = gfile_v1.Copy, gfile.copy
rename, rename_v2 = gfile_v1.Rename, gfile.rename
walk, walk_v2 = gfile_v1.Walk, gfile.walk


def read_file_to_string(filename: Any, binary_mode: bool = False) -> Any:
    """All of a file: text, or bytes in binary mode."""
    with GFile(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename: Any, file_content: str | bytes) -> None:
    """Makes or replaces a file."""
    with GFile(filename, "w") as file:
        file.write(file_content)


def atomic_write_string_to_file(
    filename: Any, contents: str | bytes, overwrite: bool = True
) -> None:
    """Makes or replaces a file at once: readers see the old or the new one, never a part."""
    temporary = f"{os.fsdecode(filename)}.tmp{uuid.uuid4().hex}"
    write_string_to_file(temporary, contents)
    try:
        gfile.rename(temporary, filename, overwrite)
    except BaseException:
        gfile.remove(temporary)
        raise
