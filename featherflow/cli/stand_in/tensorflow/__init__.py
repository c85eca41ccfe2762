"""`import tensorflow` in a process that a program under `featherflow run` has started.

Hands over to the import shim, which then gives this module's name the right meaning.
"""

import importlib
import sys

from featherflow.cli import import_shim

del sys.modules[__name__]
import_shim.install()
importlib.import_module(__name__)
