"""As much of PyTorch as the operators use, on tensors that hold nothing: for tests where there is no PyTorch."""

import math
import sys
import types

dtypes = {name: type("dtype", (), {"__repr__": lambda self, name=name: f"torch.{name}"})()
          for name in ("bfloat16", "float16", "float32", "float64", "int8", "int32", "int64", "uint8", "bool",
                       "float8_e4m3fn")}


def dense(shape):
    strides = [1]
    for extent in reversed(shape[1:]):
        strides.insert(0, strides[0] * max(1, extent))
    return tuple(strides[-len(shape):])


class Tensor:
    """A tensor at an address; new ones lie behind each other."""

    last, _version = 1 << 30, 0

    def __init__(self, *shape, dtype="bfloat16", strides=None, address=None, requires_grad=False, device="cuda:0"):
        self.shape, self._strides = tuple(shape), strides or dense(shape)
        self.dtype = dtypes[dtype] if isinstance(dtype, str) else dtype
        self.device, self.is_cuda, self.requires_grad = device, device != "cpu", requires_grad
        Tensor.last += 1 << 24
        self._address = Tensor.last if address is None else address
        self.filled = None

    def stride(self, mode=None):
        return self._strides if mode is None else self._strides[mode]

    def dim(self):
        return len(self.shape)

    def is_inference(self):
        return False

    def element_size(self):
        narrow = [dtypes[name] for name in ("bool", "int8", "uint8", "float8_e4m3fn")]
        wide = {dtypes["float64"]: 8, dtypes["int64"]: 8, dtypes["float32"]: 4, dtypes["int32"]: 4}
        return 1 if self.dtype in narrow else wide.get(self.dtype, 2)

    def numel(self):
        return math.prod(self.shape)

    def data_ptr(self):
        """The address: PyTorch has none for a tensor without elements."""
        return self._address if self.numel() else 0

    def get_device(self):
        return int(self.device[5:]) if self.is_cuda else -1

    def is_contiguous(self):
        return self._strides == dense(self.shape)

    def new_empty(self, shape, dtype=None):
        shape = (shape,) if isinstance(shape, int) else shape
        return Tensor(*shape, dtype=dtype or self.dtype, device=self.device)

    def new_full(self, shape, value, dtype=None):
        full = self.new_empty(shape, dtype)
        full.filled = value
        return full

    def new_zeros(self, shape, dtype=None):
        return self.new_full(shape, 0, dtype)

    def fill_(self, value):
        self.filled = value
        return self

    def zero_(self):
        return self.fill_(0)

    def copy_(self, other):
        self.copied = other
        return self

    def t(self):
        return self.transpose(0, 1)

    def clone(self, memory_format=None):
        return self.new_empty(self.shape)

    contiguous = clone

    def to(self, dtype, copy=False, memory_format=None):
        return self.new_empty(self.shape, dtype)

    def view(self, dtype):
        return Tensor(*self.shape, dtype=dtype, strides=self._strides, address=self._address, device=self.device)

    def unbind(self, mode):
        rest = [i for i in range(self.dim()) if i != mode]
        return [Tensor(*(self.shape[i] for i in rest), strides=tuple(self._strides[i] for i in rest), dtype=self.dtype,
                       address=self._address + place * self._strides[mode] * self.element_size())
                for place in range(self.shape[mode])]

    def reshape(self, *shape):
        return Tensor(*shape, dtype=self.dtype, address=self._address, device=self.device)

    def __add__(self, number):
        return self.new_full(self.shape, (self._address, number))

    def __neg__(self):
        return self.new_empty(self.shape)

    def select(self, mode, place):
        return self.unbind(mode)[place]

    def narrow(self, mode, begin, count):
        shape = [count if i == mode else extent for i, extent in enumerate(self.shape)]
        return Tensor(*shape, dtype=self.dtype, strides=self._strides, device=self.device,
                      address=self._address + begin * self._strides[mode] * self.element_size())

    def expand(self, shape):
        """A view in which extents of one, and those before the first, are walked by the stride 0."""
        before = len(shape) - self.dim()
        strides = [0] * before + [0 if own == 1 and other > 1 else stride for own, other, stride in
                                  zip(self.shape, shape[before:], self._strides)]
        return Tensor(*shape, dtype=self.dtype, strides=tuple(strides), address=self._address, device=self.device)

    def transpose(self, a, b):
        order = list(range(self.dim()))
        order[a], order[b] = b, a
        return Tensor(*(self.shape[i] for i in order), dtype=self.dtype, address=self._address,
                      strides=tuple(self._strides[i] for i in order), requires_grad=self.requires_grad)

    def __getitem__(self, place):
        from tilewright import _functions

        indices = place if isinstance(place, tuple) else (place,)
        if any(isinstance(index, _functions.Proxy) for index in indices):
            return _functions.read(self, indices)
        end = place[-1].stop
        return Tensor(*self.shape[:-1], end, dtype=self.dtype, strides=self._strides, address=self._address,
                      device=self.device)


