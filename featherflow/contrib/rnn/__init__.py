"""tf.contrib.rnn: cells and loops besides those of tf.nn.

The namespace holds re-exports only.
"""

from featherflow._namespaces import lazy_namespace

__getattr__, __dir__ = lazy_namespace("contrib.rnn", globals())
