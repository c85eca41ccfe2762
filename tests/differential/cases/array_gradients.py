"""Gradients of array operations, reductions and matrix products."""

from __future__ import annotations

import numpy as np

from ..case import Case, case
from ..gradient import second_order, weighted_gradients
from ..inputs import normal, sample, uniform


@case
def shapes(tf):
    x = tf.constant(normal(2, 1, 3))
    results = {
        "reshape": tf.reshape(x, [3, 2]),
        "transpose": tf.transpose(x, [2, 0, 1]),
        "expand_dims": tf.expand_dims(x, 1),
        "squeeze": tf.squeeze(x, 1),
        "broadcast_to": tf.broadcast_to(x, [4, 2, 2, 3]),
        "tile": tf.tile(x, [2, 3, 1]),
        "reverse": tf.reverse(x, [0, 2]),
        "roll": tf.roll(x, 1, 2),
        "ensure_shape": tf.ensure_shape(x, [2, 1, 3]),
        "identity": tf.identity(x),
    }
    return {name: weighted_gradients(tf, y, x) for name, y in results.items()}


@case
def joins(tf):
    x, y = tf.constant(normal(2, 3)), tf.constant(normal(2, 3, seed=1))
    results = {
        "concat_0": tf.concat([x, y, x], 0),
        "concat_1": tf.concat([x, y], -1),
        "stack": tf.stack([x, y], 1),
        "unstack": tf.unstack(x, axis=1)[1] * tf.unstack(y, axis=1)[0],
        "split": tf.split(x, 3, 1)[2] + tf.split(y, 3, 1)[0],
        "split_v": tf.split(x, [1, 2], 1)[1] * tf.split(y, [1, 2], 1)[1],
        "meshgrid": tf.meshgrid(x[0], y[0])[0],
        "repeat": tf.ensure_shape(tf.repeat(x, [1, 2], axis=0), [3, 3]),
    }
    return {name: weighted_gradients(tf, z, [x, y]) for name, z in results.items()}


@case
def pads(tf):
    x = tf.constant(normal(3, 4))
    paddings = [[1, 2], [0, 1]]
    results = {
        "constant": tf.pad(x, paddings),
        "value": tf.pad(x, paddings, constant_values=3.0),
        "reflect": tf.pad(x, paddings, "REFLECT"),
        "symmetric": tf.pad(x, paddings, "SYMMETRIC"),
        "space_to_batch": tf.space_to_batch_nd(x, [2], [[1, 1]]),
    }
    return {name: weighted_gradients(tf, y, x) for name, y in results.items()}


@case
def slices(tf):
    x = tf.constant(normal(4, 5))
    results = {
        "slice": tf.slice(x, [1, 0], [2, -1]),
        "index": x[1],
        "ranges": x[1:3, ::2],
        "negative": x[::-1, 3:0:-2],
        "newaxis": x[:, tf.newaxis, 1],
        "scalar": x[2, 3],
        "ellipsis": x[..., -1],
    }
    return {name: weighted_gradients(tf, y, x) for name, y in results.items()}


@case
def slices_with_fed_bounds(tf):
    x, start = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32, [])
    fetches = [
        tf.gradients(x[start:] * 2.0, x),
        tf.gradients(x[start] * x[0], x),
        tf.gradients(tf.slice(x, [start, 0], [1, 2]), x),
    ]
    return Case(fetches, {x: normal(3, 3), start: 1})


@case
def gathers(tf):
    x = tf.constant(normal(4, 3))
    batch = tf.constant(normal(2, 3, 2))
    return {
        "gather": weighted_gradients(tf, tf.gather(x, [2, 0, 2]), x),
        "gather_matrix": weighted_gradients(tf, tf.gather(x, [[0, 1], [1, 3]]), x),
        "gather_axis": weighted_gradients(tf, tf.gather(x, [2, 2, 0], axis=1), x),
        "gather_nd": weighted_gradients(tf, tf.gather_nd(x, [[1, 2], [0, 0]]), x),
        "gather_nd_rows": weighted_gradients(tf, tf.gather_nd(x, [[1], [3]]), x),
        "gather_batch": weighted_gradients(
            tf, tf.gather(batch, [[0, 2], [1, 1]], axis=1, batch_dims=1), batch
        ),
        "mask": weighted_gradients(
            tf, tf.ensure_shape(tf.boolean_mask(x, [True, False, True, True]), [3, 3]), x
        ),
        "embedding": weighted_gradients(tf, tf.nn.embedding_lookup(x, [3, 3]), x),
        "dense": tf.convert_to_tensor(weighted_gradients(tf, tf.gather(x, [2, 0, 2]), x)[0]),
    }


