"""tf.train.ClusterSpec: the jobs of a cluster, and the addresses of their tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from featherflow.framework.exports import export


@export("train.ClusterSpec")
class ClusterSpec:
    """Jobs by name, each a list of addresses, or a dict from task indices to addresses.

    Args:
      cluster: such a dict, or another ClusterSpec.
    Raises:
      TypeError: it is neither.

    >>> cluster = ClusterSpec({"ps": ["ps0:2222"], "worker": {1: "worker1:2222"}})
    >>> cluster.jobs, cluster.task_address("worker", 1)
    (['ps', 'worker'], 'worker1:2222')
    """

    def __init__(self, cluster: Any) -> None:
        if isinstance(cluster, ClusterSpec):
            cluster = cluster.as_dict()
        if not isinstance(cluster, Mapping):
            raise TypeError(
                "`cluster` must be a dict of jobs, each a list of addresses or a dict from task "
                f"indices to addresses, or a ClusterSpec. Received: {cluster!r}"
            )
        self._tasks = {job: _tasks_of(job, cluster[job]) for job in sorted(cluster)}

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._tasks == other._tasks

    def __hash__(self) -> int:
        return hash(tuple((job, *tasks.items()) for job, tasks in self._tasks.items()))

    def __repr__(self) -> str:
        return f"ClusterSpec({self.as_dict()!r})"

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._tasks)

    def as_dict(self) -> dict[str, list[str] | dict[int, str]]:
        """The jobs: a list where the tasks count from 0 without gaps, else a dict."""
        return {
            job: list(tasks.values()) if [*tasks] == [*range(len(tasks))] else dict(tasks)
            for job, tasks in self._tasks.items()
        }

    def num_tasks(self, job_name: str) -> int:
        """How many tasks a job has.

        Raises:
          ValueError: there is no such job.
        """
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The indices of a job's tasks.

        Raises:
          ValueError: there is no such job.
        """
        return list(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task.

        Raises:
          ValueError: there is no such job, or task.
        """
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of a job's tasks by index, None where there is no task.

        Raises:
          ValueError: there is no such job.
        """
        tasks = self._job(job_name)
        return [tasks.get(index) for index in range(max(tasks, default=-1) + 1)]

    def _job(self, name: str) -> dict[int, str]:
        if name not in self._tasks:
            raise ValueError(f"No such job in cluster: {name!r}")
        return self._tasks[name]


def _tasks_of(job: str, tasks: Any) -> dict[int, str]:
    if isinstance(tasks, (list, tuple)):
        tasks = dict(enumerate(tasks))
    if not isinstance(tasks, Mapping):
        raise TypeError(
            f"The tasks for job {job!r} must be a list or a dictionary from integers to strings."
        )
    for index, address in tasks.items():
        if not isinstance(index, int) or not isinstance(address, str):
            raise TypeError(f"Task {index!r} of job {job!r} has no address: {address!r}")
    return dict(sorted(tasks.items()))
