# ruff: noqa
"""tf.logging: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.platform.logging import DEBUG as DEBUG
    from featherflow.platform.logging import ERROR as ERROR
    from featherflow.platform.logging import FATAL as FATAL
    from featherflow.platform.logging import INFO as INFO
    from featherflow.platform.logging import WARN as WARN
    from featherflow.platform.logging import debug as debug
    from featherflow.platform.logging import error as error
    from featherflow.platform.logging import fatal as fatal
    from featherflow.platform.logging import flush as flush
    from featherflow.platform.logging import get_verbosity as get_verbosity
    from featherflow.platform.logging import info as info
    from featherflow.platform.logging import log as log
    from featherflow.platform.logging import log_every_n as log_every_n
    from featherflow.platform.logging import log_first_n as log_first_n
    from featherflow.platform.logging import log_if as log_if
    from featherflow.platform.logging import set_verbosity as set_verbosity
    from featherflow.platform.logging import task_level_status_message as TaskLevelStatusMessage
    from featherflow.platform.logging import vlog as vlog
    from featherflow.platform.logging import warning as warn
    from featherflow.platform.logging import warning as warning

__getattr__, __dir__ = lazy_namespace("logging", globals())
