"""The command line: run, inspect, predict, explain."""
