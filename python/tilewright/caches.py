"""Attention on caches of keys and values that fill up, and their filling.

A cache is (entries, rows, heads, dim), an entry for each of the batch or of any number given by a vector, or it is made
of pages (pages, rows, heads, dim), whose numbers a table has for each of the batch. How many rows are in use is read
on the GPU: captured graphs serve other lengths.
"""

import math

import torch

from . import _runtime
from ._torch import (PLAIN, New, Plans, current_device, current_stream, define, is_tracing, is_transforming, register)
from .ops import FAR, TYPES, aligned

PART = 16  # rows of a page are a multiple
_OTHERS = "flash_attn_func computes attention of whole tensors there"
_MOST = 1 << 30
_TABLES = (*TYPES, torch.float32, torch.float64)  # types of cosines and sines

_attention, _appends = Plans(), Plans()


def _check(q, k_cache, v_cache):
    for name, tensor in (("q", q), ("k_cache", k_cache), ("v_cache", v_cache)):
        if tensor.dim() != 4:
            raise ValueError(f"{name} has shape {tuple(tensor.shape)}: needed is (batch, sequence, heads, dim)")
        if tensor.dtype not in TYPES or tensor.dtype is not q.dtype:
            raise TypeError(f"{name} is {tensor.dtype}: needed is torch.bfloat16 or torch.float16 for all")
        if tensor.device != q.device:
            raise ValueError(f"{name} is on {tensor.device}, but q is on {q.device}")
    if not q.is_cuda:
        raise ValueError(f"q is on {q.device}: needed is a CUDA device")
    if k_cache.shape != v_cache.shape:
        raise ValueError(f"k_cache has shape {tuple(k_cache.shape)} and v_cache {tuple(v_cache.shape)}: needed is one")
    heads, shared = q.shape[2], k_cache.shape[2]
    if shared == 0 and heads > 0 or shared > 0 and heads % shared:
        raise ValueError(f"{heads} heads do not share {shared} heads of keys: they must be a multiple")
    if q.shape[3] != k_cache.shape[3]:
        raise ValueError(f"q has head dimension {q.shape[3]}, but k_cache has {k_cache.shape[3]}")


def _check_integers(name, tensor, q, *shape):
    if tensor.dtype is not torch.int32 or tuple(tensor.shape) != shape or not tensor.is_contiguous():
        raise ValueError(f"{name} is {tensor.dtype} of shape {tuple(tensor.shape)} and strides {tensor.stride()}: "
                         f"needed is a contiguous torch.int32 of {shape}")
    if tensor.device != q.device:
        raise ValueError(f"{name} is on {tensor.device}, but q is on {q.device}")


class _Cache:
    """Where keys lie: the numbers of a problem for it.

    :param table: numbers of pages (batch, pages of an entry) or of entries (batch); None where entries are the batch
    """

    def __init__(self, q, k_cache, v_cache, table):
        entries, rows, self.heads, self.dim = k_cache.shape
        self.pages = table is not None
        batch = q.shape[0]
        if table is None:
            if entries != batch:
                raise ValueError(f"k_cache has {entries} entries, but q has a batch of {batch}: needed is "
                                 "cache_batch_idx")
            self.room, numbers = rows, {}
        else:
            many = table.shape[1] if table.dim() == 2 else 1
            name = "block_table" if table.dim() == 2 else "cache_batch_idx"
            _check_integers(name, table, q, *((batch, many) if table.dim() == 2 else (batch,)))
            if table.dim() == 2 and rows % PART:
                raise NotImplementedError(f"pages of {rows} rows: needed is a multiple of {PART}")
            self.room, numbers = many * rows, dict(T=many, P=entries, rows=rows)
        if max(entries * rows, self.room) > _MOST:
            raise NotImplementedError(f"a cache of {entries} × {rows} rows: needed are at most {_MOST}")
        self.numbers = dict(Sk=self.room, Hk=self.heads, D=self.dim, Dv=self.dim, **numbers)
        for name, tensor in (("k", k_cache), ("v", v_cache)):
            self._add(name, tensor)

    def _add(self, name, tensor):
        entries, rows, heads, dim = tensor.shape
        entry, row, head, column = tensor.stride()
        row, head = row if rows > 1 else dim, head if heads > 1 else dim
        if entries == 1 or tensor.numel() == 0:
            entry = rows * row
        elif rows == 1:
            row = entry  # rows of one tensor: entry after entry
        if dim > 1 and column != 1 or row % 8 or head % 8 or tensor.data_ptr() % 16 or entry != rows * row:
            raise ValueError(
                f"{name}_cache has strides {tensor.stride()} from address {tensor.data_ptr():#x}: needed are contiguous "
                f"heads that begin at 16 bytes, and {'pages' if self.pages else 'entries'} one after the other, each "
                f"{rows} rows behind the last")
        self.numbers.update({f"{name}_b": entry, f"{name}_s": row, f"{name}_h": head})


