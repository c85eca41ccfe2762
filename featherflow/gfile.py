# ruff: noqa
"""tf.gfile: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.platform.file import GFile as FastGFile
    from featherflow.platform.file import GFile as GFile
    from featherflow.platform.file import GFile as Open
    from featherflow.platform.gfile_v1 import Copy as Copy
    from featherflow.platform.gfile_v1 import DeleteRecursively as DeleteRecursively
    from featherflow.platform.gfile_v1 import Exists as Exists
    from featherflow.platform.gfile_v1 import Glob as Glob
    from featherflow.platform.gfile_v1 import IsDirectory as IsDirectory
    from featherflow.platform.gfile_v1 import ListDirectory as ListDirectory
    from featherflow.platform.gfile_v1 import MakeDirs as MakeDirs
    from featherflow.platform.gfile_v1 import MkDir as MkDir
    from featherflow.platform.gfile_v1 import Remove as Remove
    from featherflow.platform.gfile_v1 import Rename as Rename
    from featherflow.platform.gfile_v1 import Stat as Stat
    from featherflow.platform.gfile_v1 import Walk as Walk

__getattr__, __dir__ = lazy_namespace("gfile", globals())
