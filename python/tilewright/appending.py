"""New keys and values, written into a cache of caches.py."""

import torch

from . import _runtime
from ._cache import Cache, case_of, check, check_integers, form, on_gpu
from ._torch import PLAIN, New, Plans, current_device, current_stream, define, is_tracing, is_transforming
from .codes import are_of_tokens, factor_numbers, factor_on_gpu
from .ops import TYPES, aligned

_TABLES = (*TYPES, torch.float32, torch.float64)  # types of cosines and sines

_plans = Plans()


class _Append:
    """The launches that append tokens and turn queries, for one thread.

    :param factors: None, or the factors of codes of K and V
    :param rotary: None, or queries, cosines, sines, whether pairs are neighbours, and whether all queries are turned by
        the position of the first
    """

    NAMES = ("newQ", "newK", "newV", "q", "k", "v", "C", "T", "lengths", "table", "descaleK",
             "descaleV")

    def __init__(self, k_cache, v_cache, k, v, table, factors, rotary):
        q, _, _, interleaved, together = rotary or (k, None, None, False, False)
        cache = self._checked(k_cache, v_cache, k, v, q, table, factors is not None)
        batch, tokens, heads, dim = k.shape
        self.ordinal, device = k.get_device(), _runtime.device(k.get_device())
        self.tokens, self.together, self.queries = tokens, together, q.shape[1]
        self.copies = any(aligned(x) is not x for x in (k, v)) or rotary is not None and (
            aligned(q) is not q or not q.is_contiguous())
        pairs, rows = (0, 0) if rotary is None else self._pairs(rotary, cache)
        kind = [] if rotary is None else ["neighbours" if interleaved else "half"]
        kind += ["pages"] * cache.pages
        if factors is not None:
            kind += ["codes"] + ["tokens"] * are_of_tokens(*factors)
        key = "-".join([TYPES[k.dtype]] + kind)
        case = case_of(k, "append_cache", key)
        if pairs and 2 * pairs not in case.only("turned"):
            raise NotImplementedError(f"rotary_dim is {2 * pairs}: needed is one of "
                                      f"{', '.join(map(str, case.only('turned')))}")
        numbers = dict(cache.numbers, B=batch, R=2 * pairs, S=rows)
        if factors is not None:
            numbers.update(factor_numbers(k, k_cache, *factors))
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
    def _checked(k_cache, v_cache, k, v, q, table, codes):
        check(k, k_cache, v_cache, "k", codes)
        if codes and k.dtype is not torch.bfloat16:
            raise NotImplementedError(f"k is {k.dtype} for a cache of torch.float8_e4m3fn: needed is torch.bfloat16")
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

    def run(self, k_cache, v_cache, k, v, lengths, table, factors, rotary):
        """Enqueues the launches; gives the turned queries, or None."""
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(k_cache, v_cache, k, v, lengths, table, factors, rotary)
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
                                                               table, *(factors or (None, None)))]
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


def _append(k_cache, v_cache, k, v, lengths, table, factors, rotary):
    forms = None if rotary is None else (*map(form, rotary[:3]), *rotary[3:])
    key = (*map(form, (k_cache, v_cache, k, v, lengths, table, *(factors or ()))), forms)
    plan = _plans.known.get(key)
    if plan is None:
        check_integers("cache_seqlens", lengths, k, k.shape[0])
        plan = _plans.known[key] = _Append(k_cache, v_cache, k, v, table, factors, rotary)
    return plan.run(k_cache, v_cache, k, v, lengths, table, factors, rotary)


_TOKENS = "Tensor(a!) k_cache, Tensor(b!) v_cache, Tensor k, Tensor v, Tensor lengths, Tensor? table"
_TURNS = "Tensor q, Tensor cos, Tensor sin, bool interleaved, bool together"


