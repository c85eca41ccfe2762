"""Raw updates of variables: every ApplyX by type, on refs and resources, dense and sparse."""

from __future__ import annotations

import numpy as np

from ..case import Case, Script, case, error_case
from ..inputs import normal

SHAPE = (3, 2)
INDICES = {"some": [2, 0], "repeated": [1, 0, 1, 1], "none": []}

#: Op after "Apply" → its cells, its other arguments in order, and attributes to be changed.
UPDATES = {
    "GradientDescent": ("var", {"alpha": 0.1, "delta": None}, {}),
    "ProximalGradientDescent": ("var", {"alpha": 0.1, "l1": 0.2, "l2": 0.3, "delta": None}, {}),
    "Momentum": ("var accum", {"lr": 0.1, "grad": None, "momentum": 0.9}, {"use_nesterov": True}),
    "KerasMomentum": (
        "var accum",
        {"lr": 0.1, "grad": None, "momentum": 0.9},
        {"use_nesterov": True},
    ),
    "Adam": (
        "var m v",
        {
            "beta1_power": 0.8,
            "beta2_power": 0.9,
            "lr": 0.1,
            "beta1": 0.8,
            "beta2": 0.9,
            "epsilon": 0.01,
            "grad": None,
        },
        {"use_nesterov": True},
    ),
    "AdamWithAmsgrad": (
        "var m v vhat",
        {
            "beta1_power": 0.8,
            "beta2_power": 0.9,
            "lr": 0.1,
            "beta1": 0.8,
            "beta2": 0.9,
            "epsilon": 0.01,
            "grad": None,
        },
        {},
    ),
    "AdaMax": (
        "var m v",
        {
            "beta1_power": 0.8,
            "lr": 0.1,
            "beta1": 0.8,
            "beta2": 0.9,
            "epsilon": 0.01,
            "grad": None,
        },
        {},
    ),
    "AddSign": (
        "var m",
        {"lr": 0.1, "alpha": 0.9, "sign_decay": 0.8, "beta": 0.7, "grad": None},
        {},
    ),
    "PowerSign": (
        "var m",
        {"lr": 0.1, "logbase": 0.9, "sign_decay": 0.8, "beta": 0.7, "grad": None},
        {},
    ),
    "Adagrad": ("var accum", {"lr": 0.1, "grad": None}, {"update_slots": False}),
    "AdagradV2": ("var accum", {"lr": 0.1, "epsilon": 0.2, "grad": None}, {"update_slots": False}),
    "ProximalAdagrad": ("var accum", {"lr": 0.1, "l1": 0.2, "l2": 0.3, "grad": None}, {}),
    "AdagradDA": (
        "var gradient_accumulator gradient_squared_accumulator",
        {"grad": None, "lr": 0.1, "l1": 0.2, "l2": 0.3, "global_step": 4},
        {},
    ),
    "Adadelta": (
        "var accum accum_update",
        {"lr": 0.5, "rho": 0.9, "epsilon": 0.1, "grad": None},
        {},
    ),
    "RMSProp": (
        "var ms mom",
        {"lr": 0.1, "rho": 0.9, "momentum": 0.8, "epsilon": 0.1, "grad": None},
        {},
    ),
    "CenteredRMSProp": (
        "var mg ms mom",
        {"lr": 0.1, "rho": 0.9, "momentum": 0.8, "epsilon": 4.0, "grad": None},
        {},
    ),
    "Ftrl": (
        "var accum linear",
        {"grad": None, "lr": 0.1, "l1": 0.2, "l2": 0.3, "lr_power": -0.5},
        {"multiply_linear_by_lr": True},
    ),
    "FtrlV2": (
        "var accum linear",
        {"grad": None, "lr": 0.1, "l1": 0.2, "l2": 0.3, "l2_shrinkage": 0.4, "lr_power": -0.7},
        {"multiply_linear_by_lr": True},
    ),
}
RESOURCE_ONLY = ("KerasMomentum", "AdamWithAmsgrad")
DENSE_ONLY = ("GradientDescent", "Adam", "AdamWithAmsgrad", "AdaMax", "AddSign", "PowerSign")
COMPLEX = [
    "GradientDescent",
    "Momentum",
    "KerasMomentum",
    "Adam",
    "Adagrad",
    "AdagradV2",
    "Adadelta",
    "RMSProp",
    "CenteredRMSProp",
]
DOUBLES_ONLY = ("ProximalGradientDescent", "ProximalAdagrad", "AdagradDA")


def _start(cell, number):
    """What is in a cell at first; slots that are squares are positive."""
    value = normal(*SHAPE, seed=number).astype(np.float64)
    return (
        value
        if cell in ("var", "m", "mom", "linear", "mg", "gradient_accumulator")
        else (np.abs(value) + 0.1)
    )


