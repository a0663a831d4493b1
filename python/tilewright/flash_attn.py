"""Functions with the signatures and the meaning of flash-attn 2.

Causal masks and windows are aligned at the last query and the last key. Dropout is refused.
"""

from .ops import call, call_varlen


def _refuse(dropout_p, block_table=None):
    if dropout_p:
        raise NotImplementedError(f"dropout_p is {dropout_p}: needed is 0")
    if block_table is not None:
        raise NotImplementedError("block_table is given: needed is None")


def flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0,
                    alibi_slopes=None, deterministic=False, return_attn_probs=False):
    """Attention of q (batch, seqlen_q, heads, dim) and k, v (batch, seqlen_k, heads_k, dim).

    :param alibi_slopes: FP32 of (heads) or (batch, heads)
    :returns: (batch, seqlen_q, heads, dim); with return_attn_probs also FP32 logarithms (batch, heads, seqlen_q) of
        the rows' sums, and None
    """
    if dropout_p:
        _refuse(dropout_p)
    out = call(q, k, v, softmax_scale, causal, window_size, deterministic, softcap, alibi_slopes, return_attn_probs)
    return (*out, None) if return_attn_probs else out


def flash_attn_kvpacked_func(q, kv, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0,
                             alibi_slopes=None, deterministic=False, return_attn_probs=False):
    """Like flash_attn_func, with k and v in one tensor (batch, seqlen_k, 2, heads_k, dim)."""
    k, v = kv.unbind(2)
    return flash_attn_func(q, k, v, dropout_p, softmax_scale, causal, window_size, softcap, alibi_slopes,
                           deterministic, return_attn_probs)


def flash_attn_qkvpacked_func(qkv, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0,
                              alibi_slopes=None, deterministic=False, return_attn_probs=False):
    """Like flash_attn_func, with q, k and v in one tensor (batch, seqlen, 3, heads, dim)."""
    q, k, v = qkv.unbind(2)
    return flash_attn_func(q, k, v, dropout_p, softmax_scale, causal, window_size, softcap, alibi_slopes,
                           deterministic, return_attn_probs)


def flash_attn_varlen_func(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, dropout_p=0.0,
                           softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0, alibi_slopes=None,
                           deterministic=False, return_attn_probs=False, block_table=None):
    """Attention of sequences that lie one after the other: q (total_q, heads, dim), k and v (total_k, heads_k, dim).

    :returns: (total_q, heads, dim); with return_attn_probs also FP32 logarithms (heads, total_q), and None
    """
    _refuse(dropout_p, block_table)
    out = call_varlen(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, softmax_scale, causal,
                      window_size, deterministic, softcap, alibi_slopes, return_attn_probs)
    return (*out, None) if return_attn_probs else out


def flash_attn_varlen_kvpacked_func(q, kv, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, dropout_p=0.0,
                                    softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0,
                                    alibi_slopes=None, deterministic=False, return_attn_probs=False):
    """Like flash_attn_varlen_func, with k and v in one tensor (total_k, 2, heads_k, dim)."""
    k, v = kv.unbind(1)
    return flash_attn_varlen_func(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, dropout_p,
                                  softmax_scale, causal, window_size, softcap, alibi_slopes, deterministic,
                                  return_attn_probs)


def flash_attn_varlen_qkvpacked_func(qkv, cu_seqlens, max_seqlen, dropout_p=0.0, softmax_scale=None, causal=False,
                                     window_size=(-1, -1), softcap=0.0, alibi_slopes=None, deterministic=False,
                                     return_attn_probs=False):
    """Like flash_attn_varlen_func, with q, k and v in one tensor (total, 3, heads, dim)."""
    q, k, v = qkv.unbind(1)
    return flash_attn_varlen_func(q, k, v, cu_seqlens, cu_seqlens, max_seqlen, max_seqlen, dropout_p, softmax_scale,
                                  causal, window_size, softcap, alibi_slopes, deterministic, return_attn_probs)