def _data(q, operator, key):
    """The case of the package."""
    data = _runtime.device(q.get_device()).data
    if data.chosen_for != 90:
        major, minor = divmod(data.chosen_for, 10)
        raise NotImplementedError(f"attention on a cache needs a GPU of compute capability 9.0, and these kernels are "
                                  f"for {major}.{minor}: {_OTHERS}")
    case = data.case(operator, key)
    only = case.only("dim")
    if q.shape[-1] not in only:
        raise NotImplementedError(f"a cache with head dimension {q.shape[-1]}: needed is one of "
                                  f"{', '.join(map(str, only))}")
    return case


class _Attention:
    """The launches of attention on a cache, for one thread."""

    NAMES = ("q", "k", "v", "o", "lse", "tiles", "lengths", "padding", "table")

    def __init__(self, q, k_cache, v_cache, lengths, padding, table, scale, causal, left, right, softcap, splits):
        _check(q, k_cache, v_cache)
        batch, queries, heads, dim = q.shape
        cache = _Cache(q, k_cache, v_cache, table)
        _check_integers("cache_seqlens", lengths, q, batch)
        if padding is not None:
            _check_integers("cache_leftpad", padding, q, batch)
            if cache.pages:
                raise NotImplementedError("cache_leftpad and a table: needed is one of them")
        self.ordinal, self.device = q.get_device(), _runtime.device(q.get_device())
        self.empty = 0 in q.shape or cache.room == 0
        if self.empty:
            return
        numbers = dict(cache.numbers, B=batch, asked=splits)
        kind, numbers["L"], numbers["R"] = self._mask(queries, causal, left, right, softcap)
        self.copies = aligned(q) is not q
        self.o, self.lse = New(q.shape, q.dtype), New((batch, heads, queries), torch.float32)
        self._fold(numbers, q, kind)
        key = "-".join([TYPES[q.dtype], kind] + ["softcap"] * (softcap > 0) + ["pages"] * cache.pages)
        case = _data(q, "attention_decode", key)
        if numbers["Sq"] > case.only("queries")[-1]:
            case = _data(q, "attention_extend", key)
        case.derive(numbers)
        template = case.choose(numbers)
        if template is None:
            raise NotImplementedError(f"no kernel for attention on a cache of {numbers}")
        self.workspace = [New((max(1, size(numbers)[0]),), torch.uint8) for _, size in template.workspace]
        names = self.NAMES + tuple(name for name, _ in template.workspace)
        scalars = {"scale": scale, "softcap": softcap, "softcapRate": 2 / softcap if softcap else 0.0}
        self.launches = self.device.launches(template, numbers, names, scalars)
        self.no_padding = 0 if padding is not None or cache.pages else self.device.zeros(batch)
        self.stream = self.counter = None

    @staticmethod
    def _mask(queries, causal, left, right, softcap):
        """The kind of mask, and the window's bounds. A single query is the last: no key is behind it."""
        right = 0 if causal else right
        if queries == 1:
            right = -1 if left < 0 else 0
        if softcap or left >= 0 or right > 0:
            return "window", min(left, FAR) if left >= 0 else FAR, min(right, FAR) if right >= 0 else FAR
        return "all" if right < 0 else "causal", 0, 0

    def _fold(self, numbers, q, kind):
        """The extents and strides of queries: heads that share keys are queries where each of these sees all keys."""
        batch, queries, heads, dim = q.shape
        sharers = heads // numbers["Hk"]
        folds = queries == 1 and (kind == "all" or kind == "window" and numbers["L"] == FAR)
        numbers.update(Sq=sharers, H=numbers["Hk"]) if folds else numbers.update(Sq=queries, H=heads)
        dense = (queries * heads * dim, heads * dim, dim)
        for name, (entry, row, head) in (("q", dense if self.copies else q.stride()[:3]), ("o", dense)):
            if heads == 1:
                head = dim
            row, head = (head, sharers * head) if folds else (row if queries > 1 else dim, head)
            numbers.update({f"{name}_b": entry if batch > 1 else numbers["Sq"] * numbers["H"] * dim,
                            f"{name}_s": row, f"{name}_h": head})
        numbers.update(lse_b=heads * queries, lse_s=1, lse_h=sharers if folds else queries)

    def run(self, q, k_cache, v_cache, lengths, padding, table):
        """Enqueues the launches; gives O and the logarithms."""
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(q, k_cache, v_cache, lengths, padding, table)
        if self.empty:
            batch, queries, heads, _ = q.shape
            return q.new_zeros(q.shape), q.new_full((batch, heads, queries), -math.inf, dtype=torch.float32)
        if self.copies:
            q = aligned(q)
        o, lse, held = self.o.tensor(), self.lse.tensor(), [x.tensor() for x in self.workspace]
        stream = current_stream(self.ordinal)
        if stream != self.stream:
            self.stream, self.counter = stream, self.device.counter(stream)
        self.launches.run((q.data_ptr(), k_cache.data_ptr(), v_cache.data_ptr(), o.data_ptr(), lse.data_ptr(),
                           self.counter, lengths.data_ptr(),
                           self.no_padding if padding is None else padding.data_ptr(),
                           0 if table is None else table.data_ptr(), *[x.data_ptr() for x in held]), stream,
                          self.ordinal)
        return o, lse


