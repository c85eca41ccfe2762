"""Fused LSTM and GRU steps and sequences, with their gradients, as `tf.raw_ops` has them."""

from __future__ import annotations

from ..case import Case, case, error_cases
from ..inputs import normal

STEPS, BATCH, INPUTS, CELLS = 3, 2, 4, 5
HALF_SUMS = {
    "tolerance": 1e-2,
    "reason": "half: TensorFlow rounds between the operations of a step",
}


def lstm_arguments(tf, dtype="float32", steps=STEPS, batch=BATCH, inputs=INPUTS):
    """Inputs of an LSTM; without time steps if `steps` is None."""
    shapes = {
        "x": (batch, inputs) if steps is None else (steps, batch, inputs),
        "cs_prev": (batch, CELLS),
        "h_prev": (batch, CELLS),
        "w": (inputs + CELLS, 4 * CELLS),
        "wci": (CELLS,),
        "wcf": (CELLS,),
        "wco": (CELLS,),
        "b": (4 * CELLS,),
    }
    return {
        name: tf.constant(normal(*shape, dtype=dtype, seed=seed))
        for seed, (name, shape) in enumerate(shapes.items())
    }


def states(tf, names, *shape, dtype="float32"):
    return {
        name: tf.constant(normal(*shape, dtype=dtype, seed=20 + seed))
        for seed, name in enumerate(names)
    }


def _register_sequences():
    forms = {
        "plain": {},
        "peephole": {"use_peephole": True},
        "clipped": {"cell_clip": 0.5},
        "unclipped": {"cell_clip": -1.0, "use_peephole": True},
    }
    for op in ("BlockLSTM", "BlockLSTMV2"):
        for form, attrs in forms.items():
            for length in (STEPS, 2, 0):
                _register_sequence(op, f"{op}_{form}_{length}", attrs, length)
        _register_sequence(op, f"{op}_half", {"use_peephole": True}, STEPS, "float16")
        _register_sequence(op, f"{op}_no_steps", {}, 0, steps=0)
        _register_sequence(op, f"{op}_no_batch", {}, STEPS, batch=0)
        _register_sequence(op, f"{op}_no_inputs", {}, STEPS, inputs=0)
    _register_sequence("BlockLSTM", "BlockLSTM_forget_bias", {"forget_bias": -0.5}, STEPS)


def _register_sequence(op, name, attrs, length, dtype="float32", **sizes):
    @case(name)
    def sequence(tf):
        arguments = lstm_arguments(tf, dtype, **sizes)
        outputs = getattr(tf.raw_ops, op)(
            seq_len_max=tf.constant(length, tf.int64), **arguments, **attrs
        )
        # What lies behind the last step is not defined for the gates.
        taken = {name: getattr(outputs, name)[:length] for name in ("i", "f", "o", "ci", "co")}
        fetches = {**taken, "cs": outputs.cs[:length], "h": outputs.h}
        # TensorFlow differentiates BlockLSTMV2 as if its gates lay in BlockLSTM's order, and
        # leaves the weights' gradient of an empty batch uninitialised.
        if op == "BlockLSTM" and sizes != {"batch": 0}:
            loss = tf.reduce_sum(outputs.h * outputs.h) + tf.reduce_sum(outputs.cs)
            fetches["gradients"] = tf.gradients(loss, list(arguments.values()))
        return Case(fetches, **HALF_SUMS) if dtype == "float16" else fetches


def _register_steps():
    forms = {
        "plain": {},
        "peephole": {"use_peephole": True},
        "clipped": {"cell_clip": 0.25},
        "unclipped": {"cell_clip": 0.0, "forget_bias": 0.0},
    }
    for form, attrs in forms.items():
        for dtype in ("float32", "float16"):
            _register_step(form, attrs, dtype)