@case
def scatters(tf):
    updates, base = tf.constant(normal(2, 3)), tf.constant(normal(4, 3, seed=1))
    return {
        "scatter_nd": weighted_gradients(tf, tf.scatter_nd([[3], [1]], updates, [4, 3]), updates),
        "tensor_update": weighted_gradients(
            tf, tf.tensor_scatter_nd_update(base, [[3], [1]], updates), [base, updates]
        ),
        "tensor_add": weighted_gradients(
            tf, tf.tensor_scatter_nd_add(base, [[3], [3]], updates), [base, updates]
        ),
        "stitch": weighted_gradients(
            tf, tf.dynamic_stitch([[0, 1], [2, 3]], [updates, base[:2]]), [updates, base]
        ),
        "partition": weighted_gradients(
            tf,
            tf.reshape(tf.dynamic_partition(base, [0, 1, 0, 1], 2)[1], [2, 3]),
            base,
        ),
    }


@case
def sequences(tf):
    x = tf.constant(normal(3, 4))
    results = {
        "cumsum": tf.cumsum(x, 1),
        "cumsum_options": tf.cumsum(x, 0, exclusive=True, reverse=True),
        "cumprod": tf.cumprod(x, 1),
        "reverse_sequence": tf.reverse_sequence(x, [1, 4, 2], seq_axis=1),
        "top_k": tf.nn.top_k(x, 2)[0],
        "sort": tf.sort(x, axis=1),
    }
    return {name: weighted_gradients(tf, y, x) for name, y in results.items()}


AXES = (None, 0, 1, -1, [0, 1], [0, 2], [])


def _reduction_program(name, keepdims):
    def program(tf):
        x = tf.constant(normal(2, 3, 2))
        results = {}
        for axis in AXES:
            y = getattr(tf, name)(x, axis=axis, keepdims=keepdims)
            results[str(axis)] = weighted_gradients(tf, y, x)
        return results

    return program


for _name in (
    "reduce_sum",
    "reduce_mean",
    "reduce_prod",
    "reduce_max",
    "reduce_min",
    "reduce_logsumexp",
):
    case(f"{_name}")(_reduction_program(_name, False))
    case(f"{_name}_kept")(_reduction_program(_name, True))


@case
def reduction_edges(tf):
    ties, zeros = tf.constant([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]]), tf.constant([[2.0, 0.0, 3.0]])
    two_zeros, empty = tf.constant([[0.0, 0.0, 3.0]]), tf.zeros([0, 2])
    fed, axis = tf.placeholder(tf.float32), tf.placeholder(tf.int32, [])
    fetches = {
        "ties": [
            tf.gradients(tf.reduce_max(ties, 1), ties),
            tf.gradients(tf.reduce_min(ties), ties),
        ],
        "prod_zero": [tf.gradients(tf.reduce_prod(zeros, 1), zeros)],
        "prod_zeros": tf.gradients(tf.reduce_prod(two_zeros), two_zeros),
        "empty": [
            tf.gradients(tf.reduce_sum(empty), empty),
            tf.gradients(tf.reduce_mean(empty, 1), empty),
        ],
        "fed": tf.gradients(tf.reduce_mean(fed, axis), fed),
        "fed_max": tf.gradients(tf.reduce_max(fed, axis), fed),
        "norm": tf.gradients(tf.norm(ties, axis=1), ties),
        "variance": tf.gradients(tf.math.reduce_variance(ties, 0), ties),
        "l2_loss": tf.gradients(tf.nn.l2_loss(ties), ties),
    }
    return Case(fetches, {fed: normal(2, 3), axis: 1})


@case
def reductions_second_order(tf):
    x = tf.constant(uniform(0.5, 2.0, (2, 3), "float64"))
    return {
        name: second_order(tf, getattr(tf, name)(x, axis=1), x)
        for name in ("reduce_sum", "reduce_mean", "reduce_prod", "reduce_max", "reduce_logsumexp")
    }


@case
def segments(tf):
    x, ids = tf.constant(normal(4, 2)), tf.constant([0, 0, 1, 3])
    results = {
        name: weighted_gradients(tf, tf.ensure_shape(getattr(tf, name)(x, ids), [4, 2]), x)
        for name in ("segment_sum", "segment_mean", "segment_max", "segment_min")
    }
    for name in ("sum", "max", "min", "prod", "mean"):
        y = getattr(tf, f"unsorted_segment_{name}")(x, [2, 0, 2, 1], 3)
        results[f"unsorted_{name}"] = weighted_gradients(tf, y, x)
    y = tf.sparse_segment_sum(x, [0, 2, 3], [0, 0, 1], num_segments=2)
    results["sparse_sum"] = weighted_gradients(tf, tf.ensure_shape(y, [2, 2]), x)
    return results


@case
def matmul(tf):
    results = {}
    for transpose_a in (False, True):
        for transpose_b in (False, True):
            x, y = (
                tf.constant(normal(*((4, 2) if transpose_a else (2, 4)))),
                tf.constant(normal(*((3, 4) if transpose_b else (4, 3)), seed=1)),
            )
            product = tf.matmul(x, y, transpose_a=transpose_a, transpose_b=transpose_b)
            results[f"{transpose_a}_{transpose_b}"] = weighted_gradients(tf, product, [x, y])
    return results


