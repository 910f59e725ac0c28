"""The plugin of SGLang that times each decode cycle and its phases, and writes them to a file.

Off unless SWEETSPOT_CYCLES names the file's prefix.
"""

import os


def register() -> None:
    """Put the timer around what the workers do, in a scheduler's process and if it is asked for."""
    if "SWEETSPOT_CYCLES" not in os.environ:
        return
