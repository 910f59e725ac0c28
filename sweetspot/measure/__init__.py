"""Turns records into tables: one row a request, a pass, a launch, and a variant at a load. Pure."""
