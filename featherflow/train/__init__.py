"""Optimisers and what training loops need."""
