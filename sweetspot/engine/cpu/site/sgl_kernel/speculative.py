"""The tree op of n-gram speculation: imported by name at SGLang's start, not implemented."""

from sgl_kernel import __getattr__ as __getattr__
