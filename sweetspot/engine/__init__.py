"""Starts a server, talks to it, and leaves nothing behind. Standard library and httpx only."""
