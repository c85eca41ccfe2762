# ruff: noqa
"""tf.version: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow._version import GRAPH_DEF_VERSION as GRAPH_DEF_VERSION
    from featherflow._version import (
        GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER,
    )
    from featherflow._version import (
        GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER,
    )
    from featherflow._version import VERSION as VERSION
    from featherflow.platform.build_info import COMPILER_VERSION as COMPILER_VERSION
    from featherflow.platform.build_info import GIT_VERSION as GIT_VERSION

__getattr__, __dir__ = lazy_namespace("version", globals())
