"""What SGLang's CPU path needs beside the packages of `engine-cpu`: a folder for the server's PYTHONPATH.

No package index carries SGLang's CPU kernels, and three packages that it imports would cost gigabytes to
serve nothing. `site/` stands in for all of them, without an edit to SGLang. It runs inside the server, on its
Python, and imports the standard library and torch only. It needs nothing of the plugin's folder, since a CPU
study's `launch.sh` has it alone, as GPU engines have the plugin's: so each has a sitecustomize of its own.
"""

from pathlib import Path

SITE = Path(__file__).with_name("site")
