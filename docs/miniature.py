"""featherflow in five hundred lines that run: `python docs/miniature.py`.

This is the whole system in one file, without error messages, dtypes, shapes in full, threads or
speed. Each section names the file of the real thing. Read it from top to bottom; it is executed by
`./check`, so it cannot go stale. (The idea of an executable miniature is JAX's autodidax.)

The path of one Session.run, which everything here serves:

    build    matmul(x, w)          an Op is called; the graph records an Operation
    place    Placer                every Operation gets a device
    prune    prune()               only what the fetches need stays
    split    partition()           one list of nodes per device, Send and Recv between
    plan     Plan                  what can be worked out once: slots, order, last uses
    run      execute()             kernels are called, one after the other
"""

from __future__ import annotations

import threading
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import itemgetter

import numpy as np

# ==================================================================================================
# 1. Ops.  framework/op.py
#
# An op is an object on which its rules hang. TensorFlow joins the rules of an op by its name, a
# string, spread over a dozen files; here "find references" on `MatMul` finds all of them.
# ==================================================================================================


@dataclass(eq=False)
class Op:
    """What can be computed: a name, and the rules for it."""

    name: str
    stateful: bool = False
    shape_fn: object = None
    kernels: dict = field(default_factory=dict)  # device type -> function
    gradient_fn: object = None

    def __call__(self, *inputs, name=None, **attrs):
        # The one late-bound call of the whole system (framework/dispatch.py). Here there is only
        # one context, the default graph; the real one may also run the op at once.
        return current_graph().apply_op(self, inputs, attrs, name)

    # Decorators that hang rules on the op. Each returns the function, so that it keeps its name.

    def shape(self, function):
        self.shape_fn = function
        return function

    def kernel(self, device_type):
        def register(function):
            self.kernels[device_type] = function
            return function

        return register

    def gradient(self, function):
        self.gradient_fn = function
        return function


# ==================================================================================================
# 2. The graph.  graph/graph.py, graph/operation.py, graph/tensor.py
# ==================================================================================================


class Operation:
    """A node: an op applied to tensors."""

    def __init__(self, graph, op, inputs, attrs, name, device):
        self.graph, self.op, self.inputs = graph, op, inputs
        self.attrs, self.name, self.device = attrs, name, device
        # Shapes are inferred when the node is made: a wrong program fails at the line that is
        # wrong, not in a run an hour later.
        self.output = Tensor(self, op.shape_fn(*[t.shape for t in inputs], **attrs))

    def __repr__(self):
        return f"{self.name} = {self.op.name}({', '.join(t.operation.name for t in self.inputs)})"


class Tensor:
    """A handle to the output of a node. It has a shape, and no value."""

    def __init__(self, operation, shape):
        self.operation, self.shape = operation, shape

    # Operators are attached by ops/operators.py in the real system: a graph knows no op.
    def __add__(self, other):
        return add(self, other)

    def __mul__(self, other):
        return multiply(self, other)


class Graph:
    """Operations by name. It only ever grows."""

    def __init__(self):
        self.operations: dict[str, Operation] = {}
        self.device_stack = [""]

    def apply_op(self, op, inputs, attrs, name):
        tensors = [convert_to_tensor(value) for value in inputs]
        node = Operation(
            self, op, tensors, attrs, self.unique_name(name or op.name), self.device_stack[-1]
        )
        self.operations[node.name] = node
        return node.output

    def unique_name(self, name):
        if name not in self.operations:
            return name
        count = 1
        while f"{name}_{count}" in self.operations:
            count += 1
        return f"{name}_{count}"

    @contextmanager
    def device(self, name):
        """Nodes made inside ask for a device."""
        self.device_stack.append(name)
        yield
        self.device_stack.pop()

    @contextmanager
    def as_default(self):
        """Ops called inside go to this graph."""
        _graphs.append(self)
        yield self
        _graphs.pop()


_graphs = [Graph()]


def current_graph():
    return _graphs[-1]


def convert_to_tensor(value):
    """Anything array-like becomes a constant (framework/tensor_conversion.py)."""
    return value if isinstance(value, Tensor) else constant(value)


# ==================================================================================================
# 3. Ops, one block each: contract, shape, kernel, gradient, public function.  ops/
#
# The kernel is a plain function of arrays: it knows no graph and no session, and can be tested
# alone. Attributes come as keywords. A gradient is written in ops, not in arrays, so that it is a
# part of the graph and can itself be differentiated.
# ==================================================================================================

# --- Const ----------------------------------------------------------------------------------------

Const = Op("Const")


@Const.shape
def _const_shape(*, value):
    return value.shape


@Const.kernel("CPU")
def _const_cpu(*, value):
    return value


