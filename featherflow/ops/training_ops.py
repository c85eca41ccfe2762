"""Updates of variables by descent, momentum, moments and signs of gradients."""

from __future__ import annotations

from featherflow.kernels import optimizer_updates as updates
from featherflow.ops.training_rules import (
    DOUBLES,
    FLOATS,
    NARROW,
    RowRule,
    UpdateRule,
    define_updates,
)

_NESTEROV = ("use_nesterov: bool = false",)
_MOMENTS = ("var", "m", "v")
_ADAM = ("beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad")

# --- descent --------------------------------------------------------------------------------------

define_updates(
    UpdateRule(
        "GradientDescent",
        ("var",),
        ("alpha", "delta"),
        updates.gradient_descent,
        gradient="delta",
    )
)
define_updates(
    UpdateRule(
        "ProximalGradientDescent",
        ("var",),
        ("alpha", "l1", "l2", "delta"),
        updates.proximal_gradient_descent,
        DOUBLES,
        gradient="delta",
    ),
    RowRule(),
)

# --- momentum -------------------------------------------------------------------------------------

define_updates(
    UpdateRule(
        "Momentum",
        ("var", "accum"),
        ("lr", "grad", "momentum"),
        updates.momentum,
        options=_NESTEROV,
    ),
    RowRule(may_be_empty=True),
)
define_updates(
    UpdateRule(
        "KerasMomentum",
        ("var", "accum"),
        ("lr", "grad", "momentum"),
        updates.keras_momentum,
        options=_NESTEROV,
        on_refs=False,
    ),
    RowRule(may_be_empty=True),
)

# --- moments --------------------------------------------------------------------------------------

define_updates(UpdateRule("Adam", _MOMENTS, _ADAM, updates.adam, options=_NESTEROV))
define_updates(
    UpdateRule(
        "AdamWithAmsgrad",
        (*_MOMENTS, "vhat"),
        _ADAM,
        updates.adam_with_amsgrad,
        FLOATS,
        on_refs=False,
    )
)
define_updates(
    UpdateRule(
        "AdaMax",
        _MOMENTS,
        ("beta1_power", "lr", "beta1", "beta2", "epsilon", "grad"),
        updates.ada_max,
        NARROW,
    )
)

# --- signs ----------------------------------------------------------------------------------------

define_updates(
    UpdateRule(
        "AddSign",
        ("var", "m"),
        ("lr", "alpha", "sign_decay", "beta", "grad"),
        updates.add_sign,
        FLOATS,
    )
)
define_updates(
    UpdateRule(
        "PowerSign",
        ("var", "m"),
        ("lr", "logbase", "sign_decay", "beta", "grad"),
        updates.power_sign,
        FLOATS,
    )
)
