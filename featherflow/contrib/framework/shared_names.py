"""Names of tf.contrib.framework and tf.contrib.slim for what stands elsewhere."""

from __future__ import annotations

from featherflow.framework.exports import export_value

for _name in (
    "assert_global_step",
    "create_global_step",
    "get_global_step",
    "get_or_create_global_step",
):
    export_value(
        "featherflow.train.training_step",
        _name,
        f"contrib.framework.{_name}",
        f"contrib.slim.{_name}",
        v1_only=True,
    )
for _name in ("sort", "argsort"):
    export_value("featherflow.ops.sort_ops", _name, f"contrib.framework.{_name}", v1_only=True)
for _name in ("flatten", "pack_sequence_as", "map_structure", "assert_same_structure"):
    export_value(
        "featherflow.framework.nest", _name, f"contrib.framework.nest.{_name}", v1_only=True
    )
export_value(
    "featherflow.framework.nest",
    "is_nested",
    "contrib.framework.nest.is_nested",
    "contrib.framework.nest.is_sequence",
    v1_only=True,
)
for _module, _attribute in (
    ("weighted_loss", "compute_weighted_loss"),
    ("loss_collections", "add_loss"),
    ("loss_collections", "get_losses"),
    ("loss_collections", "get_regularization_losses"),
    ("loss_collections", "get_total_loss"),
    ("pointwise_losses", "absolute_difference"),
    ("pointwise_losses", "cosine_distance"),
    ("pointwise_losses", "hinge_loss"),
    ("pointwise_losses", "log_loss"),
    ("pointwise_losses", "mean_squared_error"),
    ("pairwise_loss", "mean_pairwise_squared_error"),
    ("cross_entropy_losses", "sigmoid_cross_entropy"),
    ("cross_entropy_losses", "softmax_cross_entropy"),
    ("cross_entropy_losses", "sparse_softmax_cross_entropy"),
):
    export_value(
        f"featherflow.losses.{_module}",
        _attribute,
        f"contrib.losses.{_attribute}",
        f"contrib.slim.losses.{_attribute}",
        v1_only=True,
    )
