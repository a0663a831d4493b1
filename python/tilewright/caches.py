"""Attention on caches of keys and values that fill up, and their filling.

A cache is (entries, rows, heads, dim), an entry for each of the batch or of any number given by a vector, or it is made
of pages (pages, rows, heads, dim), whose numbers a table has for each of the batch. How many rows are in use is read
on the GPU: captured graphs serve other lengths.
"""

import math

import torch

from . import _runtime
from ._cache import Cache, case_of, check, check_integers, form, no_gradients, on_gpu, place_queries, room
from ._torch import PLAIN, New, Plans, current_device, current_stream, is_tracing, is_transforming, register
from .codes import attention_with_codes, refuse_beside_codes
from .ops import FAR, TYPES, aligned, refuse_beside_sinks
from .sinks import check_sinks, lone

_plans = Plans()


class _Attention:
    """The launches of attention on a cache, for one thread."""

    NAMES = ("q", "k", "v", "o", "lse", "tiles", "lengths", "padding", "table", "sinks")

    def __init__(self, q, k_cache, v_cache, lengths, padding, table, sinks, scale, causal, left, right, softcap,
                 splits):
        check(q, k_cache, v_cache)
        batch, queries, heads, dim = q.shape
        cache = Cache(q, k_cache, v_cache, table)
        check_integers("cache_seqlens", lengths, q, batch)
        if padding is not None:
            check_integers("cache_leftpad", padding, q, batch)
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
        if sinks is not None and kind == "all" and queries == 1:
            kind = "causal"  # the same keys, and heads may share tiles
        # Heads that share keys are queries where each of these sees all keys, and none has a sink of its own.
        folds = sinks is None and queries == 1 and (kind == "all" or kind == "window" and numbers["L"] == FAR)
        place_queries(numbers, q, folds, self.copies)
        key = "-".join([TYPES[q.dtype], kind] + ["softcap"] * (softcap > 0) + ["sinks"] * (sinks is not None)
                       + ["pages"] * cache.pages)
        case = self._case(q, key, numbers)
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
    def _case(q, key, numbers):
        """The case of the package: for few queries whose heads share tiles, for few, or for many."""
        packed = f"{key}-by{numbers['H'] // max(1, numbers['Hk'])}"
        if _runtime.device(q.get_device()).data.has("attention_decode", packed):
            case = case_of(q, "attention_decode", packed, strict=False)
            if case is not None and numbers["Sq"] <= case.only("queries")[-1]:
                return case
        case = case_of(q, "attention_decode", key)
        return case if numbers["Sq"] <= case.only("queries")[-1] else case_of(q, "attention_extend", key)

    @staticmethod
    def _mask(queries, causal, left, right, softcap):
        """The kind of mask, and the window's bounds. A single query is the last: no key is behind it."""
        right = 0 if causal else right
        if queries == 1:
            right = -1 if left < 0 else 0
        if softcap or left >= 0 or right > 0:
            return "window", min(left, FAR) if left >= 0 else FAR, min(right, FAR) if right >= 0 else FAR
        return "all" if right < 0 else "causal", 0, 0

    def run(self, q, k_cache, v_cache, lengths, padding, table, sinks):
        """Enqueues the launches; gives O and the logarithms."""
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(q, k_cache, v_cache, lengths, padding, table, sinks)
        if self.empty:
            batch, queries, heads, _ = q.shape
            of_rows = batch, heads, queries
            return q.new_zeros(q.shape), (q.new_full(of_rows, -math.inf, dtype=torch.float32) if sinks is None
                                          else lone(sinks, of_rows))
        if self.copies:
            q = aligned(q)
        o, lse, held = self.o.tensor(), self.lse.tensor(), [x.tensor() for x in self.workspace]
        stream = current_stream(self.ordinal)
        if stream != self.stream:
            self.stream, self.counter = stream, self.device.counter(stream)
        self.launches.run((q.data_ptr(), k_cache.data_ptr(), v_cache.data_ptr(), o.data_ptr(), lse.data_ptr(),
                           self.counter, lengths.data_ptr(),
                           self.no_padding if padding is None else padding.data_ptr(),
                           0 if table is None else table.data_ptr(), 0 if sinks is None else sinks.data_ptr(),
                           *[x.data_ptr() for x in held]), stream, self.ordinal)
        return o, lse


def _attend(q, k_cache, v_cache, lengths, padding, table, sinks, *options):
    tensors = q, k_cache, v_cache, lengths, padding, table, sinks
    key = (*map(form, tensors), options)
    plan = _plans.known.get(key)
    if plan is None:
        plan = _plans.known[key] = _Attention(*tensors, *options)
    return plan.run(*tensors)


register("attention_with_cache",
         "(Tensor q, Tensor k_cache, Tensor v_cache, Tensor lengths, Tensor? padding, Tensor? table, Tensor? sinks, "
         "float scale, bool causal, int left, int right, float softcap, int splits) -> (Tensor, Tensor)", _attend,
         lambda q, *_: (q.new_empty(q.shape), q.new_empty((q.shape[0], q.shape[2], q.shape[1]), dtype=torch.float32)),
         no_gradients)


def attention_with_cache(q, k_cache, v_cache, lengths=None, *, block_table=None, batch_idx=None, leftpad=None,
                         scale=None, causal=False, window=(-1, -1), softcap=0.0, splits=0, sinks=None,
                         k_descale=None, v_descale=None):
    """Attention of q (batch, queries, heads, dim) on the first lengths[b] rows of a cache.

    :param k_cache: (entries, rows, heads_k, dim), or (pages, rows, heads_k, dim) with a block_table; likewise v_cache
    :param lengths: int32 (batch) on the GPU, a whole number, or None for all rows
    :param block_table: int32 (batch, pages of an entry): numbers of pages
    :param batch_idx: int32 (batch): numbers of entries, where they are not the batch's
    :param leftpad: int32 (batch): rows before an entry's first key, which lengths count
    :param splits: parts of the keys that are computed side by side and merged; 0 leaves the choice to the package
    :param sinks: a logit of each head (heads), which takes part in the softmax and the logarithms of its rows
    :param k_descale: of a cache of torch.float8_e4m3fn, the FP32 number that each code of k_cache is multiplied by: one
        for all, (batch, heads_k), or one for each head of each token (entries or pages, rows, heads_k); likewise
        v_descale
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
    if sinks is not None:
        refuse_beside_sinks(softcap, None)
        sinks = check_sinks(sinks, q)
    lengths = on_gpu(lengths, q, room(k_cache, table))
    if k_cache.dtype is torch.float8_e4m3fn:
        refuse_beside_codes(batch_idx, leftpad, window, softcap, splits, sinks)
        return attention_with_codes(q, k_cache, v_cache, lengths, table, k_descale, v_descale, scale, causal)
    if k_descale is not None or v_descale is not None:
        raise ValueError(f"k_descale or v_descale is given for k_cache of {k_cache.dtype}: needed is a cache of "
                         "torch.float8_e4m3fn, or None")
    left, right = window
    options = (scale, bool(causal), int(left), int(right), float(softcap), int(splits))
    tensors = (q, k_cache, v_cache, lengths, leftpad, table, sinks)
    if is_tracing() or type(q) not in PLAIN or is_transforming():
        return torch.ops.tilewright.attention_with_cache(*tensors, *options)
    return _attend(*tensors, *options)