def _define(name, factors):
    """Makes an operator known that appends, and one that turns too.

    Codes come to it as torch.uint8, since PyTorch computes with what it checks and e4m3 has no arithmetic there.

    :param factors: what the schema says of the factors of codes, if any
    """
    given = 8 if factors else 6  # tensors before the queries

    def caches(*pair):
        return [cache.view(torch.float8_e4m3fn) for cache in pair] if factors else pair

    def appended(*tensors):
        _append(*caches(*tensors[:2]), *tensors[2:6], tensors[6:] or None, None)

    def turned(*arguments):
        return _append(*caches(*arguments[:2]), *arguments[2:6], arguments[6:given] or None, arguments[given:])

    define(name, f"({_TOKENS}{factors}) -> ()", appended, lambda *_: None)
    define(f"{name}_turned", f"({_TOKENS}{factors}, {_TURNS}) -> Tensor", turned,
           lambda *arguments: arguments[given].new_empty(arguments[given].shape))


_define("append_cache", "")
_define("append_codes", ", Tensor k_descale, Tensor v_descale")
_define("append_codes_of_tokens", ", Tensor(c!) k_descale, Tensor(d!) v_descale")


def append_cache(k_cache, v_cache, k, v, lengths, *, block_table=None, batch_idx=None, q=None, cos=None, sin=None,
                 interleaved=False, together=False, k_descale=None, v_descale=None):
    """Writes k and v (batch, tokens, heads_k, dim) into a cache behind its first lengths[b] rows, in place.

    With cos and sin (positions, rotary_dim / 2), the first rotary_dim columns of k and q are turned by the angles of
    their positions: token i is at lengths[b] + i. Tables of FP32 are read where they lie, others are converted.

    :param lengths: int32 (batch) on the GPU, or a whole number; they do not count the new tokens
    :param q: (batch, queries, heads, dim), which are turned like keys
    :param interleaved: whether pairs are neighbours, else they are rotary_dim / 2 columns apart
    :param together: whether all queries are at the position of the first
    :param k_descale: of a cache of torch.float8_e4m3fn, the FP32 factor that codes are for: one for all, or (batch,
        heads_k); or (entries or pages, rows, heads_k), where that of each new token is written: the largest magnitude
        of its head over 448. Likewise v_descale, which is then kept between 2^-20 and 2^7
    :returns: turned q, None without cos and sin
    """
    if block_table is not None and batch_idx is not None:
        raise NotImplementedError("block_table and batch_idx are given: needed is one of them")
    if (cos is None) != (sin is None):
        raise ValueError("one of cos and sin is given: needed are both, or none")
    table = block_table if batch_idx is None else batch_idx
    tensors = (k_cache, v_cache, k, v, on_gpu(lengths, k, 0), table)
    name, factors = "append_cache", None
    if k_cache.dtype is torch.float8_e4m3fn:
        factors = (factor_on_gpu(k_descale, k), factor_on_gpu(v_descale, k))
        name = "append_codes_of_tokens" if are_of_tokens(*factors) else "append_codes"
    elif k_descale is not None or v_descale is not None:
        raise ValueError(f"k_descale or v_descale is given for k_cache of {k_cache.dtype}: needed is a cache of "
                         "torch.float8_e4m3fn, or None")
    traces = is_tracing() or type(k) not in PLAIN or is_transforming()
    if cos is None:
        rotary = None
    else:
        given = k.new_empty((*k.shape[:2], 0, k.shape[3])) if q is None else q
        rotary = (given, cos, sin, bool(interleaved), bool(together))
    if traces:
        operator = getattr(torch.ops.tilewright, name if rotary is None else f"{name}_turned")
        caches = (k_cache, v_cache) if factors is None else (k_cache.view(torch.uint8), v_cache.view(torch.uint8))
        turned = operator(*caches, *tensors[2:], *(factors or ()), *(rotary or ()))
    else:
        turned = _append(*tensors, factors, rotary)
    return None if q is None or rotary is None else turned
