"""tf.train.replica_device_setter: variables on parameter servers in turn, the rest elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from featherflow.framework.device import DeviceSpec
from featherflow.framework.exports import export_v1
from featherflow.graph.operation import Operation
from featherflow.train.cluster_spec import ClusterSpec

#: Ops whose state lives on parameter servers.
STANDARD_PS_OPS = (
    *("Variable", "VariableV2", "AutoReloadVariable", "VarHandleOp"),
    *("MutableHashTable", "MutableHashTableV2"),
    *("MutableHashTableOfTensors", "MutableHashTableOfTensorsV2"),
    *("MutableDenseHashTable", "MutableDenseHashTableV2"),
    *("BoostedTreesEnsembleResourceHandleOp", "BoostedTreesQuantileStreamResourceHandleOp"),
    *("ResourceConditionalAccumulator", "DecisionTreeResource"),
)


class _RoundRobin:
    """Gives the tasks 0, 1, … in turn."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._next = 0

    def __call__(self, operation: Operation) -> int:
        task, self._next = self._next, (self._next + 1) % self._count
        return task


class _ReplicaDeviceChooser:
    """A device function for `tf.device`."""

    def __init__(
        self,
        ps_device: str,
        worker_device: str,
        merge_devices: bool,
        ps_ops: Sequence[str],
        ps_strategy: Callable[[Operation], int],
    ) -> None:
        self._ps_device = DeviceSpec.from_string(ps_device or "")
        self._worker_device = DeviceSpec.from_string(worker_device or "")
        self._merge_devices = merge_devices
        self._ps_ops = frozenset(ps_ops)
        self._ps_strategy = ps_strategy

    def __call__(self, operation: Operation) -> str:
        if not self._merge_devices and operation.device:
            return operation.device
        wanted = DeviceSpec.from_string(operation.device or "")
        chosen = self._worker_device
        if operation.type in self._ps_ops:
            chosen = self._ps_device
            if chosen.job and chosen.task is None and wanted.job in (None, chosen.job):
                chosen = chosen.replace(task=self._ps_strategy(operation))
        return chosen.make_merged_spec(wanted).to_string()


@export_v1("train.replica_device_setter")
def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Sequence[str] | None = None,
    ps_strategy: Callable[[Operation], int] | None = None,
) -> Callable[[Operation], str] | None:
    """A device function for `tf.device` that puts variables on parameter servers in turn.

    Args:
      ps_tasks: how many parameter servers there are; 0 for none.
      ps_device: the job of the parameter servers.
      worker_device: where everything else goes.
      merge_devices: whether a device that a program asks for within is completed; else it stays
        as it is.
      cluster: a ClusterSpec, or what makes one, that says how many parameter servers there are.
      ps_ops: types of ops whose state lives on parameter servers; None for variables and tables.
      ps_strategy: from an operation to the task; None takes them in turn.
    Returns:
      The function, or None if there are no parameter servers.
    Raises:
      TypeError: `cluster` is none, or `ps_strategy` cannot be called.

    >>> import featherflow as tf
    >>> with tf.device(tf.train.replica_device_setter(ps_tasks=2)):
    ...     v, w = tf.Variable(1.0), tf.Variable(2.0)
    >>> v.device, w.device
    ('/job:ps/task:0', '/job:ps/task:1')
    """
    if cluster is not None:
        jobs = ClusterSpec(cluster).as_dict()
        ps_tasks = len(jobs.get(DeviceSpec.from_string(ps_device).job or "", ()))
    if not ps_tasks:
        return None
    strategy = _RoundRobin(ps_tasks) if ps_strategy is None else ps_strategy
    if not callable(strategy):
        raise TypeError(f"ps_strategy must be callable. Received: {ps_strategy!r}")
    ops = STANDARD_PS_OPS if ps_ops is None else ps_ops
    return _ReplicaDeviceChooser(ps_device, worker_device, merge_devices, ops, strategy)
