# ruff: noqa
"""tf.resource_loader: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.platform.resource_loader import get_data_files_path as get_data_files_path
    from featherflow.platform.resource_loader import get_path_to_datafile as get_path_to_datafile
    from featherflow.platform.resource_loader import (
        get_root_dir_with_all_resources as get_root_dir_with_all_resources,
    )
    from featherflow.platform.resource_loader import load_resource as load_resource
    from featherflow.platform.resource_loader import readahead_file_path as readahead_file_path

__getattr__, __dir__ = lazy_namespace("resource_loader", globals())
