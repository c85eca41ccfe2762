"""Pure array functions: arrays in, arrays out."""