def _register_step(form, attrs, dtype):
    @case(f"LSTMBlockCell_{form}_{dtype}")
    def step(tf):
        arguments = lstm_arguments(tf, dtype, steps=None)
        outputs = list(tf.raw_ops.LSTMBlockCell(**arguments, **attrs))
        return Case(outputs, **HALF_SUMS) if dtype == "float16" else outputs

    @case(f"LSTMBlockCellGrad_{form}_{dtype}")
    def step_gradient(tf):
        arguments = lstm_arguments(tf, dtype, steps=None)
        names = ("i", "cs", "f", "o", "ci", "co", "cs_grad", "h_grad")
        outputs = list(
            tf.raw_ops.LSTMBlockCellGrad(
                **arguments,
                **states(tf, names, BATCH, CELLS, dtype=dtype),
                use_peephole=attrs.get("use_peephole", False),
            )
        )
        return Case(outputs, **HALF_SUMS) if dtype == "float16" else outputs


_register_sequences()
_register_steps()


def _register_sequence_gradients():
    for op in ("BlockLSTMGrad", "BlockLSTMGradV2"):
        for peephole in (False, True):
            for length in (STEPS, 1):
                _register_sequence_gradient(op, peephole, length)


def _register_sequence_gradient(op, peephole, length):
    @case(f"{op}_{'peephole' if peephole else 'plain'}_{length}")
    def gradient(tf):
        names = ("i", "cs", "f", "o", "ci", "co", "h", "cs_grad", "h_grad")
        return list(
            getattr(tf.raw_ops, op)(
                seq_len_max=tf.constant(length, tf.int64),
                **lstm_arguments(tf),
                **states(tf, names, STEPS, BATCH, CELLS),
                use_peephole=peephole,
            )
        )


_register_sequence_gradients()


def gru_arguments(tf, batch=BATCH, inputs=INPUTS):
    shapes = {
        "x": (batch, inputs),
        "h_prev": (batch, CELLS),
        "w_ru": (inputs + CELLS, 2 * CELLS),
        "w_c": (inputs + CELLS, CELLS),
        "b_ru": (2 * CELLS,),
        "b_c": (CELLS,),
    }
    return {
        name: tf.constant(normal(*shape, seed=seed))
        for seed, (name, shape) in enumerate(shapes.items())
    }


def _register_gru():
    for label, sizes in {"plain": {}, "no_batch": {"batch": 0}, "no_inputs": {"inputs": 0}}.items():

        @case(f"GRUBlockCell_{label}")
        def step(tf, sizes=sizes):
            return list(tf.raw_ops.GRUBlockCell(**gru_arguments(tf, **sizes)))

    @case("GRUBlockCellGrad")
    def step_gradient(tf):
        given = states(tf, ("r", "u", "c", "d_h"), BATCH, CELLS)
        return list(tf.raw_ops.GRUBlockCellGrad(**gru_arguments(tf), **given))


_register_gru()


@case
def static_shapes(tf):
    def shaped(*shape, dtype=tf.float32):
        return tf.placeholder(dtype, None if shape == (None,) else shape)

    def sequence(op, x, cs_prev, b):
        free = {name: shaped(None) for name in ("h_prev", "w", "wci", "wcf", "wco")}
        outputs = getattr(tf.raw_ops, op)(
            seq_len_max=shaped(None, dtype=tf.int64), x=x, cs_prev=cs_prev, b=b, **free
        )
        return [str(output.shape) for output in outputs]

    def cell(x, cs_prev):
        free = {name: shaped(None) for name in ("h_prev", "w", "wci", "wcf", "wco", "b")}
        return [
            str(output.shape) for output in tf.raw_ops.LSTMBlockCell(x=x, cs_prev=cs_prev, **free)
        ]

    def gru(x, h_prev):
        free = {name: shaped(None) for name in ("w_ru", "w_c", "b_ru", "b_c")}
        return [str(output.shape) for output in tf.raw_ops.GRUBlockCell(x=x, h_prev=h_prev, **free)]

    return {
        "known": sequence("BlockLSTM", shaped(3, 2, 4), shaped(2, 5), shaped(20)),
        "batch": sequence("BlockLSTMV2", shaped(3, None, 4), shaped(7, 6), shaped(20)),
        "nothing": sequence("BlockLSTM", shaped(None), shaped(None), shaped(None)),
        "cell": cell(shaped(2, 4), shaped(3, 5)),
        "cell_batch": cell(shaped(None, 4), shaped(3, 5)),
        "cell_nothing": cell(shaped(None), shaped(None)),
        "gru": gru(shaped(2, 4), shaped(None, 5)),
        "gru_nothing": gru(shaped(None), shaped(None)),
    }