def _call(tf, name, prefix="", use_resource=False, dtype=None, indices=None, shapes=None, **others):
    """Applies an update; returns the node, and the variables."""
    dtype = dtype or tf.float32
    cell_names, arguments, _ = UPDATES[name]
    cells = [
        tf.Variable(
            tf.cast(tf.constant((shapes or {}).get(cell, _start(cell, number))), dtype),
            use_resource=use_resource,
        )
        for number, cell in enumerate(cell_names.split())
    ]
    inputs = dict(zip(cell_names.split(), [c.handle if use_resource else c for c in cells]))
    for argument, value in arguments.items():
        kind = tf.int64 if argument == "global_step" else dtype
        if value is None:
            argument = "grad" if indices is not None else argument
            rows = SHAPE[0] if indices is None else len(indices)
            value = normal(rows, SHAPE[1], seed=7)
            if indices is not None:
                inputs["indices"] = tf.constant(np.array(indices, np.int32))
        inputs[argument] = tf.cast(tf.constant(value), kind)
    inputs.update(others)
    op = getattr(tf.raw_ops, f"{'Resource' if use_resource else ''}{prefix}Apply{name}")
    return op(**inputs), cells


def _program(name, **options):
    def program(tf):
        dtype = getattr(tf, options.get("dtype", "float32"))
        update, cells = _call(tf, name, **{**options, "dtype": dtype})

        def body(session):
            session.run(tf.global_variables_initializer())
            shape = None if options.get("use_resource") else update.shape.as_list()
            for _ in range(2):
                session.run(update)
            return [session.run(cells), shape]

        return Script(body)

    return program


for _name, (_, _, _changed) in UPDATES.items():
    _kinds = ("resource",) if _name in RESOURCE_ONLY else ("ref", "resource")
    for _kind in _kinds:
        _use = _kind == "resource"
        case(f"{_name}_{_kind}")(_program(_name, use_resource=_use))
        if _changed:
            case(f"{_name}_{_kind}_changed")(_program(_name, use_resource=_use, **_changed))
        if _name not in DENSE_ONLY:
            for _rows, _indices in INDICES.items():
                case(f"{_name}_{_kind}_{_rows}")(
                    _program(_name, prefix="Sparse", use_resource=_use, indices=_indices)
                )
            if _changed:
                case(f"{_name}_{_kind}_repeated_changed")(
                    _program(
                        _name, prefix="Sparse", use_resource=_use, indices=[1, 0, 1], **_changed
                    )
                )
    _types = ["float64"]
    _types += [] if _name in DOUBLES_ONLY else ["float16"]
    _types += [] if _name in (*DOUBLES_ONLY, "AdaMax") else ["bfloat16"]
    _types += ["complex64", "complex128"] if _name in COMPLEX else []
    for _type in _types:
        case(f"{_name}_{_type}")(_program(_name, use_resource=True, dtype=_type))
        if _name not in DENSE_ONLY and not (_type == "bfloat16" and "RMSProp" in _name):
            case(f"{_name}_{_type}_rows")(
                _program(_name, prefix="Sparse", use_resource=True, dtype=_type, indices=[2, 0, 2])
            )


@case
def ftrl_power_zero_and_edges(tf):
    update, cells = _call(tf, "Ftrl", lr_power=0.0, l2=-0.1)
    return Case([update, cells[2]], setup=[tf.global_variables_initializer()])


@case
def dual_averaging_at_step_zero(tf):
    update, _ = _call(tf, "AdagradDA", global_step=tf.constant(0, tf.int64))
    return Case(update, setup=[tf.global_variables_initializer()])


@case
def dual_averaging_of_rows_before_the_start(tf):
    step = tf.constant(-1, tf.int64)
    update, _ = _call(tf, "AdagradDA", prefix="Sparse", indices=[0, 2], global_step=step)
    return Case(update, setup=[tf.global_variables_initializer()])


@case
def sparse_rates_of_zero(tf):
    update, _ = _call(tf, "Ftrl", prefix="Sparse", indices=[0], lr=0.0, multiply_linear_by_lr=True)
    return Case(update, setup=[tf.global_variables_initializer()])


@case
def rows_of_a_vector(tf):
    start = tf.constant([1.0, 2.0, 3.0])
    w, a = (tf.Variable(start, use_resource=False) for _ in range(2))
    update = tf.raw_ops.SparseApplyAdagrad(
        var=w, accum=a, lr=0.1, grad=[1.0, 2.0, 3.0], indices=[2, 0, 2]
    )
    return Case([update, a], setup=[tf.global_variables_initializer()])


@case
def rows_without_elements(tf):
    start = tf.zeros([2, 0])
    w, a = (tf.Variable(start, use_resource=False) for _ in range(2))
    update = tf.raw_ops.SparseApplyMomentum(
        var=w, accum=a, lr=0.1, grad=tf.zeros([1, 0]), indices=[1], momentum=0.9
    )
    return Case(update, setup=[tf.global_variables_initializer()])