def _form(tensor):
    """What a plan depends on of a tensor."""
    return None if tensor is None else (tensor.shape, tensor.stride(), tensor.dtype, tensor.get_device(),
                                        tensor.data_ptr() & 15)


def _attend(q, k_cache, v_cache, lengths, padding, table, *options):
    key = (*map(_form, (q, k_cache, v_cache, lengths, padding, table)), options)
    plan = _attention.known.get(key)
    if plan is None:
        plan = _attention.known[key] = _Attention(q, k_cache, v_cache, lengths, padding, table, *options)
    return plan.run(q, k_cache, v_cache, lengths, padding, table)


class _Append:
    """The launches that append tokens and turn queries, for one thread.

    :param rotary: None, or queries, cosines, sines, whether pairs are neighbours, and whether all queries are turned by
        the position of the first
    """

    NAMES = ("newQ", "newK", "newV", "q", "k", "v", "C", "T", "lengths", "table")

    def __init__(self, k_cache, v_cache, k, v, table, rotary):
        q, _, _, interleaved, together = rotary or (k, None, None, False, False)
        cache = self._check(k_cache, v_cache, k, v, q, table)
        batch, tokens, heads, dim = k.shape
        self.ordinal, device = k.get_device(), _runtime.device(k.get_device())
        self.tokens, self.together, self.queries = tokens, together, q.shape[1]
        self.copies = any(aligned(x) is not x for x in (k, v)) or rotary is not None and not q.is_contiguous()
        pairs, rows = (0, 0) if rotary is None else self._pairs(rotary, cache)
        kind = [] if rotary is None else ["neighbours" if interleaved else "half"]
        key = "-".join([TYPES[k.dtype]] + kind + ["pages"] * cache.pages)
        case = _data(k, "append_cache", key)
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
            raise NotImplementedError(f"no kernel turns {numbers['R']} of {numbers['D']} columns")
        return device.launches(template, numbers, self.NAMES, {})

    @staticmethod
    def _check(k_cache, v_cache, k, v, q, table):
        _check(k, k_cache, v_cache)
        if k.shape != v.shape or v.dtype is not k.dtype or v.device != k.device:
            raise ValueError(f"k is {k.dtype} of shape {tuple(k.shape)} and v {v.dtype} of {tuple(v.shape)}: needed is "
                             "one")
        if k.shape[2] != k_cache.shape[2]:
            raise ValueError(f"k has {k.shape[2]} heads, but k_cache has {k_cache.shape[2]}")
        if q.dim() != 4 or q.dtype is not k.dtype or q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3]:
            raise ValueError(f"q is {q.dtype} of shape {tuple(q.shape)}, but k {k.dtype} of {tuple(k.shape)}")
        return _Cache(k, k_cache, v_cache, table)

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
            k, v = (x.clone(memory_format=torch.contiguous_format) for x in (k, v))
            q = q if q is None or q.is_contiguous() else q.clone(memory_format=torch.contiguous_format)
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
    forms = None if rotary is None else (*map(_form, rotary[:3]), *rotary[3:])
    key = (*map(_form, (k_cache, v_cache, k, v, lengths, table)), forms)
    plan = _appends.known.get(key)
    if plan is None:
        _check_integers("cache_seqlens", lengths, k, k.shape[0])
        plan = _appends.known[key] = _Append(k_cache, v_cache, k, v, table, rotary)
    return plan.run(k_cache, v_cache, k, v, lengths, table, rotary)