def constant(value, name=None):
    """A tensor that is `value` in every run."""
    return Const(value=np.asarray(value, np.float32), name=name)


# --- Placeholder ----------------------------------------------------------------------------------

Placeholder = Op("Placeholder")


@Placeholder.shape
def _placeholder_shape(*, shape):
    return shape


@Placeholder.kernel("CPU")
def _placeholder_cpu(*, shape):
    # Fed tensors never reach their kernel: prune() cuts them off. So this one was not fed.
    raise ValueError("You must feed a value for the placeholder.")


def placeholder(shape, name=None):
    """A tensor whose value is given with each run."""
    return Placeholder(shape=tuple(shape), name=name)


# --- Add, Mul -------------------------------------------------------------------------------------

Add = Op("Add")
Mul = Op("Mul")


def _same_shape(x, y):
    assert x == y, f"Shapes differ: {x} and {y}"  # no broadcasting in the miniature
    return x


Add.shape(_same_shape)
Add.kernel("CPU")(np.add)  # a NumPy ufunc is a kernel as it is
Mul.shape(_same_shape)
Mul.kernel("CPU")(np.multiply)


@Add.gradient
def _add_grad(node, grad):
    return [grad, grad]


@Mul.gradient
def _mul_grad(node, grad):
    x, y = node.inputs
    return [grad * y, grad * x]


def add(x, y, name=None):
    """x + y"""
    return Add(x, y, name=name)


def multiply(x, y, name=None):
    """x · y"""
    return Mul(x, y, name=name)


# --- MatMul ---------------------------------------------------------------------------------------

MatMul = Op("MatMul")


@MatMul.shape
def _matmul_shape(a, b, *, transpose_a, transpose_b):
    rows, inner = a[::-1] if transpose_a else a
    other, columns = b[::-1] if transpose_b else b
    assert inner == other, f"Inner dimensions differ: {a} and {b}"
    return rows, columns


@MatMul.kernel("CPU")
def _matmul_cpu(a, b, *, transpose_a, transpose_b):
    return (a.T if transpose_a else a) @ (b.T if transpose_b else b)


@MatMul.gradient
def _matmul_grad(node, grad):
    # d(A B) = dA B + A dB. The miniature differentiates products without transposes only.
    a, b = node.inputs
    return [matmul(grad, b, transpose_b=True), matmul(a, grad, transpose_a=True)]


def matmul(a, b, transpose_a=False, transpose_b=False, name=None):
    """A · B"""
    return MatMul(a, b, transpose_a=transpose_a, transpose_b=transpose_b, name=name)


# --- Sum ------------------------------------------------------------------------------------------

Sum = Op("Sum")
Spread = Op("Spread")  # the gradient of Sum: a scalar, everywhere


@Sum.shape
def _sum_shape(x):
    return ()


@Sum.kernel("CPU")
def _sum_cpu(x):
    return np.asarray(x.sum())


@Sum.gradient
def _sum_grad(node, grad):
    return [Spread(grad, shape=node.inputs[0].shape)]


@Spread.shape
def _spread_shape(x, *, shape):
    return shape


@Spread.kernel("CPU")
def _spread_cpu(x, *, shape):
    return np.full(shape, x)


@Spread.gradient
def _spread_grad(node, grad):
    return [reduce_sum(grad)]


def reduce_sum(x, name=None):
    """The sum of all elements."""
    return Sum(x, name=name)


# --- Variable, AssignSub --------------------------------------------------------------------------
#
# State is the only reason for a session. The value that travels along the edge of a variable is its
# *cell*, where the session keeps the array: a kernel that takes a "ref" gets the cell itself
# (framework/resource.py). That is how TF1's variables work, aliasing included.

Variable = Op("Variable", stateful=True)
Read = Op("Read")
AssignSub = Op("AssignSub", stateful=True)


@dataclass
class Cell:
    value: np.ndarray


@Variable.shape
def _variable_shape(*, initial_value):
    return initial_value.shape


@Variable.kernel("CPU")
def _variable_cpu(*, initial_value):
    return Cell(initial_value.copy())


@Read.shape
def _read_shape(ref):
    return ref


@Read.kernel("CPU")
def _read_cpu(ref):
    return ref.value


@Read.gradient
def _read_grad(node, grad):
    return [grad]


@AssignSub.shape
def _assign_sub_shape(ref, delta):
    return ref


@AssignSub.kernel("CPU")
def _assign_sub_cpu(ref, delta):
    ref.value = ref.value - delta
    return ref.value


def variable(initial_value, name=None):
    """A tensor that a session keeps between runs: (its ref, its value)."""
    ref = Variable(initial_value=np.asarray(initial_value, np.float32), name=name)
    return ref, Read(ref)


