"""Functions with the signatures and the meaning of flash-attn 2.

Causal masks and windows are aligned at the last query and the last key. Dropout is refused.
"""

from .ops import call, call_varlen


def _refuse(dropout_p, alibi_slopes, block_table=None):
    if dropout_p:
        raise NotImplementedError(f"dropout_p is {dropout_p}: needed is 0")
    if alibi_slopes is not None:
        raise NotImplementedError("alibi_slopes are given: needed is None")
    if block_table is not None:
        raise NotImplementedError("block_table is given: needed is None")


def flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0,
                    alibi_slopes=None, deterministic=False, return_attn_probs=False):
    """Attention of q (batch, seqlen_q, heads, dim) and k, v (batch, seqlen_k, heads_k, dim).

    :returns: (batch, seqlen_q, heads, dim); with return_attn_probs also FP32 logarithms (batch, heads, seqlen_q) of
        the rows' sums, and None
    """
    if dropout_p or alibi_slopes is not None:
        _refuse(dropout_p, alibi_slopes)
    out = call(q, k, v, softmax_scale, causal, window_size, deterministic, softcap, return_attn_probs)
    return (*out, None) if return_attn_probs else out


def flash_attn_kvpacked_func(q, kv, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0,
                             alibi_slopes=None, deterministic=False, return_attn_probs=False):
    """Like flash_attn_func, with k and v in one tensor (batch, seqlen_k, 2, heads_k, dim)."""
    return flash_attn_func(q, kv[:, :, 0], kv[:, :, 1], dropout_p, softmax_scale, causal, window_size, softcap,
                           alibi_slopes, deterministic, return_attn_probs)


def flash_attn_qkvpacked_func(qkv, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0,
                              alibi_slopes=None, deterministic=False, return_attn_probs=False):
    """Like flash_attn_func, with q, k and v in one tensor (batch, seqlen, 3, heads, dim)."""
    return flash_attn_func(qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2], dropout_p, softmax_scale, causal, window_size,
                           softcap, alibi_slopes, deterministic, return_attn_probs)


def flash_attn_varlen_func(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, dropout_p=0.0,
                           softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0, alibi_slopes=None,
                           deterministic=False, return_attn_probs=False, block_table=None):
    """Attention of sequences that lie one after the other: q (total_q, heads, dim), k and v (total_k, heads_k, dim).

    :returns: (total_q, heads, dim); with return_attn_probs also FP32 logarithms (heads, total_q), and None
    """
    _refuse(dropout_p, alibi_slopes, block_table)
    out = call_varlen(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, softmax_scale, causal,
                      window_size, deterministic, softcap, return_attn_probs)
    return (*out, None) if return_attn_probs else out
