"""Partial attention, merged by its logarithms."""

import torch

from . import _runtime
from ._torch import (PLAIN, TYPES, New, Plans, current_device, current_stream, is_tracing, is_transforming, register)

_NAMES = ("p", "l", "o", "lse")
_MOST_GRID = (1 << 16) - 1

_plans = Plans()


def _check(outputs, logarithms):
    if outputs.dim() != 5 or outputs.dtype not in TYPES:
        raise ValueError(f"outputs are {outputs.dtype} of shape {tuple(outputs.shape)}: needed are torch.bfloat16, "
                         "torch.float16 or torch.float32 of (states, batch, queries, heads, dim)")
    states, batch, queries, heads, _ = outputs.shape
    if logarithms.dtype is not torch.float32 or tuple(logarithms.shape) != (states, batch, heads, queries):
        raise ValueError(f"logarithms are {logarithms.dtype} of shape {tuple(logarithms.shape)}: needed are "
                         f"torch.float32 of {(states, batch, heads, queries)}")
    if not outputs.is_cuda or logarithms.device != outputs.device:
        raise ValueError(f"outputs are on {outputs.device} and logarithms on {logarithms.device}: needed is one CUDA "
                         "device")
    if not states:
        raise ValueError("outputs have no states: needed is at least one")


class _Plan:
    """The launch of a problem, for one thread."""

    def __init__(self, outputs, logarithms):
        _check(outputs, logarithms)
        states, batch, queries, heads, dim = outputs.shape
        self.ordinal, self.shape, self.empty = outputs.get_device(), outputs.shape[1:], 0 in outputs.shape
        if self.empty:
            return
        device = _runtime.device(self.ordinal)
        case = device.data.case("merge_states", TYPES[outputs.dtype])
        if dim not in case.only("dim"):
            raise NotImplementedError(f"merge_states of head dimension {dim}: needed is one of "
                                      f"{', '.join(map(str, case.only('dim')))}")
        if max(heads, batch) > _MOST_GRID:
            raise NotImplementedError(f"{heads} heads and {batch} entries: needed are at most {_MOST_GRID} of each")
        strides = outputs.stride()
        self.copies = (strides[-1] != 1 or outputs.data_ptr() % 16 != 0
                       or any(extent > 1 and stride % 8 for extent, stride in zip(outputs.shape[:-1], strides)))
        if self.copies:
            strides = New(outputs.shape, outputs.dtype).strides
        numbers = dict(N=states, B=batch, Sq=queries, H=heads, D=dim)
        given = [stride if extent > 1 else 8 for extent, stride in zip(outputs.shape, strides)]
        numbers.update(zip(("p_n", "p_b", "p_s", "p_h"), given))
        of_states, of_entries, of_heads, of_queries = logarithms.stride()
        numbers.update(l_n=of_states, l_b=of_entries, l_h=of_heads, l_s=of_queries, o_b=queries * heads * dim,
                       o_s=heads * dim, o_h=dim, lse_b=heads * queries, lse_h=queries, lse_s=1)
        self.o, self.lse = New(self.shape, outputs.dtype), New((batch, heads, queries), torch.float32)
        self.launches = device.launches(case.choose(numbers), numbers, _NAMES, {})

    def run(self, outputs, logarithms):
        """Enqueues the launch; gives O and its logarithms."""
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(outputs, logarithms)
        if self.empty:
            return outputs.new_empty(self.shape), logarithms.new_full(logarithms.shape[1:], float("-inf"))
        if self.copies:
            outputs = outputs.clone(memory_format=torch.contiguous_format)
        o, lse = self.o.tensor(), self.lse.tensor()
        self.launches.run((outputs.data_ptr(), logarithms.data_ptr(), o.data_ptr(), lse.data_ptr()),
                          current_stream(self.ordinal), self.ordinal)
        return o, lse


def _run(outputs, logarithms):
    key = (outputs.shape, outputs.stride(), outputs.dtype, outputs.get_device(), outputs.data_ptr() & 15,
           logarithms.shape, logarithms.stride(), logarithms.dtype, logarithms.get_device())
    plan = _plans.known.get(key)
    if plan is None:
        plan = _plans.known[key] = _Plan(outputs, logarithms)
    return plan.run(outputs, logarithms)


def _fake(outputs, logarithms):
    return outputs.new_empty(outputs.shape[1:]), logarithms.new_empty(logarithms.shape[1:])


def _no_gradients(ctx, *_):
    raise NotImplementedError("merge_states has no gradients: needed are tensors without requires_grad")


register("merge_states", "(Tensor outputs, Tensor logarithms) -> (Tensor, Tensor)", _run, _fake, _no_gradients)


def merge_states(outputs, logarithms):
    """Attention on all keys from attention on parts of them, such as a shared prefix and each sequence's own keys.

    :param outputs: (states, batch, queries, heads, dim), or a list of tensors without the first extent
    :param logarithms: FP32 (states, batch, heads, queries) as attention gives them, -inf for a part without keys, or a
        list
    :returns: (batch, queries, heads, dim), and the logarithms (batch, heads, queries)
    """
    if isinstance(outputs, (list, tuple)):
        outputs, logarithms = torch.stack(outputs), torch.stack(logarithms)
    if is_tracing() or type(outputs) not in PLAIN or is_transforming():
        return torch.ops.tilewright.merge_states(outputs, logarithms)
    return _run(outputs, logarithms)