def _append_turned(k_cache, v_cache, k, v, lengths, table, q, cos, sin, interleaved, together):
    return _append(k_cache, v_cache, k, v, lengths, table, (q, cos, sin, interleaved, together))


def _no_gradients(ctx, *_):
    raise NotImplementedError("attention on a cache has no gradients: needed is attention of whole tensors")


register("attention_with_cache",
         "(Tensor q, Tensor k_cache, Tensor v_cache, Tensor lengths, Tensor? padding, Tensor? table, float scale, "
         "bool causal, int left, int right, float softcap, int splits) -> (Tensor, Tensor)", _attend,
         lambda q, *_: (q.new_empty(q.shape), q.new_empty((q.shape[0], q.shape[2], q.shape[1]), dtype=torch.float32)),
         _no_gradients)
_TOKENS = "Tensor(a!) k_cache, Tensor(b!) v_cache, Tensor k, Tensor v, Tensor lengths, Tensor? table"
define("append_cache", f"({_TOKENS}) -> ()", lambda *tensors: _append(*tensors, None), lambda *_: None)
define("append_cache_turned", f"({_TOKENS}, Tensor q, Tensor cos, Tensor sin, bool interleaved, bool together) -> "
       "Tensor", _append_turned, lambda k_cache, v_cache, k, v, lengths, table, q, *_: q.new_empty(q.shape))


def _lengths(lengths, q, room):
    """Lengths on the GPU."""
    if lengths is None or isinstance(lengths, int):
        return torch.full((q.shape[0],), room if lengths is None else lengths, dtype=torch.int32, device=q.device)
    return lengths


def room(k_cache, table):
    """The rows that an entry has."""
    return k_cache.shape[1] * (table.shape[1] if table is not None and table.dim() == 2 else 1)


def attention_with_cache(q, k_cache, v_cache, lengths=None, *, block_table=None, batch_idx=None, leftpad=None,
                         scale=None, causal=False, window=(-1, -1), softcap=0.0, splits=0):
    """Attention of q (batch, queries, heads, dim) on the first lengths[b] rows of a cache.

    :param k_cache: (entries, rows, heads_k, dim), or (pages, rows, heads_k, dim) with a block_table; likewise v_cache
    :param lengths: int32 (batch) on the GPU, a whole number, or None for all rows
    :param block_table: int32 (batch, pages of an entry): numbers of pages
    :param batch_idx: int32 (batch): numbers of entries, where they are not the batch's
    :param leftpad: int32 (batch): rows before an entry's first key, which lengths count
    :param splits: parts of the keys that are computed side by side and merged; 0 leaves the choice to the package
    :returns: O of q's shape, and FP32 logarithms (batch, heads, queries), -inf for a query without keys
    """
    if block_table is not None and batch_idx is not None:
        raise NotImplementedError("block_table and batch_idx are given: needed is one of them")
    table = block_table if batch_idx is None else batch_idx
    scale = max(1, q.shape[-1]) ** -0.5 if scale is None else float(scale)
    if not scale > 0:
        raise ValueError(f"scale is {scale}: needed is a positive number")
    if not softcap >= 0:
        raise ValueError(f"softcap is {softcap}: needed is a positive number, or 0 for none")
    if not 0 <= splits <= 1024:
        raise ValueError(f"splits are {splits}: needed are 1 to 1024, or 0 for the package's choice")
    left, right = window
    options = (scale, bool(causal), int(left), int(right), float(softcap), int(splits))
    tensors = (q, k_cache, v_cache, _lengths(lengths, q, room(k_cache, table)), leftpad, table)
    if is_tracing() or type(q) not in PLAIN or is_transforming():
        return torch.ops.tilewright.attention_with_cache(*tensors, *options)
    return _attend(*tensors, *options)


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
    tensors = (k_cache, v_cache, k, v, _lengths(lengths, k, 0), table)
    traces = is_tracing() or type(k) not in PLAIN or is_transforming()
    if cos is None:
        torch.ops.tilewright.append_cache(*tensors) if traces else _append(*tensors, None)
        return None
    rotary = (k.new_empty((*k.shape[:2], 0, k.shape[3])) if q is None else q, cos, sin, bool(interleaved), bool(together))
    turned = torch.ops.tilewright.append_cache_turned(*tensors, *rotary) if traces else _append(*tensors, rotary)
    return None if q is None else turned
