"""Functions with the signatures and the meaning of flash-attn 2.

Causal masks and windows are aligned at the last query and the last key. Dropout is refused.
"""

from ._cache import room
from .appending import append_cache
from .caches import attention_with_cache
from .codes import refuse_before_appending
from .ops import attention, attention_varlen, call, call_varlen


def _refuse(dropout_p, block_table=None):
    if dropout_p:
        raise NotImplementedError(f"dropout_p is {dropout_p}: needed is 0")
    if block_table is not None:
        raise NotImplementedError("block_table is given: needed is None")


def flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0,
                    alibi_slopes=None, deterministic=False, return_attn_probs=False, s_aux=None):
    """Attention of q (batch, seqlen_q, heads, dim) and k, v (batch, seqlen_k, heads_k, dim).

    :param alibi_slopes: FP32 of (heads) or (batch, heads)
    :param s_aux: sinks (heads), logits that take part in the softmax of each head's rows
    :returns: (batch, seqlen_q, heads, dim); with return_attn_probs also FP32 logarithms (batch, heads, seqlen_q) of
        the rows' sums, and None
    """
    if dropout_p:
        _refuse(dropout_p)
    if s_aux is not None:
        both = attention(q, k, v, scale=softmax_scale, causal=causal, window=window_size, softcap=softcap,
                         alibi_slopes=alibi_slopes, sinks=s_aux)
        return (*both, None) if return_attn_probs else both[0]
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
                           deterministic=False, return_attn_probs=False, block_table=None, s_aux=None):
    """Attention of sequences that lie one after the other: q (total_q, heads, dim), k and v (total_k, heads_k, dim).

    :param s_aux: sinks (heads)
    :returns: (total_q, heads, dim); with return_attn_probs also FP32 logarithms (heads, total_q), and None
    """
    _refuse(dropout_p, block_table)
    if s_aux is not None:
        both = attention_varlen(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, scale=softmax_scale,
                                causal=causal, window=window_size, softcap=softcap, alibi_slopes=alibi_slopes,
                                sinks=s_aux)
        return (*both, None) if return_attn_probs else both[0]
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


def flash_attn_with_kvcache(q, k_cache, v_cache, k=None, v=None, rotary_cos=None, rotary_sin=None, cache_seqlens=None,
                            cache_batch_idx=None, cache_leftpad=None, block_table=None, softmax_scale=None,
                            causal=False, window_size=(-1, -1), softcap=0.0, rotary_interleaved=True,
                            alibi_slopes=None, num_splits=0, return_softmax_lse=False, s_aux=None, k_descale=None,
                            v_descale=None):
    """Attention of q (batch, seqlen_q, heads, dim) on a cache (batch_cache, seqlen, heads_k, dim), or one of pages
    (pages, page_size, heads_k, dim) with a block_table; k and v (batch, seqlen_new, heads_k, dim) are appended first,
    in place.

    :param rotary_cos: (positions, rotary_dim / 2), as rotary_sin: k, and q, are turned by their positions
    :param cache_seqlens: rows in use, without the new ones: int32 (batch), which the GPU reads, or a whole number
    :param cache_batch_idx: int32 (batch): the entries of the cache
    :param cache_leftpad: int32 (batch): rows before each entry's first key
    :param block_table: int32 (batch, pages of an entry)
    :param rotary_interleaved: whether pairs are neighbours, else they are rotary_dim / 2 columns apart
    :param num_splits: parts of the keys that are computed side by side; 0 leaves the choice to the package
    :param s_aux: sinks (heads), logits that take part in the softmax of each head's rows
    :param k_descale: FP32 number that each code of a k_cache of torch.float8_e4m3fn is multiplied by: one for all,
        (batch, heads_k), or (batch_cache or pages, seqlen or page_size, heads_k), a factor for each head of each token,
        which is written where k is appended; likewise v_descale
    :returns: (batch, seqlen_q, heads, dim); with return_softmax_lse also FP32 logarithms (batch, heads, seqlen_q)
    """
    if alibi_slopes is not None:
        raise NotImplementedError("alibi_slopes are given: needed is None; flash_attn_func takes them")
    if (k is None) != (v is None):
        raise ValueError("one of k and v is given: needed are both, or none")
    if (rotary_cos is None) != (rotary_sin is None):
        raise ValueError("one of rotary_cos and rotary_sin is given: needed are both, or none")
    if k is None and rotary_cos is not None:
        raise ValueError("rotary_cos is given without k and v: needed are new keys that it turns")
    if block_table is not None and cache_batch_idx is not None:
        raise NotImplementedError("block_table and cache_batch_idx are given: needed is one of them")
    if cache_leftpad is not None and (block_table is not None or cache_batch_idx is not None):
        raise NotImplementedError("cache_leftpad is given with block_table or cache_batch_idx: needed is one of them")
    left, right = window_size
    if k is not None:
        if cache_seqlens is None:
            raise ValueError("k and v are given without cache_seqlens: needed are the rows in use")
        if cache_leftpad is not None and rotary_cos is not None:
            raise NotImplementedError("cache_leftpad and rotary_cos are given: needed is one of them")
        if isinstance(cache_seqlens, int) and cache_seqlens + k.shape[1] > room(k_cache, block_table):
            raise ValueError(f"cache_seqlens is {cache_seqlens} and k has {k.shape[1]} tokens, but the cache has "
                             f"{room(k_cache, block_table)} rows")
        refuse_before_appending(q, k_cache, k_descale, block_table, causal, cache_batch_idx, cache_leftpad, window_size,
                                softcap, num_splits, s_aux)
        # All queries of a mask that knows no distance are at one position.
        together = not causal and left < 0 and right < 0 and q.shape[1] > 1
        turned = append_cache(k_cache, v_cache, k, v, cache_seqlens, block_table=block_table,
                              batch_idx=cache_batch_idx, q=q, cos=rotary_cos, sin=rotary_sin,
                              interleaved=rotary_interleaved, together=together, k_descale=k_descale,
                              v_descale=v_descale)
        q = q if turned is None else turned
        cache_seqlens = cache_seqlens + k.shape[1]
    out = attention_with_cache(q, k_cache, v_cache, cache_seqlens, block_table=block_table, batch_idx=cache_batch_idx,
                               leftpad=cache_leftpad, scale=softmax_scale, causal=causal, window=window_size,
                               softcap=softcap, splits=num_splits, sinks=s_aux, k_descale=k_descale,
                               v_descale=v_descale)
    return out if return_softmax_lse else out[0]
