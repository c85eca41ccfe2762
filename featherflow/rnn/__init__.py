"""Recurrent networks: cells, and loops that apply them to sequences."""