def _changed(op, name, *shape, steps=STEPS, **more):
    def program(tf):
        arguments = lstm_arguments(tf, steps=steps)
        arguments[name] = tf.placeholder_with_default(normal(*shape), None)
        return list(getattr(tf.raw_ops, op)(**arguments, **more))

    return program


def _changed_gru(name, *shape):
    def program(tf):
        arguments = gru_arguments(tf)
        arguments[name] = tf.placeholder_with_default(normal(*shape), None)
        return list(tf.raw_ops.GRUBlockCell(**arguments))

    return program


error_cases(
    sequence_input_rank=_changed("BlockLSTM", "x", 2, 4, seq_len_max=3),
    sequence_state_rank=_changed("BlockLSTM", "cs_prev", 5, seq_len_max=3),
    sequence_state_batch=_changed("BlockLSTM", "cs_prev", 3, 5, seq_len_max=3),
    sequence_output_size=_changed("BlockLSTMV2", "h_prev", 2, 6, seq_len_max=3),
    sequence_weight_rows=_changed("BlockLSTMV2", "w", 8, 20, seq_len_max=3),
    sequence_weight_columns=_changed("BlockLSTM", "w", 9, 21, seq_len_max=3),
    sequence_bias=_changed("BlockLSTM", "b", 21, seq_len_max=3),
    sequence_bias_rank=_changed("BlockLSTM", "b", 20, 1, seq_len_max=3),
    sequence_peephole_rank=_changed("BlockLSTM", "wco", 5, 1, seq_len_max=3),
    sequence_peephole_size=_changed("BlockLSTM", "wco", 4, seq_len_max=3, use_peephole=True),
    sequence_length_rank=lambda tf: list(
        tf.raw_ops.BlockLSTM(
            seq_len_max=tf.placeholder_with_default([3, 3], None), **lstm_arguments(tf)
        )
    ),
    known_bias_is_not_of_four=lambda tf: list(
        tf.raw_ops.BlockLSTM(seq_len_max=3, **{**lstm_arguments(tf), "b": tf.zeros([21])})
    ),
    step_input_batch=_changed("LSTMBlockCell", "x", 3, 4, steps=None),
    step_state_batch=_changed("LSTMBlockCell", "cs_prev", 3, 5, steps=None),
    step_output_size=_changed("LSTMBlockCell", "h_prev", 2, 6, steps=None),
    step_weight_rows=_changed("LSTMBlockCell", "w", 8, 20, steps=None),
    step_bias=_changed("LSTMBlockCell", "b", 21, steps=None),
    step_peephole_rank=_changed("LSTMBlockCell", "wci", 5, 1, steps=None),
    step_bias_rank=_changed("LSTMBlockCell", "b", 20, 1, steps=None),
    gru_input_batch=_changed_gru("x", 3, 4),
    gru_state_size=_changed_gru("h_prev", 2, 6),
    gru_gate_weights=_changed_gru("w_ru", 8, 10),
    gru_candidate_weights=_changed_gru("w_c", 9, 6),
    gru_gate_bias=_changed_gru("b_ru", 11),
    gru_candidate_bias=_changed_gru("b_c", 6),
    gru_bias_rank=_changed_gru("b_c", 5, 1),
    gru_input_rank=_changed_gru("x", 2, 4, 1),
)
