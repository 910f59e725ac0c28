"""Turns the summary and the verdict of a study into tables, figures and a report."""
