"""Reads the tables that a study's rules hand on to one another. Light to import: no statistics."""

from pathlib import Path

import polars as pl

from sweetspot.errors import RecordError


def read_table(path: Path) -> pl.DataFrame:
    """Return a table of numbers.

    Raises:
        RecordError: If there is none, or it is damaged.
    """
    try:
        return pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        found = str(error).splitlines()[0]
        raise RecordError(
            f"{path}: {found}, expected a table of the study; delete it, and snakemake makes it again"
        ) from None
