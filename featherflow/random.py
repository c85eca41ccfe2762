# ruff: noqa
"""tf.random: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.graph.graph_api import get_seed as get_seed
    from featherflow.graph.graph_api import set_random_seed as set_random_seed
    from featherflow.ops.random_ops import categorical as categorical
    from featherflow.ops.random_ops import multinomial as multinomial
    from featherflow.ops.random_ops import random_normal as normal
    from featherflow.ops.random_ops import random_shuffle as shuffle
    from featherflow.ops.random_ops import random_uniform as uniform
    from featherflow.ops.random_ops import truncated_normal as truncated_normal
    from featherflow.ops.random_rejection_ops import random_gamma as gamma
    from featherflow.ops.random_rejection_ops import random_poisson as poisson
    from featherflow.ops.stateless_random_ops import stateless_categorical as stateless_categorical
    from featherflow.ops.stateless_random_ops import stateless_multinomial as stateless_multinomial
    from featherflow.ops.stateless_random_ops import stateless_normal as stateless_normal
    from featherflow.ops.stateless_random_ops import (
        stateless_truncated_normal as stateless_truncated_normal,
    )
    from featherflow.ops.stateless_random_ops import stateless_uniform as stateless_uniform

__getattr__, __dir__ = lazy_namespace("random", globals())