# ==================================================================================================
# 4. Gradients.  ops/gradients.py
#
# Walk the graph backwards from y. When a node's output has all its gradients, ask its op for those
# of its inputs. The result is more graph: nothing is computed here.
# ==================================================================================================


def gradients(y, xs):
    """∂y/∂x for each x, as tensors of the same graph."""
    order = topological_order([y.operation])
    collected = defaultdict(list)
    collected[y].append(Spread(constant(1.0), shape=y.shape))
    for node in reversed(order):
        grads = collected.get(node.output)
        if not grads or not node.inputs or node.op.gradient_fn is None:
            continue
        total = sum_of(grads)
        collected[node.output] = [total]
        for tensor, grad in zip(node.inputs, node.op.gradient_fn(node, total)):
            collected[tensor].append(grad)
    return [sum_of(collected[x]) for x in xs]


def sum_of(tensors):
    total = tensors[0]
    for tensor in tensors[1:]:
        total = total + tensor
    return total


def topological_order(roots):
    """Every node that the roots need, inputs first. (graph/algorithms.py; not recursive there.)"""
    order, seen = [], set()

    def visit(node):
        if node not in seen:
            seen.add(node)
            for tensor in node.inputs:
                visit(tensor.operation)
            order.append(node)

    for root in roots:
        visit(root)
    return order


# ==================================================================================================
# 5. Placement.  runtime/placer.py
#
# Every node gets a device: the one asked for, if a kernel exists there, else the first that has
# one. What works on a variable goes where the variable is. Placement is decided on the whole graph,
# so that a variable is in one place whatever is fetched.
# ==================================================================================================


def place(graph, devices):
    placement = {}
    for node in graph.operations.values():
        refs = [t.operation for t in node.inputs if t.operation.op is Variable]
        if refs:
            placement[node] = placement[refs[0]]
            continue
        wanted = [device for device in devices if node.device in device] or devices
        placement[node] = next(d for d in wanted if d.split(":")[0] in node.op.kernels)
    return placement


# ==================================================================================================
# 6. Pruning and partition.  graph/subgraph.py, graph/graph_partition.py
#
# From here on nothing touches the Graph: a step is a list of light nodes. Fed tensors are cut off
# first, so that nothing behind them runs. Then every edge that crosses from one device to another
# becomes a Send there and a Recv here; devices share nothing but the rendezvous.
# ==================================================================================================


@dataclass(eq=False)
class Node:
    kernel: object
    inputs: list  # of keys
    key: object  # what its output is known by


def prune(fetches, feeds):
    """The Operations that the fetches need, in order, without what the feeds replace."""
    order, seen = [], set()

    def visit(tensor):
        if tensor in feeds or tensor.operation in seen:
            return
        seen.add(tensor.operation)
        for source in tensor.operation.inputs:
            visit(source)
        order.append(tensor.operation)

    for fetch in fetches:
        visit(fetch)
    return order


def partition(order, placement, feeds, cells, rendezvous):
    """The nodes of each device, in the one order of the step; that order is why two devices that
    send to each other cannot wait in a circle."""
    parts = defaultdict(list)
    sent = set()
    for operation in order:
        device = placement[operation]
        for tensor in operation.inputs:
            source = None if tensor in feeds else placement[tensor.operation]
            if source in (None, device) or (tensor, device) in sent:
                continue
            sent.add((tensor, device))
            edge = (tensor, source, device)
            parts[source].append(Node(rendezvous.sender(edge), [tensor], edge))
            parts[device].append(Node(rendezvous.receiver(edge), [], tensor))
        kernel = bind(operation, device, cells)
        parts[device].append(Node(kernel, operation.inputs, operation.output))
    return parts


def bind(operation, device, cells):
    """The kernel as a function of its inputs alone: attributes filled in. A stateful node gives
    what the session keeps for it."""
    if operation.op is Variable:
        if operation not in cells:
            cells[operation] = Variable.kernels["CPU"](**operation.attrs)
        return lambda: cells[operation]
    kernel = operation.op.kernels[device.split(":")[0]]
    return (lambda *inputs: kernel(*inputs, **operation.attrs)) if operation.attrs else kernel


class Rendezvous:
    """Where a Send meets its Recv (framework/rendezvous.py). The real one never blocks a thread."""

    def __init__(self):
        self.values, self.arrived = {}, threading.Condition()

    def sender(self, edge):
        def send(value):
            with self.arrived:
                self.values[edge] = value
                self.arrived.notify_all()

        return send

    def receiver(self, edge):
        def receive():
            with self.arrived:
                self.arrived.wait_for(lambda: edge in self.values)
                return self.values.pop(edge)

        return receive


