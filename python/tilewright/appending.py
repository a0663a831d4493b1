"""New keys and values, written into a cache of caches.py."""

import torch

from . import _runtime
from ._cache import Cache, case_of, check, check_integers, form, on_gpu
from ._torch import PLAIN, New, Plans, current_device, current_stream, define, is_tracing, is_transforming
from .ops import TYPES, aligned

_TABLES = (*TYPES, torch.float32, torch.float64)  # types of cosines and sines

_plans = Plans()


class _Append:
    """The launches that append tokens and turn queries, for one thread.

    :param rotary: None, or queries, cosines, sines, whether pairs are neighbours, and whether all queries are turned by
        the position of the first
    """

    NAMES = ("newQ", "newK", "newV", "q", "k", "v", "C", "T", "lengths", "table")

    def __init__(self, k_cache, v_cache, k, v, table, rotary):
        q, _, _, interleaved, together = rotary or (k, None, None, False, False)
        cache = self._checked(k_cache, v_cache, k, v, q, table)
        batch, tokens, heads, dim = k.shape
        self.ordinal, device = k.get_device(), _runtime.device(k.get_device())
        self.tokens, self.together, self.queries = tokens, together, q.shape[1]
        self.copies = any(aligned(x) is not x for x in (k, v)) or rotary is not None and (
            aligned(q) is not q or not q.is_contiguous())
        pairs, rows = (0, 0) if rotary is None else self._pairs(rotary, cache)
        kind = [] if rotary is None else ["neighbours" if interleaved else "half"]
        key = "-".join([TYPES[k.dtype]] + kind + ["pages"] * cache.pages)
        case = case_of(k, "append_cache", key)
        if pairs and 2 * pairs not in case.only("turned"):
            raise NotImplementedError(f"rotary_dim is {2 * pairs}: needed is one of "
                                      f"{', '.join(map(str, case.only('turned')))}")
        numbers = dict(cache.numbers, B=batch, R=2 * pairs, S=rows)
        for name, tensor in (("newK", k), ("newV", v)):
            strides = (tokens * heads * dim, heads * dim, dim) if self.copies else tensor.stride()[:3]
            numbers.update(zip((f"{name}_b", f"{name}_s", f"{name}_h"), _aligned_strides(tensor.shape, strides)))
        _, queries, heads_q, _ = q.shape
        if together:
            queries, heads_q = 1, queries * heads_q
        for name in ("q", "newQ"):
            numbers.update({f"{name}_b": queries * heads_q * dim, f"{name}_s": heads_q * dim, f"{name}_h": dim})
        of_keys, of_queries = dict(numbers, Sq=tokens), dict(numbers, Sq=queries, H=heads_q)
        self.apart = rotary is not None and (together or queries != tokens)
        of_keys["H"] = heads_q if rotary is not None and not self.apart else 0
        self.keys = self._launches(device, case, of_keys) if 0 not in k.shape else None
        self.turns = self._launches(device, case, dict(of_queries, Hk=0)) if self.apart and 0 not in q.shape else None
        self.q = None if rotary is None else New(q.shape, q.dtype)

    def _launches(self, device, case, numbers):
        template = case.choose(numbers)
        if template is None:
            raise NotImplementedError(f"rotary_dim is {numbers['R']} of {numbers['D']}: needed is all, half or 32")
        return device.launches(template, numbers, self.NAMES, {})

    @staticmethod
    def _checked(k_cache, v_cache, k, v, q, table):
        check(k, k_cache, v_cache, "k")
        if k.shape != v.shape or v.dtype is not k.dtype or v.device != k.device:
            raise ValueError(f"k is {k.dtype} of shape {tuple(k.shape)} and v {v.dtype} of {tuple(v.shape)}: needed is "
                             "one")
        if k.shape[2] != k_cache.shape[2]:
            raise ValueError(f"k has {k.shape[2]} heads, but k_cache has {k_cache.shape[2]}")
        if q.dim() != 4 or q.dtype is not k.dtype or q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3]:
            raise ValueError(f"q is {q.dtype} of shape {tuple(q.shape)}, but k {k.dtype} of {tuple(k.shape)}")
        return Cache(k, k_cache, v_cache, table)

    @staticmethod
    def _pairs(rotary, cache):
        """The pairs that are turned, and the rows of the tables."""
        _, cos, sin, *_ = rotary
        for name, table in (("rotary_cos", cos), ("rotary_sin", sin)):
            if table.dim() != 2 or table.shape != cos.shape or table.dtype not in _TABLES:
                raise ValueError(f"{name} is {table.dtype} of shape {tuple(table.shape)}: needed is (positions, "
                                 "rotary_dim / 2) of a type of floating point, and one shape")
        rows, pairs = cos.shape
        if not 0 < 2 * pairs <= cache.dim or pairs % 8:
            raise NotImplementedError(f"rotary_dim is {2 * pairs}: needed is a multiple of 16 up to {cache.dim}")
        if rows < cache.room:
            raise ValueError(f"rotary_cos has {rows} positions: needed are those of the cache's {cache.room} rows")
        return pairs, rows

    def run(self, k_cache, v_cache, k, v, lengths, table, rotary):
        """Enqueues the launches; gives the turned queries, or None."""
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(k_cache, v_cache, k, v, lengths, table, rotary)
        q = cos = sin = turned = None
        if rotary is not None:
            q, cos, sin, *_ = rotary
            cos, sin = (x if x.dtype is torch.float32 and x.is_contiguous() and x.data_ptr() % 16 == 0
                        else x.to(torch.float32, copy=True, memory_format=torch.contiguous_format) for x in (cos, sin))
            turned = self.q.tensor()
        if self.copies:
            q, k, v = (x if x is None else x.clone(memory_format=torch.contiguous_format) for x in (q, k, v))
        after = lengths + self.tokens
        addresses = [0 if x is None else x.data_ptr() for x in (q, k, v, turned, k_cache, v_cache, cos, sin, after,
                                                               table)]
        stream = current_stream(self.ordinal)
        if self.keys is not None:
            self.keys.run(addresses, stream, self.ordinal)
        if self.turns is not None:
            behind = lengths + (1 if self.together else self.queries)
            addresses[self.NAMES.index("lengths")] = behind.data_ptr()
            self.turns.run(addresses, stream, self.ordinal)
        return turned


