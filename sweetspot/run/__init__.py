"""Measures one launch and records what was observed. Standard library and httpx only; computes nothing."""
