"""Whether a draft fits its target, its SGLang and its GPUs: from configs and headers, before any load."""
