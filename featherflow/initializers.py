# ruff: noqa
"""tf.initializers: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.ops.init_ops import Constant as constant
    from featherflow.ops.init_ops import GlorotNormal as glorot_normal
    from featherflow.ops.init_ops import GlorotUniform as glorot_uniform
    from featherflow.ops.init_ops import Identity as identity
    from featherflow.ops.init_ops import Ones as ones
    from featherflow.ops.init_ops import Orthogonal as orthogonal
    from featherflow.ops.init_ops import RandomNormal as random_normal
    from featherflow.ops.init_ops import RandomUniform as random_uniform
    from featherflow.ops.init_ops import TruncatedNormal as truncated_normal
    from featherflow.ops.init_ops import UniformUnitScaling as uniform_unit_scaling
    from featherflow.ops.init_ops import VarianceScaling as variance_scaling
    from featherflow.ops.init_ops import Zeros as zeros
    from featherflow.ops.init_ops import he_normal as he_normal
    from featherflow.ops.init_ops import he_uniform as he_uniform
    from featherflow.ops.init_ops import lecun_normal as lecun_normal
    from featherflow.ops.init_ops import lecun_uniform as lecun_uniform
    from featherflow.ops.static_tables import tables_initializer as tables_initializer
    from featherflow.ops.variables import global_variables_initializer as global_variables
    from featherflow.ops.variables import local_variables_initializer as local_variables
    from featherflow.ops.variables import variables_initializer as variables

__getattr__, __dir__ = lazy_namespace("initializers", globals())
