"""Functions of scores and masks under torch.compile.

A graph has the function's form as a constant. What the function reads from outside (its closure, defaults and
globals) goes past Dynamo first: numbers become guards, tensors inputs of the graph. Where Dynamo cannot watch all of
it, the graph breaks at the call.
"""

import builtins
import math
import types

import torch
from torch.fx.experimental.symbolic_shapes import guard_scalar

from . import _functions

DEPTH = 8  # of functions that read functions


@torch.compiler.assume_constant_result
def _names(function):
    """The names of globals and attributes in a function's code and in that of functions inside."""
    names, codes = [], [function.__code__]
    while codes:
        code = codes.pop()
        names += [name for name in code.co_names if name not in names]
        codes += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return names


def _is_known(value):
    """Whether it is a part of Python or PyTorch, which nobody changes."""
    if isinstance(value, types.ModuleType):
        return value is torch or value is math or value is torch.nn.functional
    return isinstance(value, (type, torch.dtype, types.FunctionType, types.BuiltinFunctionType)) and (
        value.__module__.split(".")[0] in (builtins.__name__, math.__name__, torch.__name__))


def _walk(value, found, depth=0):
    """Collects the tensors that a value leads to. Dynamo runs this, and so guards all that it reads.

    :returns: whether it leads to nothing that may change unseen
    """
    if depth > DEPTH:
        return False
    if isinstance(value, torch.Tensor):
        found.append(value)
        for extent in value.shape:
            guard_scalar(extent)
        return value.is_cuda
    if value is None or isinstance(value, (bool, str)):
        return True
    if isinstance(value, (int, float)):
        guard_scalar(value)
        return True
    if isinstance(value, (tuple, list)):
        return _all(value, found, depth)
    if isinstance(value, types.FunctionType):
        if _is_known(value) and value.__closure__ is None:
            return True
        read = [cell.cell_contents for cell in value.__closure__ or ()]
        read += list(value.__defaults__ or ())
        if value.__kwdefaults__:
            read += list(value.__kwdefaults__.values())
        names = _names(value)
        read += [value.__globals__[name] for name in names if name in value.__globals__]
        return _all(read, found, depth)
    return _is_known(value)


def _all(values, found, depth):
    for value in values:
        if not _walk(value, found, depth + 1):
            return False
    return True


@torch.compiler.assume_constant_result
def _traced(score_mod, mask_mod, sizes, blocks):
    """The functions' form, with the places of its tensors among those of :func:`_walk`; None if one is elsewhere."""
    found = []
    _walk((score_mod, mask_mod), found)
    try:
        traced = _functions.Traced(score_mod, mask_mod, sizes, blocks)
    except (NotImplementedError, IndexError, TypeError):
        return None  # the call itself says why
    places = [next((place for place, tensor in enumerate(found) if tensor is captured.tensor), -1)
              for captured in traced.tensors]
    if traced.host_reads or -1 in places:
        return None
    return traced.text, traced.integers, traced.numbers, places, [captured.kind for captured in traced.tensors]


def form_of(score_mod, mask_mod, sizes, blocks):
    """What :class:`Traced` has of the functions, for a graph that Dynamo makes.

    :returns: text, integers, numbers, and the tensors with the type of each; None where the graph has to break
    """
    found = []
    if not _walk((score_mod, mask_mod), found):
        return None
    sizes = tuple([guard_scalar(extent) for extent in sizes])
    traced = _traced(score_mod, mask_mod, sizes, blocks if blocks is None else tuple(map(guard_scalar, blocks)))
    if traced is None:
        return None
    text, integers, numbers, places, kinds = traced
    return text, integers, numbers, [(found[place], kind) for place, kind in zip(places, kinds)]