def _aligned_strides(shape, strides):
    """Strides that are walked, and aligned ones in the place of others."""
    return [stride if extent > 1 else 8 for extent, stride in zip(shape, strides)]


def _append(k_cache, v_cache, k, v, lengths, table, rotary):
    forms = None if rotary is None else (*map(form, rotary[:3]), *rotary[3:])
    key = (*map(form, (k_cache, v_cache, k, v, lengths, table)), forms)
    plan = _plans.known.get(key)
    if plan is None:
        check_integers("cache_seqlens", lengths, k, k.shape[0])
        plan = _plans.known[key] = _Append(k_cache, v_cache, k, v, table, rotary)
    return plan.run(k_cache, v_cache, k, v, lengths, table, rotary)


def _append_turned(k_cache, v_cache, k, v, lengths, table, q, cos, sin, interleaved, together):
    return _append(k_cache, v_cache, k, v, lengths, table, (q, cos, sin, interleaved, together))


_TOKENS = "Tensor(a!) k_cache, Tensor(b!) v_cache, Tensor k, Tensor v, Tensor lengths, Tensor? table"
define("append_cache", f"({_TOKENS}) -> ()", lambda *tensors: _append(*tensors, None), lambda *_: None)
define("append_cache_turned", f"({_TOKENS}, Tensor q, Tensor cos, Tensor sin, bool interleaved, bool together) -> "
       "Tensor", _append_turned, lambda k_cache, v_cache, k, v, lengths, table, q, *_: q.new_empty(q.shape))


def append_cache(k_cache, v_cache, k, v, lengths, *, block_table=None, batch_idx=None, q=None, cos=None, sin=None,
                 interleaved=False, together=False):
    """Writes k and v (batch, tokens, heads_k, dim) into a cache behind its first lengths[b] rows, in place.

    With cos and sin (positions, rotary_dim / 2), the first rotary_dim columns of k and q are turned by the angles of
    their positions: token i is at lengths[b] + i. Tables of FP32 are read where they lie, others are converted.

    :param lengths: int32 (batch) on the GPU, or a whole number; they do not count the new tokens
    :param q: (batch, queries, heads, dim), which are turned like keys
    :param interleaved: whether pairs are neighbours, else they are rotary_dim / 2 columns apart
    :param together: whether all queries are at the position of the first
    :returns: turned q, None without cos and sin
    """
    if block_table is not None and batch_idx is not None:
        raise NotImplementedError("block_table and batch_idx are given: needed is one of them")
    if (cos is None) != (sin is None):
        raise ValueError("one of cos and sin is given: needed are both, or none")
    table = block_table if batch_idx is None else batch_idx
    tensors = (k_cache, v_cache, k, v, on_gpu(lengths, k, 0), table)
    traces = is_tracing() or type(k) not in PLAIN or is_transforming()
    if cos is None:
        torch.ops.tilewright.append_cache(*tensors) if traces else _append(*tensors, None)
        return None
    given = k.new_empty((*k.shape[:2], 0, k.shape[3])) if q is None else q
    rotary = (given, cos, sin, bool(interleaved), bool(together))
    turned = torch.ops.tilewright.append_cache_turned(*tensors, *rotary) if traces else _append(*tensors, rotary)
    return None if q is None else turned
