"""Knowgate: one gate for AI assistants to what your documents say and what your APIs can do."""

__version__ = "0.1.0"
