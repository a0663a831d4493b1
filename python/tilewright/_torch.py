"""What operators need of PyTorch, by the shortest way."""

import functools
import math
import threading

import torch

TYPES = {torch.bfloat16: "bf16", torch.float16: "f16", torch.float32: "f32"}  # names in the package's data
PLAIN = (torch.Tensor, torch.nn.Parameter)  # something follows what is done with tensors of other types
current_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)
current_device = getattr(torch._C, "_cuda_getDevice", None)
is_tracing, keeps_gradients = torch.compiler.is_dynamo_compiling, torch.is_grad_enabled
# Whether tensors may be those of torch.func, such as vmap's, which have no addresses.
is_transforming = getattr(torch._C, "_are_functorch_transforms_active", lambda: False)


class Plans(threading.local):
    """Prepared launches by problem, a set for each thread: a launch patches what it passes to the driver."""

    def __init__(self):
        self.known = {}


def _empty_strided(shape, strides, dtype):
    return torch.empty_strided(shape, strides, dtype=dtype, device="cuda")


# What compiled graphs allocate by, where this PyTorch has it: it saves the way through the dispatcher.
_guards = getattr(getattr(torch._C, "_dynamo", None), "guards", None)
_empty = getattr(_guards, "_empty_strided_cuda", _empty_strided)


class New:
    """New tensors of a shape on the current device, with contiguous elements unless strides are given."""

    def __init__(self, shape, dtype, strides=None):
        self.shape = tuple(shape)
        self.strides = strides or tuple(math.prod(max(1, n) for n in self.shape[i + 1:])
                                        for i in range(len(self.shape)))
        self.tensor = functools.partial(_empty, self.shape, self.strides, dtype)

    def stride(self, mode=None):
        """The strides of a tensor, or one of them."""
        return self.strides if mode is None else self.strides[mode]


class _Held(threading.local):
    def __init__(self):
        self.tensors = {}


_held = _Held()


class Scratch:
    """Memory that launches on a stream use one after the other: zeros before the first.

    :param parts: name and bytes of each
    """

    def __init__(self, ordinal, parts):
        self._ordinal, self._parts = ordinal, parts

    def tensors(self, stream):
        """A tensor for each part; the current device is the one of the launches."""
        if not self._parts:
            return ()
        if torch.cuda.is_current_stream_capturing():
            return [_zeros(size) for _, size in self._parts]
        held = []
        for part in self._parts:
            key = (self._ordinal, stream, *part)
            if key not in _held.tensors:
                _held.tensors[key] = _zeros(part[1])
            held.append(_held.tensors[key])
        return held


def _zeros(size):
    return torch.zeros(size, dtype=torch.uint8, device="cuda")


_library = torch.library.Library("tilewright", "FRAGMENT")


def define(name, schema, kernel, fake):
    """Makes an operator known that has no gradients, such as one that changes its arguments."""
    _library.define(name + schema, tags=(torch.Tag.pt2_compliant_tag,))
    _library.impl(name, kernel, "CUDA")
    torch.library.register_fake(f"tilewright::{name}", fake, lib=_library)


def register(name, schema, kernel, fake, backward, remember=None, batched=None, eager=False):
    """Makes an operator known: a function of CUDA tensors without the checks that custom_op adds to each call.

    :param batched: the rule of torch.vmap, which PyTorch knows from 2.5 on
    :param eager: whether eager calls without gradients take the short way to the kernel
    """
    define(name, schema, kernel, fake)
    torch.library.register_autograd(f"tilewright::{name}", backward, setup_context=remember, lib=_library)
    if batched is not None and hasattr(torch.library, "register_vmap"):
        torch.library.register_vmap(f"tilewright::{name}", batched, lib=_library)
    if eager and hasattr(getattr(torch, "_library", None), "autograd"):
        _shorten(name, kernel, backward, remember)


def _shorten(name, kernel, backward, remember):
    """Calls the kernel from the first of the dispatcher's two stops where nothing happens between them."""
    autograd = torch._library.autograd
    try:
        usual = autograd.make_autograd_impl(getattr(torch.ops.tilewright, name).default,
                                            autograd.Info(backward, remember))
        modes, needs_gradient = torch._C._len_torch_dispatch_stack, torch._C._any_requires_grad
    except (AttributeError, TypeError):
        return  # another version of PyTorch

    def first(keys, *arguments):
        if (type(arguments[0]) in PLAIN and not modes() and not is_transforming()
                and not (keeps_gradients() and needs_gradient(*arguments))):
            return kernel(*arguments)
        return usual(keys, *arguments)

    _library.impl(name, first, "AutogradCUDA", with_keyset=True)
