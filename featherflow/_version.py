"""The versions that programs branch on: the TensorFlow whose behaviour this is, and our own."""

TENSORFLOW_VERSION = "2.21.0"
FEATHERFLOW_VERSION = 1

#: `tf.__version__`; a PEP 440 version whose public part is TensorFlow's.
VERSION = f"{TENSORFLOW_VERSION}+featherflow.{FEATHERFLOW_VERSION}"
#: The version under which the package is installed.
PACKAGE_VERSION = f"0.{FEATHERFLOW_VERSION}.0"

#: Producer number written into GraphDefs, and the consumer numbers accepted: TensorFlow 2.21's.
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
