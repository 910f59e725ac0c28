"""What a server of ours carries inside SGLang: a folder on its PYTHONPATH with SGLang's own entry points.

`site/` runs in the server's processes, on its Python, and imports the standard library and torch only. Each
part of it does nothing unless its environment variable is set.
"""
