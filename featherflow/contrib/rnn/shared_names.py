"""Names of tf.contrib.rnn for what stands elsewhere."""

from __future__ import annotations

from featherflow.framework.exports import export_value

for _module, _attribute in (
    ("rnn_cell", "RNNCell"),
    ("rnn_cell", "LayerRNNCell"),
    ("basic_cells", "BasicRNNCell"),
    ("basic_cells", "GRUCell"),
    ("lstm_cells", "LSTMStateTuple"),
    ("lstm_cells", "BasicLSTMCell"),
    ("lstm_cells", "LSTMCell"),
    ("multi_cell", "MultiRNNCell"),
    ("dropout_wrapper", "DropoutWrapper"),
    ("cell_wrappers", "ResidualWrapper"),
    ("cell_wrappers", "DeviceWrapper"),
    ("static_rnn", "static_rnn"),
    ("static_rnn", "static_state_saving_rnn"),
    ("bidirectional", "static_bidirectional_rnn"),
):
    export_value(
        f"featherflow.rnn.{_module}", _attribute, f"contrib.rnn.{_attribute}", v1_only=True
    )
