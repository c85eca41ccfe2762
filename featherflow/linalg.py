# ruff: noqa
"""tf.linalg: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.ops.banded_solve_ops import banded_triangular_solve as banded_triangular_solve
    from featherflow.ops.cholesky_ops import cholesky as cholesky
    from featherflow.ops.cholesky_ops import cholesky_solve as cholesky_solve
    from featherflow.ops.clip_norm_ops import global_norm as global_norm
    from featherflow.ops.determinant_ops import logdet as logdet
    from featherflow.ops.determinant_ops import matrix_determinant as det
    from featherflow.ops.determinant_ops import slogdet as slogdet
    from featherflow.ops.eigen_ops import eig as eig
    from featherflow.ops.eigen_ops import eigvals as eigvals
    from featherflow.ops.eigen_ops import self_adjoint_eig as eigh
    from featherflow.ops.eigen_ops import self_adjoint_eigvals as eigvalsh
    from featherflow.ops.einsum_ops import einsum as einsum
    from featherflow.ops.least_squares_ops import matrix_solve_ls as lstsq
    from featherflow.ops.lu_ops import lu as lu
    from featherflow.ops.lu_ops import lu_matrix_inverse as lu_matrix_inverse
    from featherflow.ops.lu_ops import lu_reconstruct as lu_reconstruct
    from featherflow.ops.lu_ops import lu_solve as lu_solve
    from featherflow.ops.matmul_ops import matmul as matmul
    from featherflow.ops.matmul_ops import matvec as matvec
    from featherflow.ops.matrix_diag_ops import band_part as band_part
    from featherflow.ops.matrix_diag_ops import diag as diag
    from featherflow.ops.matrix_diag_ops import diag_part as diag_part
    from featherflow.ops.matrix_diag_ops import set_diag as set_diag
    from featherflow.ops.matrix_function_ops import matrix_exponential as expm
    from featherflow.ops.matrix_function_ops import matrix_logarithm as logm
    from featherflow.ops.matrix_function_ops import matrix_square_root as sqrtm
    from featherflow.ops.matrix_shapes import adjoint as adjoint
    from featherflow.ops.norm_ops import norm as norm
    from featherflow.ops.norm_ops import normalize as normalize
    from featherflow.ops.normalization_ops import l2_normalize as l2_normalize
    from featherflow.ops.qr_ops import qr as qr
    from featherflow.ops.solve_ops import matrix_inverse as inv
    from featherflow.ops.solve_ops import matrix_solve as solve
    from featherflow.ops.solve_ops import matrix_triangular_solve as triangular_solve
    from featherflow.ops.svd_ops import matrix_rank as matrix_rank
    from featherflow.ops.svd_ops import pinv as pinv
    from featherflow.ops.svd_ops import svd as svd
    from featherflow.ops.tensor_diag_ops import eye as eye
    from featherflow.ops.tensor_diag_ops import tensor_diag as tensor_diag
    from featherflow.ops.tensor_diag_ops import tensor_diag_part as tensor_diag_part
    from featherflow.ops.tensor_diag_ops import trace as trace
    from featherflow.ops.tensordot_ops import tensordot as tensordot
    from featherflow.ops.transpose_ops import matrix_transpose as matrix_transpose
    from featherflow.ops.transpose_ops import matrix_transpose as transpose
    from featherflow.ops.tridiagonal_ops import tridiagonal_matmul as tridiagonal_matmul
    from featherflow.ops.tridiagonal_ops import tridiagonal_solve as tridiagonal_solve
    from featherflow.ops.vector_ops import cross as cross

__getattr__, __dir__ = lazy_namespace("linalg", globals())
