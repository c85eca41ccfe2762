"""tf.function: Python functions traced into graphs, and the graphs run as functions."""