@case
def batch_matmul(tf):
    results = {}
    for adjoint_a in (False, True):
        for adjoint_b in (False, True):
            x = tf.constant(normal(*((2, 1, 4, 2) if adjoint_a else (2, 1, 2, 4))))
            y = tf.constant(normal(*((3, 3, 4) if adjoint_b else (3, 4, 3)), seed=1))
            product = tf.matmul(x, y, adjoint_a=adjoint_a, adjoint_b=adjoint_b)
            results[f"{adjoint_a}_{adjoint_b}"] = weighted_gradients(tf, product, [x, y])
    return results


@case
def complex_matmul(tf):
    x, y = tf.constant(sample("complex64", 2, 3)), tf.constant(sample("complex64", 3, 2, seed=1))
    return [
        weighted_gradients(tf, tf.matmul(x, y), [x, y]),
        weighted_gradients(tf, tf.matmul(x, x, adjoint_b=True), x),
    ]


@case
def products(tf):
    x, y = tf.constant(normal(2, 3)), tf.constant(normal(3, 2, seed=1))
    stack = tf.constant(normal(2, 2, 3, seed=2))
    return {
        "tensordot": weighted_gradients(tf, tf.tensordot(stack, y, 1), [stack, y]),
        "einsum": weighted_gradients(tf, tf.einsum("ij,jk->ki", x, y), [x, y]),
        "einsum_batch": weighted_gradients(tf, tf.einsum("bij,jk->bik", stack, y), [stack, y]),
        "einsum_sum": weighted_gradients(tf, tf.einsum("ij,jk->", x, y), [x, y]),
        "matvec": weighted_gradients(tf, tf.linalg.matvec(x, y[:, 0]), [x, y]),
        "dense": weighted_gradients(tf, tf.nn.xw_plus_b(x, y, tf.zeros([2])), [x, y]),
        "second": second_order(tf, tf.matmul(x, y), x),
    }


@case
def bias_and_diagonals(tf):
    x, bias, image = (
        tf.constant(normal(2, 3)),
        tf.constant(normal(3)),
        tf.constant(normal(2, 3, 2, 2)),
    )
    square = tf.constant(normal(3, 3))
    return {
        "bias": weighted_gradients(tf, tf.nn.bias_add(x, bias), [x, bias]),
        "bias_nchw": weighted_gradients(tf, tf.nn.bias_add(image, bias, "NCHW"), [image, bias]),
        "diag": weighted_gradients(tf, tf.diag(bias), bias),
        "diag_part": weighted_gradients(tf, tf.diag_part(square), square),
        "matrix_diag": weighted_gradients(tf, tf.matrix_diag(x), x),
        "set_diag": weighted_gradients(tf, tf.matrix_set_diag(square, bias), [square, bias]),
        "band_part": weighted_gradients(tf, tf.matrix_band_part(square, 0, 1), square),
        "trace": weighted_gradients(tf, tf.trace(square), square),
        "cross": weighted_gradients(tf, tf.linalg.cross(x, x[::-1] * 2.0), x),
    }


@case
def linear_algebra(tf):
    factor = normal(3, 3, dtype="float64")
    matrix = tf.constant(factor @ factor.T + 3.0 * np.eye(3))
    right = tf.constant(normal(3, 2, dtype="float64", seed=1))
    return {
        "inverse": weighted_gradients(tf, tf.matrix_inverse(matrix), matrix),
        "determinant": weighted_gradients(tf, tf.matrix_determinant(matrix), matrix),
        "cholesky": weighted_gradients(tf, tf.cholesky(matrix), matrix),
        "solve": weighted_gradients(tf, tf.matrix_solve(matrix, right), [matrix, right]),
        "triangular": weighted_gradients(
            tf, tf.matrix_triangular_solve(matrix, right), [matrix, right]
        ),
        "logdet": weighted_gradients(tf, tf.linalg.logdet(matrix), matrix),
        "eigenvalues": weighted_gradients(tf, tf.self_adjoint_eigvals(matrix), matrix),
    }


@case
def images(tf):
    x = tf.constant(normal(1, 4, 4, 4))
    return {
        "space_to_depth": weighted_gradients(tf, tf.space_to_depth(x, 2), x),
        "depth_to_space": weighted_gradients(tf, tf.depth_to_space(x, 2), x),
        "bilinear": weighted_gradients(tf, tf.image.resize_bilinear(x, [6, 5]), x),
        "nearest": weighted_gradients(tf, tf.image.resize_nearest_neighbor(x, [6, 5]), x),
        "patches": weighted_gradients(
            tf,
            tf.extract_image_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"),
            x,
        ),
    }
