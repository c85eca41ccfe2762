"""tf.resource_loader: files that lie beside the module that asks for them."""

from __future__ import annotations

import os
import sys

from featherflow.framework.exports import export_v1


def _caller_folder(depth: int) -> str:
    """The folder of the module that called the public function."""
    return os.path.dirname(os.path.abspath(sys._getframe(depth).f_code.co_filename))


@export_v1("resource_loader.get_data_files_path")
def get_data_files_path() -> str:
    """The folder of the module that calls this."""
    return _caller_folder(2)


@export_v1("resource_loader.get_path_to_datafile")
def get_path_to_datafile(path: str) -> str:
    """A path relative to the module that calls this, as one that can be opened."""
    return os.path.join(_caller_folder(2), path)


@export_v1("resource_loader.load_resource")
def load_resource(path: str) -> bytes:
    """What is in a file, whose path is relative to the module that calls this."""
    with open(os.path.join(_caller_folder(2), path), "rb") as file:
        return file.read()


@export_v1("resource_loader.get_root_dir_with_all_resources")
def get_root_dir_with_all_resources() -> str:
    """The folder that all resources are under: that of the module that calls this."""
    return _caller_folder(2)


@export_v1("resource_loader.readahead_file_path")
def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """The path, as it is: files are not read ahead."""
    return path
