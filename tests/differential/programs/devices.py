"""Programs of placement: device scopes, device functions, colocation."""

from __future__ import annotations


def device_scopes(tf):
    """Device strings of several forms, nested scopes that merge, and scopes that clear."""
    points = []
    with tf.device("/cpu:0"):
        points.append(tf.constant(1.0, name="short"))
    with tf.device("/job:worker/task:1"):
        points.append(tf.constant(1.0, name="job"))
        with tf.device("/device:GPU:2"):
            points.append(tf.constant(1.0, name="merged"))
        with tf.device("/job:ps"):
            points.append(tf.constant(1.0, name="replaced"))
        with tf.device(None):
            points.append(tf.constant(1.0, name="cleared"))
    with tf.device(tf.DeviceSpec(job="worker", device_type="CPU", device_index=0)):
        points.append(tf.add_n(points, name="spec"))
    return {"points": points, "devices": [point.device for point in points]}


def device_functions(tf):
    """A device function sees each op, and inner scopes come before outer ones."""

    def by_type(op):
        return "/job:ps/task:0" if op.type in ("VariableV2", "Variable") else "/job:worker"

    with tf.device(by_type):
        weights = tf.get_variable("weights", [2], initializer=tf.zeros_initializer())
        with tf.device("/device:CPU:1"):
            doubled = weights * 2.0
        bias = tf.Variable(1.0, name="bias")
    return {"points": [doubled, bias], "devices": [weights.device, doubled.device, bias.device]}


def replica_devices(tf):
    """replica_device_setter spreads variables over parameter servers."""
    with tf.device(tf.train.replica_device_setter(ps_tasks=2, worker_device="/job:worker/task:3")):
        variables = [
            tf.get_variable(f"w{i}", [2], initializer=tf.zeros_initializer()) for i in range(3)
        ]
        total = tf.add_n(variables, name="total")
    return {"total": total, "devices": [variable.device for variable in variables]}


def colocation(tf):
    """colocate_with an op, a variable, nested, and ignoring what was there."""
    with tf.device("/cpu:0"):
        anchor = tf.constant(1.0, name="anchor")
    variable = tf.get_variable("variable", [], initializer=tf.zeros_initializer())
    with tf.colocate_with(anchor):
        beside = tf.constant(2.0, name="beside")
        with tf.colocate_with(variable):
            both = tf.constant(3.0, name="both")
        with tf.colocate_with(variable, ignore_existing=True):
            only = tf.constant(4.0, name="only")
    with tf.colocate_with(beside):
        chained = tf.negative(both, name="chained")
    groups = [point.op.colocation_groups() for point in (beside, both, only, chained)]
    return {"points": [beside, both, only, chained], "groups": groups}


def colocated_slots(tf):
    """Variables on devices take their initializers, reads and updates with them."""
    with tf.device("/job:ps/task:1/cpu:0"):
        table = tf.get_variable("table", [4, 2], initializer=tf.ones_initializer())
    update = tf.scatter_add(table, [1, 2], tf.ones([2, 2]))
    gathered = tf.gather(table, [0, 1])
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    train_op = optimizer.minimize(tf.reduce_sum(gathered))
    return {"update": update, "train_op": train_op, "optimizer": optimizer}
