"""Attention of few queries of bfloat16 on a cache of e4m3 codes, each of which stands for itself times a factor.

Factors are one for all codes, or FP32 tensors: (batch, heads_k), or of each token of the cache, as its rows lie:
(entries or pages, rows, heads_k).

CTAs share a batch by a schedule that a launch computes from the lengths on the GPU: captured graphs serve other
lengths.
"""

import math

import torch

from . import _runtime
from ._cache import Cache, case_of, check, check_integers, form, no_gradients, place_queries
from ._torch import PLAIN, New, Plans, current_device, current_stream, is_tracing, is_transforming, register
from .ops import aligned

_PAGES = (16, 64)
_SHARERS = (1, 4, 8)
_MOST_COST, _BLOCK, _SHARED = 1 << 29, 32, 3  # blocks that are scheduled, their keys or fewer, and what an entry adds

_plans = Plans()


def refuse_beside_codes(batch_idx, leftpad, window, softcap, splits, sinks):
    """Refuses what no kernel has on a cache of codes."""
    for name, given in (("batch_idx", batch_idx is not None), ("leftpad", leftpad is not None),
                        (f"window {tuple(window)}", max(window) >= 0), (f"softcap {softcap}", softcap),
                        (f"splits {splits}", splits), ("sinks", sinks is not None)):
        if given:
            raise NotImplementedError(f"a cache of torch.float8_e4m3fn is given with {name}: needed is a cache of "
                                      "torch.bfloat16 or torch.float16, or none of these")


def are_of_tokens(k_factor, v_factor):
    """Whether factors are those of tokens, both or none."""
    of_tokens = [factor.dim() == 3 for factor in (k_factor, v_factor)]
    if of_tokens[0] != of_tokens[1]:
        raise ValueError(f"k_descale has shape {tuple(k_factor.shape)} and v_descale {tuple(v_factor.shape)}: needed "
                         "are factors of tokens for both, or for none")
    return of_tokens[0]


def factor_numbers(q, k_cache, k_factor, v_factor):
    """The strides of factors along batch entries or pages, rows and heads: 0 where they share one."""
    numbers, of_tokens = {}, are_of_tokens(k_factor, v_factor)
    shape = tuple(k_cache.shape[:3]) if of_tokens else (q.shape[0], k_cache.shape[2])
    for name, factor, what in (("kf", k_factor, "k_descale"), ("vf", v_factor, "v_descale")):
        if factor.dtype is not torch.float32 or (factor.numel() != 1 or of_tokens) and tuple(factor.shape) != shape:
            raise ValueError(f"{what} is {factor.dtype} of shape {tuple(factor.shape)}: needed is torch.float32 of one "
                             f"number, {(q.shape[0], k_cache.shape[2])} or {tuple(k_cache.shape[:3])}")
        if factor.device != q.device:
            raise ValueError(f"{what} is on {factor.device}, but q is on {q.device}")
        entry, *row, head = factor.stride() if tuple(factor.shape) == shape else (0, 0)
        numbers.update({f"{name}_b": entry, f"{name}_s": row[0] if row else 0, f"{name}_h": head})
    return numbers


def refuse_forms(q, k_cache, table, of_tokens, causal):
    """Refuses queries and pages that no kernel has on a cache of codes; gives the mask, and the heads in a tile."""
    if q.dtype is not torch.bfloat16:
        raise NotImplementedError(f"q is {q.dtype} on a cache of torch.float8_e4m3fn: needed is torch.bfloat16")
    if table is not None and k_cache.shape[1] not in _PAGES:
        raise NotImplementedError(f"pages of {k_cache.shape[1]} rows of torch.float8_e4m3fn: needed are "
                                  f"{' or '.join(map(str, _PAGES))}")
    queries, heads = q.shape[1:3]
    # The last query sees all keys, so that of one query heads that share keys are as good as queries.
    sharers = 1 if queries == 1 else heads // max(1, k_cache.shape[2])
    if sharers not in _SHARERS:
        raise NotImplementedError(f"{queries} queries of {heads} heads that share {k_cache.shape[2]} on a cache of "
                                  f"torch.float8_e4m3fn: needed are {', '.join(map(str, _SHARERS))} heads for each "
                                  "shared one, or one query")
    if of_tokens and queries > 1 and not (causal and sharers > 1):
        raise NotImplementedError(f"{queries} queries on a cache of torch.float8_e4m3fn with factors of tokens: needed "
                                  "is one, or causal=True and 4 or 8 heads for each of keys")
    return "causal" if causal and queries > 1 else "all", sharers


