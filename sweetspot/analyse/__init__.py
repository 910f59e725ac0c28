"""Turns tables into what a study says: a summary row a variant and load, and a verdict on each. Pure."""
