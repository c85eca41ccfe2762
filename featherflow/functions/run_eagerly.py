"""`tf.config.run_functions_eagerly`: tf.functions as plain Python, for debugging."""

from __future__ import annotations

from featherflow.framework.exports import export

_is_on = False


@export("config.run_functions_eagerly", "config.experimental_run_functions_eagerly")
def run_functions_eagerly(run_eagerly: bool) -> None:
    """From now on tf.functions run their Python code in each call, op by op."""
    global _is_on
    _is_on = bool(run_eagerly)


@export("config.functions_run_eagerly", "config.experimental_functions_run_eagerly")
def functions_run_eagerly() -> bool:
    """Whether tf.functions run their Python code in each call."""
    return _is_on