def refuse_before_appending(q, k_cache, k_descale, table, causal, *beside):
    """Refuses what no kernel has on a cache of codes, before tokens are written into that."""
    if k_cache.dtype is torch.float8_e4m3fn:
        refuse_beside_codes(*beside)
        refuse_forms(q, k_cache, table, isinstance(k_descale, torch.Tensor) and k_descale.dim() == 3, causal)


class _Codes:
    """The launches of attention on a cache of codes, for one thread."""

    NAMES = ("q", "k", "v", "o", "lse", "lengths", "table", "descaleK", "descaleV")

    def __init__(self, q, k_cache, v_cache, lengths, table, k_factor, v_factor, scale, causal):
        check(q, k_cache, v_cache, codes=True)
        of_tokens = are_of_tokens(k_factor, v_factor)
        mask, sharers = refuse_forms(q, k_cache, table, of_tokens, causal)
        batch, queries, heads, dim = q.shape
        cache = Cache(q, k_cache, v_cache, table)
        check_integers("cache_seqlens", lengths, q, batch)
        self.ordinal, device = q.get_device(), _runtime.device(q.get_device())
        self.empty = 0 in q.shape or cache.room == 0
        if self.empty:
            return
        if batch * (cache.room // _BLOCK + 1 + _SHARED) > _MOST_COST:
            raise NotImplementedError(f"a batch of {batch} with {cache.room} rows each: needed are fewer entries at a "
                                      "time")
        numbers = dict(cache.numbers, B=batch, **factor_numbers(q, k_cache, k_factor, v_factor))
        self.copies = aligned(q) is not q
        place_queries(numbers, q, queries == 1, self.copies)
        page = "" if table is None else f"-pages{k_cache.shape[1]}"
        case = case_of(q, "attention_codes", f"bf16-{mask}{page}-by{sharers}{'-tokens' * of_tokens}")
        case.derive(numbers)
        template = case.choose(numbers)
        self.o, self.lse = New(q.shape, q.dtype), New((batch, heads, queries), torch.float32)
        self.workspace = [New((max(1, size(numbers)[0]),), torch.uint8) for _, size in template.workspace]
        names = self.NAMES + tuple(name for name, _ in template.workspace)
        self.launches = device.launches(template, numbers, names, {"scale": scale})

    def run(self, q, k_cache, v_cache, lengths, table, k_factor, v_factor):
        """Enqueues the launches; gives O and the logarithms."""
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(q, k_cache, v_cache, lengths, table, k_factor, v_factor)
        if self.empty:
            batch, queries, heads, _ = q.shape
            return q.new_zeros(q.shape), q.new_full((batch, heads, queries), -math.inf, dtype=torch.float32)
        if self.copies:
            q = aligned(q)
        o, lse, held = self.o.tensor(), self.lse.tensor(), [x.tensor() for x in self.workspace]
        self.launches.run((q.data_ptr(), k_cache.data_ptr(), v_cache.data_ptr(), o.data_ptr(), lse.data_ptr(),
                           lengths.data_ptr(), 0 if table is None else table.data_ptr(), k_factor.data_ptr(),
                           v_factor.data_ptr(), *[x.data_ptr() for x in held]), current_stream(self.ordinal),
                          self.ordinal)
        return o, lse


def _attend(*given):
    *tensors, scale, causal = given
    key = (*map(form, tensors), scale, causal)
    plan = _plans.known.get(key)
    if plan is None:
        plan = _plans.known[key] = _Codes(*given)
    return plan.run(*tensors)


register("attention_with_codes",
         "(Tensor q, Tensor k_cache, Tensor v_cache, Tensor lengths, Tensor? table, Tensor k_descale, "
         "Tensor v_descale, float scale, bool causal) -> (Tensor, Tensor)", _attend,
         lambda q, *_: (q.new_empty(q.shape), q.new_empty((q.shape[0], q.shape[2], q.shape[1]), dtype=torch.float32)),
         no_gradients)


def factor_on_gpu(given, q):
    """A factor on the GPU."""
    if given is None or isinstance(given, (int, float)):
        return torch.full((1,), 1.0 if given is None else float(given), dtype=torch.float32, device=q.device)
    return given


def attention_with_codes(q, k_cache, v_cache, lengths, table, k_descale, v_descale, scale, causal):
    """Attention as caches.attention_with_cache has it, on codes.

    :param k_descale: FP32 of one number, (batch, heads_k) or (entries or pages, rows, heads_k), a number, or None for
        1; likewise v_descale, of which those of tokens are from 2^-20 to 2^7
    """
    factors = factor_on_gpu(k_descale, q), factor_on_gpu(v_descale, q)
    given = q, k_cache, v_cache, lengths, table, *factors, scale, bool(causal)
    if is_tracing() or type(q) not in PLAIN or is_transforming():
        return torch.ops.tilewright.attention_with_codes(*given)
    return _attend(*given)
