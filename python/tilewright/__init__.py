"""Tilewright's tensor-core kernels for PyTorch: no compiler, no CUDA toolkit, no Java.

    from tilewright import flash_attn_func
    out = flash_attn_func(q, k, v, causal=True)

``simulate`` runs Triton kernels on a simulated GPU; it needs Triton and Java, and no GPU.

Kernels, and the choices among them, are data in this package, made by ``tilewright package``. They are loaded by the
driver when a function is first called, and PyTorch is imported then, not before.
"""

import importlib

_HOMES = {
    "flash_attn_func": "flash_attn",
    "flash_attn_kvpacked_func": "flash_attn",
    "flash_attn_qkvpacked_func": "flash_attn",
    "flash_attn_varlen_func": "flash_attn",
    "flash_attn_varlen_kvpacked_func": "flash_attn",
    "flash_attn_varlen_qkvpacked_func": "flash_attn",
    "flash_attn_with_kvcache": "flash_attn",
    "append_cache": "appending",
    "attention_with_cache": "caches",
    "flash_mla_with_kvcache": "flash_mla",
    "get_mla_metadata": "flash_mla",
    "merge_states": "merging",
    "mla_decode": "latent",
    "mla_schedule": "latent",
    "attention": "ops",
    "attention_states": "apart",
    "attention_varlen": "ops",
    "sdpa": "ops",
    "flex_attention": "flex",
    "gemm": "products",
    "linear": "products",
    "grouped_gemm": "grouped",
    "quantize": "scaled",
    "scaled_gemm": "scaled",
    "rms_norm": "rows",
    "layer_norm": "rows",
    "softmax": "rows",
    "rope": "rotary",
    "embedding": "embeddings",
    "simulate": "simulation",
}

__all__ = list(_HOMES)


def __getattr__(name):
    if name in _HOMES:
        return getattr(importlib.import_module("." + _HOMES[name], __name__), name)
    if name in ("apart", "appending", "caches", "embeddings", "flash_attn", "flash_mla", "flex", "grouped", "latent",
                "merging", "ops", "products", "rotary", "rows", "scaled", "simulation", "transformers"):
        return importlib.import_module("." + name, __name__)
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("tilewright")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted(__all__)
