"""How a graph runs: devices, placement, plans, executors, sessions."""
