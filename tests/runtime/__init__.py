"""Tests of placement, plans, executors and sessions."""