class FunctionBase:
    """What torch.autograd.Function is made of; calls leave their context behind."""

    @classmethod
    def apply(cls, *inputs):
        context = types.SimpleNamespace(mark_non_differentiable=lambda *_: None, set_materialize_grads=lambda _: None)
        context.needs_input_grad = tuple(getattr(given, "requires_grad", False) for given in inputs)
        context.save_for_backward = lambda *tensors: setattr(context, "saved_tensors", tensors)
        outputs = cls.forward(context, *inputs)
        first = outputs[0] if type(outputs) is tuple else outputs
        first.backward = lambda gradient: cls.backward(context, gradient)
        return outputs


class Function(FunctionBase):
    pass


class Library:
    """torch.library.Library, whose operators are called at once."""

    operators = types.SimpleNamespace()

    def __init__(self, namespace, kind):
        assert (namespace, kind) == ("tilewright", "FRAGMENT")
        self.schemas = {}

    def define(self, schema, tags):
        self.schemas[schema.split("(")[0]] = schema

    def impl(self, name, function, key):
        inputs = self.schemas[name].split("(", 1)[1].rsplit(") ->", 1)[0]
        names = [part.split()[-1] for part in inputs.split(",")]

        def call(*arguments):
            assert key == "CUDA" and len(arguments) == len(names)
            return function(*arguments)

        setattr(Library.operators, name, call)


def pad(x, by):
    """A tensor with more at the ends of its last modes."""
    shape = list(x.shape)
    for mode, more in enumerate(by[1::2]):
        shape[-1 - mode] += more
    return x.new_empty(shape)


class Guard:
    def __init__(self, ordinal):
        pass

    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass


def install(monkeypatch):
    """Makes this ``torch``, and forgets what had been imported with another one."""
    torch = types.ModuleType("torch")
    functional = types.ModuleType("torch.nn.functional")
    functional.pad = pad
    functional.relu = functional.gelu = functional.silu = lambda x, **_: x
    torch.nn = types.ModuleType("torch.nn")
    torch.nn.functional, torch.nn.Parameter = functional, type("Parameter", (Tensor,), {})
    torch.Tensor, torch.contiguous_format = Tensor, None
    torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda ordinal: 77, _cuda_getDevice=lambda: 0)
    torch.autograd = types.SimpleNamespace(Function=Function)
    torch.library = types.SimpleNamespace(Library=Library, register_fake=lambda name, function, lib: None,
                                          register_autograd=lambda name, backward, setup_context, lib: None,
                                          register_vmap=lambda name, rule, lib: None)
    torch.Tag = types.SimpleNamespace(pt2_compliant_tag=0)
    torch.ops = types.SimpleNamespace(tilewright=Library.operators, aten=types.SimpleNamespace())
    torch.empty_strided = lambda shape, strides, dtype, device: Tensor(*shape, strides=strides, dtype=dtype)
    torch.compiler = types.SimpleNamespace(is_dynamo_compiling=lambda: False)
    torch.full = lambda shape, value, dtype, device: Tensor(*shape, dtype=dtype).fill_(value)
    torch.zeros = lambda size, dtype, device: Tensor(size, dtype=dtype)
    torch.cuda = types.SimpleNamespace(device=Guard, is_current_stream_capturing=lambda: False)
    torch.is_grad_enabled, torch.is_autocast_enabled = (lambda: True), (lambda: False)
    for name, dtype in dtypes.items():
        setattr(torch, name, dtype)
    for name, module in (("torch", torch), ("torch.nn", torch.nn), ("torch.nn.functional", functional)):
        monkeypatch.setitem(sys.modules, name, module)
    for name in ("ops", "_cache", "caches", "codes", "appending", "merging", "flash_attn", "flex", "rows", "rotary",
                 "embeddings", "products", "scaled", "grouped", "latent", "flash_mla", "sinks", "_torch"):
        monkeypatch.delitem(sys.modules, f"tilewright.{name}", raising=False)
    return torch
