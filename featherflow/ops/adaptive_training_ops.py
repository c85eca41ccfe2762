"""Updates of variables with a rate of each element's own: Adagrad, Adadelta, RMSProp, FTRL."""

from __future__ import annotations

from featherflow.kernels import adaptive_updates as updates
from featherflow.ops.training_rules import (
    DOUBLES,
    FLOATS,
    NARROW_OR_COMPLEX,
    RowRule,
    UpdateRule,
    define_updates,
)

_UPDATE_SLOTS = ("update_slots: bool = true",)
_MULTIPLY = ("multiply_linear_by_lr: bool = false",)
_SHRINKING = {"lr": ">", "l1": ">=", "l2": ">="}

# --- Adagrad --------------------------------------------------------------------------------------

define_updates(
    UpdateRule("Adagrad", ("var", "accum"), ("lr", "grad"), updates.adagrad, options=_UPDATE_SLOTS),
    RowRule(),
)
define_updates(
    UpdateRule(
        "AdagradV2",
        ("var", "accum"),
        ("lr", "epsilon", "grad"),
        updates.adagrad_v2,
        options=_UPDATE_SLOTS,
    ),
    RowRule(),
)
define_updates(
    UpdateRule(
        "ProximalAdagrad",
        ("var", "accum"),
        ("lr", "l1", "l2", "grad"),
        updates.proximal_adagrad,
        DOUBLES,
        bounds=_SHRINKING,
    ),
    RowRule(),
)
define_updates(
    UpdateRule(
        "AdagradDA",
        ("var", "gradient_accumulator", "gradient_squared_accumulator"),
        ("grad", "lr", "l1", "l2", "global_step"),
        updates.adagrad_da,
        DOUBLES,
    ),
    RowRule(updates.adagrad_da_rows),
)

# --- decaying averages ----------------------------------------------------------------------------

define_updates(
    UpdateRule(
        "Adadelta",
        ("var", "accum", "accum_update"),
        ("lr", "rho", "epsilon", "grad"),
        updates.adadelta,
    ),
    RowRule(may_be_empty=True),
)
define_updates(
    UpdateRule(
        "RMSProp",
        ("var", "ms", "mom"),
        ("lr", "rho", "momentum", "epsilon", "grad"),
        updates.rms_prop,
    ),
    RowRule(types=NARROW_OR_COMPLEX, may_be_empty=True),
)
define_updates(
    UpdateRule(
        "CenteredRMSProp",
        ("var", "mg", "ms", "mom"),
        ("lr", "rho", "momentum", "epsilon", "grad"),
        updates.centered_rms_prop,
    ),
    RowRule(types=NARROW_OR_COMPLEX, may_be_empty=True),
)

# --- FTRL -----------------------------------------------------------------------------------------

define_updates(
    UpdateRule(
        "Ftrl",
        ("var", "accum", "linear"),
        ("grad", "lr", "l1", "l2", "lr_power"),
        updates.ftrl,
        FLOATS,
        _MULTIPLY,
    ),
    RowRule(bounds={**_SHRINKING, "lr_power": "<="}),
)
define_updates(
    UpdateRule(
        "FtrlV2",
        ("var", "accum", "linear"),
        ("grad", "lr", "l1", "l2", "l2_shrinkage", "lr_power"),
        updates.ftrl_v2,
        FLOATS,
        _MULTIPLY,
    ),
    RowRule(bounds={**_SHRINKING, "l2_shrinkage": ">=", "lr_power": "<="}),
)