@case
def static_shapes_meet(tf):
    w, a = (tf.Variable(tf.zeros([2, 3]), use_resource=False) for _ in range(2))
    grad, rows = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int64, [None])
    raw = tf.raw_ops
    updates = [
        raw.SparseApplyAdagrad(var=w, accum=a, lr=0.1, grad=grad, indices=rows),
        raw.ApplyAdagrad(var=w, accum=a, lr=0.1, grad=tf.placeholder(tf.float32)),
        raw.SparseApplyMomentum(
            var=w, accum=a, lr=0.1, grad=tf.placeholder(tf.float32), indices=rows, momentum=0.1
        ),
    ]
    return [update.shape.as_list() for update in updates]


# --- what is refused ------------------------------------------------------------------------------


def _unknown(tf, value, dtype=None):
    """A tensor whose shape is known only in the run."""
    return tf.placeholder_with_default(tf.constant(value, dtype or tf.float32), None)


def _refused(case_name, name, make, **options):
    def program(tf):
        update, _ = _call(tf, name, **options, **make(tf))
        return Case(update, setup=[tf.global_variables_initializer()])

    error_case(case_name)(program)


for _name in ("Momentum", "Adagrad", "Ftrl", "RMSProp", "Adadelta", "ProximalAdagrad"):
    _first = next(a for a, v in UPDATES[_name][1].items() if v is not None)
    _rows = {"prefix": "Sparse", "indices": [1, 0]}
    _refused(f"{_name}_vector", _name, lambda tf, a=_first: {a: _unknown(tf, [0.1])})
    _refused(f"{_name}_static_vector", _name, lambda tf, a=_first: {a: tf.constant([0.1])})
    _refused(f"{_name}_grad_shape", _name, lambda tf: {"grad": _unknown(tf, [[1.0, 2.0]])})
    _refused(f"{_name}_static_grad", _name, lambda tf: {"grad": tf.constant([[1.0, 2.0]])})
    _refused(
        f"{_name}_row_out_of_range", _name, lambda tf: {"indices": tf.constant([1, 3])}, **_rows
    )
    _refused(f"{_name}_negative_row", _name, lambda tf: {"indices": tf.constant([-1, 0])}, **_rows)
    _refused(
        f"{_name}_matrix_of_rows",
        _name,
        lambda tf: {"indices": _unknown(tf, [[1, 0]], tf.int32)},
        **_rows,
    )
    _refused(
        f"{_name}_static_matrix_of_rows",
        _name,
        lambda tf: {"indices": tf.constant([[1, 0]])},
        **_rows,
    )
    _refused(
        f"{_name}_too_many_rows",
        _name,
        lambda tf: {"indices": _unknown(tf, [1, 0, 2], tf.int32)},
        **_rows,
    )
    _refused(f"{_name}_static_row_width", _name, lambda tf: {"grad": tf.zeros([2, 3])}, **_rows)

for _argument in ("lr", "l1", "l2"):
    _options = {_argument: -1.0}
    _refused(f"proximal_negative_{_argument}", "ProximalAdagrad", lambda tf: {}, **_options)
    _refused(
        f"ftrl_rows_negative_{_argument}",
        "Ftrl",
        lambda tf: {},
        prefix="Sparse",
        indices=[1],
        **_options,
    )
_refused("proximal_rate_zero", "ProximalAdagrad", lambda tf: {"lr": 0.0})
_refused(
    "ftrl_rows_positive_power", "Ftrl", lambda tf: {"lr_power": 0.5}, prefix="Sparse", indices=[1]
)
_refused(
    "ftrl_rows_negative_shrinkage",
    "FtrlV2",
    lambda tf: {"l2_shrinkage": -0.5},
    prefix="Sparse",
    indices=[1],
)


@error_case
def slots_of_another_shape(tf):
    return _call(tf, "Momentum", shapes={"accum": np.zeros([2])})[0]


@error_case
def resource_slots_of_another_shape(tf):
    update, _ = _call(tf, "Momentum", shapes={"accum": np.zeros([2])}, use_resource=True)
    return Case(update, setup=[tf.global_variables_initializer()])


@error_case
def update_before_initialization(tf):
    return _call(tf, "Adagrad")[0]


@error_case
def rows_that_must_have_elements(tf):
    w, a = (tf.Variable(tf.zeros([2, 0]), use_resource=False) for _ in range(2))
    update = tf.raw_ops.SparseApplyAdagrad(
        var=w, accum=a, lr=0.1, grad=tf.zeros([1, 0]), indices=[1]
    )
    return Case(update, setup=[tf.global_variables_initializer()])
