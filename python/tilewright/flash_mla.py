"""Functions with the signatures and the meaning of FlashMLA's decoding, dense and sparse, on caches of 16 bits."""

import torch

from .latent import VALUE_DIM, mla_decode, mla_schedule, rows_of


def _refuse(is_fp8):
    if is_fp8:
        raise NotImplementedError("is_fp8_kvcache is True: needed is a cache of torch.bfloat16 or torch.float16")


def get_mla_metadata(cache_seqlens, num_q_tokens_per_head_k, num_heads_k, num_heads_q=None, is_fp8_kvcache=False,
                     topk=None):
    """The schedule of a decoding step, which all layers share.

    :param cache_seqlens: int32 (batch), which the GPU reads
    :param num_q_tokens_per_head_k: queries of an entry times heads of q
    :param num_heads_k: 1
    :param num_heads_q: heads of q, which topk needs
    :param topk: tokens of each query, which cache_seqlens does not count; None where queries see all
    :returns: tile_scheduler_metadata, and num_splits (batch + 1), which is a part of it; both are for
        flash_mla_with_kvcache alone
    """
    _refuse(is_fp8_kvcache)
    if num_heads_k != 1:
        raise ValueError(f"num_heads_k is {num_heads_k}: needed is 1, as all heads read one row")
    rows = num_q_tokens_per_head_k
    if topk is not None:
        if not num_heads_q or rows % num_heads_q:
            raise ValueError(f"num_heads_q is {num_heads_q} with topk: needed are the heads of q, which divide {rows}")
        rows = rows_of(rows // num_heads_q, num_heads_q, True)
        cache_seqlens = torch.full(tuple(cache_seqlens.shape), topk, dtype=torch.int32, device=cache_seqlens.device)
    schedule = mla_schedule(cache_seqlens, rows)
    return schedule, schedule.select(0, 0).narrow(0, 0, cache_seqlens.shape[0] + 1)


def flash_mla_with_kvcache(q, k_cache, block_table, cache_seqlens, head_dim_v, tile_scheduler_metadata=None,
                           num_splits=None, softmax_scale=None, causal=False, is_fp8_kvcache=False, indices=None):
    """Latent attention of q (batch, seqlen_q, heads, 576) on a cache of pages (pages, 64, 1, 576).

    :param block_table: int32 (batch, pages of an entry); with indices it is not used, nor is cache_seqlens
    :param cache_seqlens: int32 (batch), which the GPU reads
    :param head_dim_v: 512, the first columns of a row
    :param tile_scheduler_metadata: from get_mla_metadata; None computes it
    :param num_splits: from get_mla_metadata, or None
    :param softmax_scale: None is 576 ** -0.5
    :param indices: int32 (batch, seqlen_q, topk), tokens that each query sees alone: page * 64 + row, or -1 for none
    :returns: (batch, seqlen_q, heads, 512), and FP32 logarithms (batch, heads, seqlen_q)
    """
    _refuse(is_fp8_kvcache)
    if head_dim_v != VALUE_DIM:
        raise NotImplementedError(f"head_dim_v is {head_dim_v}: needed is {VALUE_DIM}")
    if num_splits is not None and (num_splits.dtype is not torch.int32 or tuple(num_splits.shape) != (q.shape[0] + 1,)):
        raise ValueError(f"num_splits are {num_splits.dtype} of shape {tuple(num_splits.shape)}: needed are those of "
                         f"get_mla_metadata, torch.int32 of {(q.shape[0] + 1,)}")
    if indices is not None:
        block_table = cache_seqlens = None
    return mla_decode(q, k_cache, block_table, cache_seqlens, tile_scheduler_metadata, scale=softmax_scale,
                      causal=causal, indices=indices)
