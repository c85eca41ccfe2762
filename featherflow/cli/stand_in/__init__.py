"""A folder for PYTHONPATH: processes that a program starts find `tensorflow` in it."""
