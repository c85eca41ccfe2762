"""TensorFlow's protocol buffers under our package name, and the modules generated from them.

Messages, fields and numbers are TensorFlow's, so bytes written by one library are read by the
other; the package is ``featherflow`` instead of ``tensorflow``, so that both fit in one process.
``tools/generate_protos.py`` makes the modules from the ``.proto`` files. Importing one of them
imports protobuf, so code outside this folder does it inside functions.
"""
