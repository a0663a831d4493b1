"""Decoding by multi-head latent attention, absorbed: all heads read one row of a cache for each key.

Rows have 576 columns, of which the first 512 are V, and lie in pages of 64. Lengths, and the schedule by which CTAs
share a batch, are read on the GPU: captured graphs serve other lengths. Queries see all rows of their entry, or tokens
that each has chosen. flash_mla.py has FlashMLA's functions.
"""

import math

import torch

from . import _runtime
from ._cache import Cache, case_of, check, check_integers, data_of, form, no_gradients, on_gpu
from ._torch import PLAIN, New, Plans, current_device, current_stream, is_tracing, is_transforming, register
from .ops import TYPES, aligned

PAGE = 64
HEAD_DIM, VALUE_DIM = 576, 512
_TILE = 64  # rows, heads of some queries
_HEADS = (8, 16, 32, 64)
_MOST_BLOCKS = 1 << 29
_SHARED = 3  # blocks that an entry costs besides its own, or fewer

_plans = Plans()


def _tiles(rows):
    return -(-rows // _TILE)


def rows_of(queries, heads, chosen=False):
    """Rows of an entry's tiles: queries that have chosen tokens share none."""
    return queries * (_tiles(heads) * _TILE if chosen else heads)


class _Schedule:
    """The launch of a schedule, for one thread: it has a row for each tile of an entry, all of them one in memory."""

    def __init__(self, lengths, rows):
        self.ordinal, batch = lengths.get_device(), lengths.shape[0]
        self.schedule = New((_tiles(rows), batch + 2), torch.int32, (0, 1))
        case = data_of(lengths).case("mla_schedule", "any")
        numbers = dict(B=batch, R=rows, Sk=min(1 << 30, PAGE * (_MOST_BLOCKS // max(1, batch) - _SHARED)))
        case.derive(numbers)
        self.launches = _runtime.device(self.ordinal).launches(case.choose(numbers), numbers, ("lengths", "schedule"),
                                                               {})

    def run(self, lengths):
        """Enqueues the launch; gives the schedule."""
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(lengths)
        schedule = self.schedule.tensor()
        self.launches.run((lengths.data_ptr(), schedule.data_ptr()), current_stream(self.ordinal), self.ordinal)
        return schedule


def _run_schedule(lengths, rows):
    key = form(lengths), rows
    plan = _plans.known.get(key)
    if plan is None:
        plan = _plans.known[key] = _Schedule(lengths, rows)
    return plan.run(lengths)


class _Decode:
    """The launches of a problem on a schedule that is there, for one thread.

    :param table: the pages of each entry, or where it has three modes the tokens of each query
    """

    NAMES = ("q", "k", "o", "lse", "lengths", "table", "schedule")

    def __init__(self, q, k_cache, table, lengths, schedule, scale, causal):
        batch, queries, heads, dim = self._check(q, k_cache, table, lengths, schedule)
        chosen = table.dim() == 3
        cache = Cache(q, k_cache, k_cache, table)
        self.ordinal, device = q.get_device(), _runtime.device(q.get_device())
        self.shape, self.empty = (batch, queries, heads, VALUE_DIM), 0 in q.shape or cache.room == 0
        if self.empty:
            return
        blocks = -(-cache.room // PAGE)
        if batch * (blocks + _SHARED) > _MOST_BLOCKS:
            raise NotImplementedError(f"a batch of {batch} with {blocks} pages each: needed are at most {_MOST_BLOCKS} "
                                      "pages in all")
        self.copies = aligned(q) is not q
        strides = (queries * heads * dim, heads * dim, dim) if self.copies else q.stride()[:3]
        numbers = dict(cache.numbers, B=batch, Sq=queries, H=heads, lse_b=heads * queries, lse_s=1, lse_h=queries,
                       o_b=queries * heads * VALUE_DIM, o_s=heads * VALUE_DIM, o_h=VALUE_DIM,
                       **dict(zip(("q_b", "q_s", "q_h"), strides)))
        # The last query sees all keys, so that of one query no key is hidden.
        mask = "chosen" if chosen else "causal" if causal and queries > 1 else "all"
        case = case_of(q, "mla_decode", f"{TYPES[q.dtype]}-{mask}-by{min(heads, _TILE)}")
        case.derive(numbers)
        template = case.choose(numbers)
        self.o, self.lse = New(self.shape, q.dtype), New((batch, heads, queries), torch.float32)
        self.workspace = [New((max(1, size(numbers)[0]),), torch.uint8) for _, size in template.workspace]
        names = self.NAMES + tuple(name for name, _ in template.workspace)
        self.launches = device.launches(template, numbers, names, {"scale": scale})

    @staticmethod
    def _check(q, k_cache, table, lengths, schedule):
        check(q, k_cache, k_cache)
        batch, queries, heads, dim = q.shape
        if tuple(k_cache.shape[1:]) != (PAGE, 1, HEAD_DIM):
            raise NotImplementedError(f"k_cache has shape {tuple(k_cache.shape)}: needed is (pages, {PAGE}, 1, "
                                      f"{HEAD_DIM})")
        if heads and heads not in _HEADS and heads % _TILE:
            raise NotImplementedError(f"{heads} heads: needed are {', '.join(map(str, _HEADS))}, or a multiple of "
                                      f"{_TILE}")
        check_integers("cache_seqlens", lengths, q, batch)
        if table.dim() not in (2, 3):
            raise ValueError(f"block_table has shape {tuple(table.shape)}: needed is (batch, pages of an entry), or of "
                             "indices (batch, queries, tokens of each)")
        rows = rows_of(queries, heads, table.dim() == 3)
        wanted = _tiles(max(1, rows)), batch + 2
        if schedule.dtype is not torch.int32 or tuple(schedule.shape) != wanted or schedule.stride(1) != 1:
            raise ValueError(f"the schedule is {schedule.dtype} of shape {tuple(schedule.shape)}: needed is "
                             f"torch.int32 of {wanted}, as mla_schedule gives it for {batch} lengths and {rows} "
                             "rows, queries times heads" + ", 64 or a multiple" * (table.dim() == 3))
        if schedule.device != q.device:
            raise ValueError(f"the schedule is on {schedule.device}, but q is on {q.device}")
        return batch, queries, heads, dim

    def run(self, q, k_cache, table, lengths, schedule):
        """Enqueues the launches; gives O and the logarithms."""
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(q, k_cache, table, lengths, schedule)
        if self.empty:
            batch, queries, heads, _ = self.shape
            return q.new_zeros(self.shape), q.new_full((batch, heads, queries), -math.inf, dtype=torch.float32)
        if self.copies:
            q = aligned(q)
        o, lse, held = self.o.tensor(), self.lse.tensor(), [x.tensor() for x in self.workspace]
        self.launches.run((q.data_ptr(), k_cache.data_ptr(), o.data_ptr(), lse.data_ptr(), lengths.data_ptr(),
                           table.data_ptr(), schedule.data_ptr(), *[x.data_ptr() for x in held]),
                          current_stream(self.ordinal), self.ordinal)
        return o, lse


def _run_decode(q, k_cache, table, lengths, schedule, scale, causal):
    key = (*map(form, (q, k_cache, table, lengths, schedule)), scale, causal)
    plan = _plans.known.get(key)
    if plan is None:
        plan = _plans.known[key] = _Decode(q, k_cache, table, lengths, schedule, scale, causal)
    return plan.run(q, k_cache, table, lengths, schedule)


register("mla_schedule", "(Tensor lengths, int rows) -> Tensor", _run_schedule,
         lambda lengths, rows: torch.empty_strided((_tiles(rows), lengths.shape[0] + 2), (0, 1), dtype=torch.int32,
                                                   device=lengths.device), no_gradients)
register("mla_decode",
         "(Tensor q, Tensor k_cache, Tensor table, Tensor lengths, Tensor schedule, float scale, bool causal) "
         "-> (Tensor, Tensor)", _run_decode,
         lambda q, *_: (q.new_empty((*q.shape[:3], VALUE_DIM)),
                        q.new_empty((q.shape[0], q.shape[2], q.shape[1]), dtype=torch.float32)), no_gradients)


def mla_schedule(lengths, rows):
    """The schedule by which CTAs share a batch: all layers of a decoding step use one.

    :param lengths: int32 (batch) on the GPU: keys in use of each entry
    :param rows: queries of an entry times heads
    :returns: an int32 tensor for mla_decode with as many queries and heads
    """
    if lengths.dtype is not torch.int32 or lengths.dim() != 1 or not lengths.is_contiguous() or not lengths.is_cuda:
        raise ValueError(f"lengths are {lengths.dtype} of shape {tuple(lengths.shape)} on {lengths.device}: needed is "
                         "a contiguous torch.int32 of (batch) on a CUDA device")
    if not 1 <= rows <= 1 << 20:
        raise ValueError(f"rows are {rows}: needed are queries times heads, 1 to {1 << 20}")
    if is_tracing() or type(lengths) not in PLAIN or is_transforming():
        return torch.ops.tilewright.mla_schedule(lengths, rows)
    return _run_schedule(lengths, rows)


def mla_decode(q, k_cache, block_table, lengths, schedule=None, *, scale=None, causal=False, indices=None):
    """Latent attention of q (batch, queries, heads, 576) on the first lengths[b] rows of a cache of pages.

    :param k_cache: (pages, 64, 1, 576), whose first 512 columns are V
    :param block_table: int32 (batch, pages of an entry): numbers of pages; None with indices
    :param lengths: int32 (batch) on the GPU, the rows of the queries' own tokens among them; with indices how many of
        them count, None for all
    :param schedule: from mla_schedule; None computes one
    :param scale: of scores; None is 576 ** -0.5, where DeepSeek's models have 192 ** -0.5
    :param causal: whether the last query is at the last key and sees all, the one before it one fewer
    :param indices: int32 (batch, queries, tokens of each): each query sees these rows of the cache alone, of which
        token t is row t % 64 of page t // 64 and -1 is none; another number stops the launch
    :returns: O (batch, queries, heads, 512), and FP32 logarithms (batch, heads, queries), -inf without keys
    """
    scale = HEAD_DIM ** -0.5 if scale is None else float(scale)
    if not scale > 0:
        raise ValueError(f"scale is {scale}: needed is a positive number")
    if indices is not None:
        if causal:
            raise ValueError("causal is True: tokens that queries choose have no positions, so leave unseen ones out")
        if indices.dim() != 3:
            raise ValueError(f"indices have shape {tuple(indices.shape)}: needed is (batch, queries, tokens of each)")
        block_table, lengths = indices, on_gpu(lengths, q, indices.shape[2])
    if schedule is None:
        schedule = mla_schedule(lengths, max(1, rows_of(q.shape[1], q.shape[2], indices is not None)))
    tensors = (q, k_cache, block_table, lengths, schedule)
    if is_tracing() or type(q) not in PLAIN or is_transforming():
        return torch.ops.tilewright.mla_decode(*tensors, scale, bool(causal))
    return _run_decode(*tensors, scale, bool(causal))
