"""The contracts that every layer builds on: types, shapes, errors, devices, ops and kernels."""
