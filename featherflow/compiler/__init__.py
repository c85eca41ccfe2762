"""Clusters of nodes to machine code; its place is kept for the kernel compiler."""