# ==================================================================================================
# 7. The plan and the executor.  runtime/executor_plan.py, runtime/executor.py
#
# Three objects that TensorFlow found late: what is fixed per graph (the plan), what moves per step
# (the list of values), what runs kernels (the loop). Everything that can be is worked out in the
# plan: which slot each value has, and when it is read for the last time.
# ==================================================================================================


class Plan:
    """The steps of one device: (kernel, gather, slot of the output, slots to release)."""

    def __init__(self, nodes, feeds, fetches):
        keys = [*feeds, *[node.key for node in nodes]]
        self.slots = {key: slot for slot, key in enumerate(keys)}
        last_reader = {}
        for index, node in enumerate(nodes):
            for key in node.inputs:
                last_reader[key] = index
        self.steps = []
        for index, node in enumerate(nodes):
            dead = [
                self.slots[key]
                for key in node.inputs
                if last_reader[key] == index and key not in fetches
            ]
            inputs = [self.slots[key] for key in node.inputs]
            gather = itemgetter(*inputs) if len(inputs) > 1 else _gather_few(inputs)
            self.steps.append((node.kernel, gather, self.slots[node.key], dead))


def _gather_few(inputs):
    return lambda values: [values[slot] for slot in inputs]


def execute(plan, feeds):
    """Runs the steps in order. In the real system this loop costs 0.2 µs a step."""
    values = [None] * len(plan.slots)
    for key, value in feeds.items():
        values[plan.slots[key]] = value
    for kernel, gather, slot, dead in plan.steps:
        values[slot] = kernel(*gather(values))
        for old in dead:
            values[old] = None  # the memory goes as soon as its last reader is done
    return values


# ==================================================================================================
# 8. The session.  runtime/session.py, runtime/direct_session.py
# ==================================================================================================


class Session:
    """Runs parts of a graph; keeps its variables and its plans."""

    def __init__(self, graph, devices=("CPU:0",)):
        self.graph, self.devices = graph, list(devices)
        self.cells, self.plans = {}, {}
        self.rendezvous = Rendezvous()

    def run(self, fetches, feed_dict=None):
        feeds = {
            tensor: np.asarray(value, np.float32) for tensor, value in (feed_dict or {}).items()
        }
        key = (tuple(fetches), tuple(feeds))
        if key not in self.plans:  # the first run of these fetches and feeds plans; others reuse
            self.plans[key] = self.plan(fetches, feeds)
        results = self.run_devices(self.plans[key], feeds)
        return [results[fetch] for fetch in fetches]

    def plan(self, fetches, feeds):
        placement = place(self.graph, self.devices)
        order = prune(fetches, feeds)
        parts = partition(order, placement, feeds, self.cells, self.rendezvous)
        return [Plan(nodes, list(feeds), set(fetches)) for nodes in parts.values()]

    def run_devices(self, plans, feeds):
        """One executor per device, all at the same time."""
        results = {}

        def run_one(plan):
            values = execute(plan, feeds)
            results.update({key: values[slot] for key, slot in plan.slots.items()})

        threads = [threading.Thread(target=run_one, args=(plan,)) for plan in plans[1:]]
        for thread in threads:
            thread.start()
        run_one(plans[0])
        for thread in threads:
            thread.join()
        return results


# ==================================================================================================
# 9. A program: fit w so that x · w = t, its halves on two devices.
# ==================================================================================================


def main():
    rng = np.random.default_rng(0)
    data = rng.standard_normal((32, 4)).astype(np.float32)
    truth = rng.standard_normal((4, 1)).astype(np.float32)

    with Graph().as_default() as graph:
        x = placeholder((32, 4), name="x")
        target = placeholder((32, 1), name="target")
        with graph.device("CPU:0"):
            ref, w = variable(np.zeros((4, 1)), name="w")
        with graph.device("CPU:1"):
            error = matmul(x, w) + target * constant(-np.ones((32, 1)))
            loss = reduce_sum(error * error)
        (grad,) = gradients(loss, [w])
        train = AssignSub(ref, grad * constant(np.full((4, 1), 0.01)), name="train")

    for node in graph.operations.values():
        print(f"  {node}")

    session = Session(graph, devices=("CPU:0", "CPU:1"))
    for step in range(60):
        _, value = session.run([train, loss], {x: data, target: data @ truth})
        if step % 15 == 0:
            print(f"  step {step:2}  loss {float(value):9.5f}")
    (learned,) = session.run([w])
    assert np.allclose(learned, truth, atol=1e-2), (learned, truth)
    # Only what the fetch needs was run: reading w runs two nodes of the whole graph.
    assert len(prune([w], {})) == 2
    print(f"  learned {learned.ravel()}, wanted {truth.ravel()}")


if __name__ == "__main__":
    main()
