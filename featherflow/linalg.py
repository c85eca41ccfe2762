"""tf.linalg: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.ops.clip_norm_ops import global_norm as global_norm
    from featherflow.ops.einsum_ops import einsum as einsum
    from featherflow.ops.matmul_ops import matmul as matmul
    from featherflow.ops.matmul_ops import matvec as matvec
    from featherflow.ops.matrix_diag_ops import band_part as band_part
    from featherflow.ops.matrix_diag_ops import diag as diag
    from featherflow.ops.matrix_diag_ops import diag_part as diag_part
    from featherflow.ops.matrix_diag_ops import set_diag as set_diag
    from featherflow.ops.norm_ops import norm as norm
    from featherflow.ops.normalization_ops import l2_normalize as l2_normalize
    from featherflow.ops.tensor_diag_ops import eye as eye
    from featherflow.ops.tensor_diag_ops import tensor_diag as tensor_diag
    from featherflow.ops.tensor_diag_ops import tensor_diag_part as tensor_diag_part
    from featherflow.ops.tensor_diag_ops import trace as trace
    from featherflow.ops.tensordot_ops import tensordot as tensordot
    from featherflow.ops.transpose_ops import matrix_transpose as matrix_transpose
    from featherflow.ops.transpose_ops import matrix_transpose as transpose
    from featherflow.ops.vector_ops import cross as cross

__getattr__, __dir__ = lazy_namespace("linalg", globals())
