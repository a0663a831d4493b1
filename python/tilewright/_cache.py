"""A cache of keys and values, as the numbers of a launch: see caches.py."""

import torch

from . import _runtime
from .ops import TYPES

PART = 16  # rows of a page are a multiple
_OTHERS = "flash_attn_func computes attention of whole tensors there"
_MOST = 1 << 30


def check(q, k_cache, v_cache, name="q", codes=False):
    """Refuses tensors that are none of attention's on a cache: q has the new tokens.

    :param codes: whether the cache is of torch.float8_e4m3fn
    """
    for what, tensor in ((name, q), ("k_cache", k_cache), ("v_cache", v_cache)):
        if tensor.dim() != 4:
            raise ValueError(f"{what} has shape {tuple(tensor.shape)}: needed is (batch, sequence, heads, dim)")
        if codes and tensor is not q:
            if tensor.dtype is not torch.float8_e4m3fn:
                raise TypeError(f"{what} is {tensor.dtype}: needed is torch.float8_e4m3fn for k_cache and v_cache")
        elif tensor.dtype not in TYPES or tensor.dtype is not q.dtype:
            raise TypeError(f"{what} is {tensor.dtype}: needed is torch.bfloat16 or torch.float16 for all")
        if tensor.device != q.device:
            raise ValueError(f"{what} is on {tensor.device}, but {name} is on {q.device}")
    if not q.is_cuda:
        raise ValueError(f"{name} is on {q.device}: needed is a CUDA device")
    if k_cache.shape != v_cache.shape:
        raise ValueError(f"k_cache has shape {tuple(k_cache.shape)} and v_cache {tuple(v_cache.shape)}: needed is one")
    heads, shared = q.shape[2], k_cache.shape[2]
    if shared == 0 and heads > 0 or shared > 0 and heads % shared:
        raise ValueError(f"{heads} heads do not share {shared} heads of keys: they must be a multiple")
    if q.shape[3] != k_cache.shape[3]:
        raise ValueError(f"{name} has head dimension {q.shape[3]}, but k_cache has {k_cache.shape[3]}")


def check_integers(name, tensor, q, *shape):
    if tensor.dtype is not torch.int32 or tuple(tensor.shape) != shape or not tensor.is_contiguous():
        raise ValueError(f"{name} is {tensor.dtype} of shape {tuple(tensor.shape)} and strides {tensor.stride()}: "
                         f"needed is a contiguous torch.int32 of {shape}")
    if tensor.device != q.device:
        raise ValueError(f"{name} is on {tensor.device}, but q is on {q.device}")


class Cache:
    """Where keys lie: the numbers of a problem for it.

    :param table: numbers of pages (batch, pages of an entry) or of entries (batch), or tokens that queries choose
        (batch, queries, tokens of each); None where entries are the batch
    """

    def __init__(self, q, k_cache, v_cache, table):
        entries, rows, self.heads, self.dim = k_cache.shape
        self.pages = table is not None
        batch = q.shape[0]
        if table is None:
            if entries != batch:
                raise ValueError(f"k_cache has {entries} entries for a batch of {batch}: needed is "
                                 "cache_batch_idx")
            self.room, numbers = rows, {}
        elif table.dim() == 3:
            check_integers("indices", table, q, *q.shape[:2], table.shape[2])
            self.room, numbers = table.shape[2], dict(P=entries, rows=rows)
        else:
            many = table.shape[1] if table.dim() == 2 else 1
            name = "block_table" if table.dim() == 2 else "cache_batch_idx"
            check_integers(name, table, q, *((batch, many) if table.dim() == 2 else (batch,)))
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
        vector = 16 // tensor.element_size()
        unaligned = row % vector or head % vector or tensor.data_ptr() % 16
        if dim > 1 and column != 1 or unaligned or entry != rows * row:
            raise ValueError(
                f"{name}_cache has strides {tensor.stride()} from address {tensor.data_ptr():#x}: needed are "
                f"contiguous heads that begin at 16 bytes, and {'pages' if self.pages else 'entries'} one after the "
                f"other, each {rows} rows behind the last")
        self.numbers.update({f"{name}_b": entry, f"{name}_s": row, f"{name}_h": head})


def place_queries(numbers, q, folds, copies):
    """Adds the extents and strides of queries, and those of dense results.

    :param folds: whether heads that share keys are queries, as where there is one query and each head sees all keys
    :param copies: whether q becomes dense
    """
    batch, queries, heads, dim = q.shape
    sharers = heads // numbers["Hk"]
    numbers.update(Sq=sharers, H=numbers["Hk"]) if folds else numbers.update(Sq=queries, H=heads)
    dense = (queries * heads * dim, heads * dim, dim)
    for name, (entry, row, head) in (("q", dense if copies else q.stride()[:3]), ("o", dense)):
        if heads == 1:
            head = dim
        row, head = (head, sharers * head) if folds else (row if queries > 1 else dim, head)
        numbers.update({f"{name}_b": entry if batch > 1 else numbers["Sq"] * numbers["H"] * dim,
                        f"{name}_s": row, f"{name}_h": head})
    numbers.update(lse_b=heads * queries, lse_s=1, lse_h=sharers if folds else queries)


def no_gradients(ctx, *_):
    """Refuses the gradients of attention on a cache."""
    raise NotImplementedError("attention on a cache has no gradients: needed is attention of whole tensors")


def data_of(tensor):
    """The package's data for the tensor's GPU, where that has kernels for caches."""
    data = _runtime.device(tensor.get_device()).data
    if data.chosen_for != 90:
        major, minor = divmod(data.chosen_for, 10)
        raise NotImplementedError(f"attention on a cache needs a GPU of compute capability 9.0, and these kernels are "
                                  f"for {major}.{minor}: {_OTHERS}")
    return data


def case_of(q, operator, key, strict=True):
    """The case of the package; where it has no kernel for the head dimension an error, or None."""
    case = data_of(q).case(operator, key)
    only = case.only("dim")
    if q.shape[-1] not in only:
        if not strict:
            return None
        raise NotImplementedError(f"a cache with head dimension {q.shape[-1]}: needed is one of "
                                  f"{', '.join(map(str, only))}")
    return case


def form(tensor):
    """What a plan depends on of a tensor."""
    return None if tensor is None else (tensor.shape, tensor.stride(), tensor.dtype, tensor.get_device(),
                                        tensor.data_ptr() & 15)


def on_gpu(lengths, q, room):
    """Lengths on the GPU."""
    if lengths is None or isinstance(lengths, int):
        return torch.full((q.shape[0],), room if lengths is None else lengths, dtype=torch.int32, device=q.device)
    return lengths


def room(k_cache, table):
    """The rows that an entry has."""
    return k_cache.shape[1] * (table.shape[1] if table is not None and table.dim() == 2 else 1)
