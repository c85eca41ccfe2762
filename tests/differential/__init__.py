"""The differential test bed: small programs whose answers were recorded from TensorFlow."""
