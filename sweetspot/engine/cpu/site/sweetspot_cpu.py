"""The plugin of SGLang that keeps attention backend intel_amx on a processor without AMX."""


def register() -> None:
    """Tell SGLang's choice of backend that AMX is there.

    It would take torch_native instead, which has no speculative decoding. The backend calls `sgl_kernel`,
    which here is plain PyTorch; whatever else SGLang does with AMX asks the processor itself and stays off.
    """
    from sglang.srt.runtime_context import override_platform

    override_platform(has_amx=True).install()
