"""tf.contrib.crf: linear-chain conditional random fields.

The namespace holds re-exports only.
"""

from featherflow._namespaces import lazy_namespace

__getattr__, __dir__ = lazy_namespace("contrib.crf", globals())
