"""PyTorch's flex_attention by Tilewright's kernels: functions of scores, masks and lists of blocks."""

import json
import math
import pathlib
import types
import weakref

import torch
import torch.nn.functional as F

from . import _compile, _functions, _runtime
from ._torch import New, Plans, current_device, current_stream, is_tracing, keeps_gradients, register
from .ops import TYPES, aligned, attention, cast, check, no_second_derivatives, strides

DIMS = (64, 96, 128, 192, 256)  # head dimensions that kernels are compiled for
READY_MADE = {json.dumps(form, separators=(",", ":")): name for name, form in json.loads(
    (pathlib.Path(__file__).parent / "functions.json").read_text()).items()}
NO_FUNCTIONS = '{"score":null,"mask":null,"tensors":[],"blocks":null}'
LISTS = {"flex_forward": ("blockCounts", "partialBlocks", "fullBlocks"), "flex_backward": ("tileCounts", "tileList")}

_plans = Plans()


class _Lists:
    """The lists of blocks of the kernel's tiles, made of a BlockMask's, and again when those change."""

    def __init__(self, device, template, numbers, names, scalars, memory):
        own = types.SimpleNamespace(launches=template.launches[:1])
        self._launches = device.launches(own, numbers, names, scalars)
        self._memory = memory
        self._made = None

    def of(self, given, addresses, stream, ordinal):
        """The tensors with the lists; ``addresses`` are those of what the launch reads."""
        # A replayed graph makes its own; of tensors of inference mode nobody knows whether they changed.
        if torch.cuda.is_current_stream_capturing() or any(x.is_inference() for x in given):
            return self._make(addresses, stream, ordinal)
        if self._made is not None:
            sources, versions, of_stream, made = self._made
            if of_stream == stream and all(source() is tensor for source, tensor in zip(sources, given)) and (
                    versions == [tensor._version for tensor in given]):
                return made
        made = self._make(addresses, stream, ordinal)
        self._made = [weakref.ref(x) for x in given], [x._version for x in given], stream, made
        return made

    def _make(self, addresses, stream, ordinal):
        made = [x.tensor() for x in self._memory]
        self._launches.run((*addresses, *[x.data_ptr() for x in made]), stream, ordinal)
        return made


class _Problem:
    """What the passes have in common: the case of a problem, its numbers and its lists."""

    def __init__(self, operator, q, k, v, lists, read, text, integers, numbers, scale):
        check(q, k, v, False)
        form = json.loads(text)
        self.ordinal = q.get_device()
        self.device = _runtime.device(self.ordinal)
        self.scalars = {"scale": scale, **{f"f{place}": number for place, number in enumerate(numbers)}}
        self.dim, self.value_dim = q.shape[-1], v.shape[-1]
        self._find(operator, text, q.dtype)
        filled = self.filled
        self.numbers = dict(B=q.shape[0], Sq=q.shape[1], Sk=k.shape[1], H=q.shape[2], Hk=k.shape[2], D=filled,
                            Dv=filled, L=0, R=0)
        self.numbers.update((f"i{place}", integer) for place, integer in enumerate(integers))
        for place, tensor in enumerate(read):
            for mode, (extent, stride) in enumerate(zip(tensor.shape, tensor.stride())):
                self.numbers.update({f"t{place}_{mode}": extent, f"t{place}_s{mode}": stride})
        self.names = tuple(f"t{place}" for place in range(len(read)))
        # Two numbers are read in one access where there is one row.
        self.moved = {place for place, x in enumerate(read) if x.dim() == 1 and x.data_ptr() % (2 * x.element_size())}
        self.listed = form["blocks"] is not None
        if self.listed:
            self._note("p", form["blocks"], *lists[:2])
            self._note("f", form["blocks"], *lists[-2:])
            if len(lists) == 2:
                self.numbers["fe"] = 0  # no block is seen whole
            self.names += ("pc", "pi", "fc", "fi")
        self.empty = 0 in q.shape or 0 in k.shape
        self.copies = filled != self.dim or filled != self.value_dim

    def _find(self, operator, text, dtype):
        """The case of the package, or one that Java makes."""
        dim = max(self.dim, self.value_dim)
        name = READY_MADE.get(text)
        key = f"{TYPES[dtype]}-{name or _compile.name_of(text)}"
        if name is not None:
            try:
                self.case = self.device.data.case(operator, key)
                self.filled = next((d for d in self.case.only("dim") if d >= dim), 0)
            except NotImplementedError:
                self.filled = 0
            if self.filled:
                return
        self.filled = next((d for d in DIMS if d >= dim), 0)
        if not self.filled:
            raise NotImplementedError(f"head dimension {dim}: needed is at most {DIMS[-1]}")
        # Java's name for functions that it gets is that of their form.
        made_key = f"{TYPES[dtype]}-{_compile.name_of(text)}"
        folder = _compile.folder(operator, made_key, text, self.filled, self.device.data.chosen_for)
        if folder is None:
            raise NotImplementedError(f"this package has no {operator} for {key} of head dimension {dim}, which is "
                                      f"{text}: {_compile.HINT}")
        self.device = self.device.beside(folder)
        self.case = self.device.data.case(operator, made_key)

    def _note(self, letter, blocks, counts, indices):
        """Notes the strides of lists of blocks."""
        batch, rows, heads = self.numbers["B"], -(-self.numbers["Sq"] // blocks[0]), self.numbers["H"]
        if counts.shape[-1] != rows or counts.shape[0] not in (1, batch) or counts.shape[1] not in (1, heads):
            raise ValueError(f"block_mask has lists of {tuple(counts.shape)} (batch, heads, rows): needed are "
                             f"(1 or {batch}, 1 or {heads}, {rows})")
        for kind, tensor in (("c", counts), ("i", indices)):
            for mode, name in enumerate("bh"):
                self.numbers[f"{letter}{kind}_{name}"] = tensor.stride(mode) if tensor.shape[mode] > 1 else 0
        self.numbers.update({f"{letter}i_r": indices.stride(2), f"{letter}e": indices.shape[-1]})

    def prepare(self, names, lse, **tensors):
        """Finds the launches for tensors with these strides."""
        for name, tensor in tensors.items():
            strides(self.numbers, name, tensor, False)
        self.numbers.update(lse_b=lse.stride(0), lse_h=lse.stride(1), lse_s=1)
        template = self.case.choose(self.numbers)
        if template is None:
            raise NotImplementedError(f"no kernel for flex_attention of {self.numbers}")
        memory = {name: New((size(self.numbers)[0] // 4,), torch.int32) for name, size in template.workspace}
        listed = LISTS[self.OPERATOR] if self.listed else ()
        if listed:
            self.lists = _Lists(self.device, template, self.numbers, (*self.names, *listed), self.scalars,
                                [memory.pop(name) for name in listed])
        rest = types.SimpleNamespace(launches=template.launches[1:] if listed else template.launches)
        self.workspace = list(memory.values())
        self.launches = self.device.launches(rest, self.numbers, (*names, *self.names, *listed, *memory), self.scalars)

    def given(self, *tensors):
        """The tensors as the kernel takes them."""
        return [aligned(F.pad(x, (0, self.filled - x.shape[-1])) if x.shape[-1] < self.filled else x) for x in tensors]

    def enqueue(self, addresses, lists, read, stream):
        """Enqueues the launches.

        :param addresses: those of the tensors that :meth:`prepare` was given names of
        """
        if self.moved:
            read = [x.clone() if place in self.moved else x for place, x in enumerate(read)]
        others = [x.data_ptr() for x in (*read, *lists, *(lists if len(lists) == 2 else ()))]
        made = self.lists.of(lists, others, stream, self.ordinal) if self.listed else ()
        held = [x.tensor() for x in self.workspace]
        self.launches.run((*addresses, *others, *[x.data_ptr() for x in made], *[x.data_ptr() for x in held]), stream,
                          self.ordinal)


class _Forward(_Problem):
    OPERATOR = "flex_forward"

    def __init__(self, q, k, v, *others):
        super().__init__(self.OPERATOR, q, k, v, *others)
        self.copies |= any(aligned(x) is not x for x in (q, k, v))
        if not self.empty:
            q, k, v = self.given(q, k, v)
            self.o, self.lse = New(q.shape, q.dtype), New(_rows(q), torch.float32)
            self.prepare(("q", "k", "v", "o", "lse", "tiles"), self.lse, q=q, k=k, v=v, o=self.o)

    def run(self, q, k, v, lists, read):
        """Enqueues the launches; gives O and the logarithms."""
        if self.empty:
            return q.new_zeros((*q.shape[:-1], v.shape[-1])), q.new_full(_rows(q), -math.inf, dtype=torch.float32)
        if self.copies:
            q, k, v = self.given(q, k, v)
        o, lse = self.o.tensor(), self.lse.tensor()
        stream = current_stream(self.ordinal)
        self.enqueue([*[x.data_ptr() for x in (q, k, v, o, lse)], self.device.counter(stream)], lists, read, stream)
        return (o[..., :self.value_dim].contiguous() if self.filled != self.value_dim else o), lse


class _Backward(_Problem):
    OPERATOR = "flex_backward"

    def __init__(self, do, q, k, v, o, lse, *others):
        super().__init__(self.OPERATOR, q, k, v, *others)
        self.copies |= any(aligned(x) is not x for x in (do, q, k, v, o))
        if not self.empty:
            do, q, k, v, o = self.given(do, q, k, v, o)
            self.gradients = [New(x.shape, x.dtype) for x in (q, k, v)]
            dq, dk, dv = self.gradients
            self.prepare(("q", "k", "v", "o", "lse", "do", "dq", "dk", "dv"), lse, q=q, k=k, v=v, o=o, do=do, dq=dq,
                         dk=dk, dv=dv)

    def run(self, do, q, k, v, o, lse, lists, read):
        """Enqueues the launches; gives the gradients of q, k and v."""
        if self.empty:
            return tuple(x.new_zeros(x.shape) for x in (q, k, v))
        if self.copies:
            do, q, k, v, o = self.given(do, q, k, v, o)
        gradients = [x.tensor() for x in self.gradients]
        self.enqueue([x.data_ptr() for x in (q, k, v, o, lse, do, *gradients)], lists, read,
                     current_stream(self.ordinal))
        return tuple(x if x.shape[-1] == dim else x[..., :dim].contiguous()
                     for x, dim in zip(gradients, (self.dim, self.dim, self.value_dim)))


def _rows(q):
    return q.shape[0], q.shape[2], q.shape[1]


def _layout(tensors):
    return tuple((x.shape, x.stride(), x.data_ptr() & 15) for x in tensors)


def _plan(kind, tensors, lists, read, functions):
    """The plan of a problem; the current device is that of its tensors."""
    key = (kind, _layout(tensors), _layout(lists), _layout(read), tensors[0].dtype, tensors[0].get_device(),
           functions)
    plan = _plans.known.get(key)
    if plan is None:
        text, integers, numbers, scale = functions
        plan = _plans.known[key] = kind(*tensors, lists, read, text, integers, numbers, scale)
    return plan


def _forward(q, k, v, lists, read, text, integers, numbers, scale):
    if q.get_device() != current_device():
        with torch.cuda.device(q.get_device()):
            return _forward(q, k, v, lists, read, text, integers, numbers, scale)
    functions = text, tuple(integers), tuple(numbers), scale
    return _plan(_Forward, (q, k, v), lists, read, functions).run(q, k, v, lists, read)


def _backward(do, q, k, v, o, lse, lists, read, text, integers, numbers, scale):
    if q.get_device() != current_device():
        with torch.cuda.device(q.get_device()):
            return _backward(do, q, k, v, o, lse, lists, read, text, integers, numbers, scale)
    functions = text, tuple(integers), tuple(numbers), scale
    return _plan(_Backward, (do, q, k, v, o, lse), lists, read, functions).run(do, q, k, v, o, lse, lists, read)


def _fake_forward(q, k, v, *_):
    return q.new_empty((*q.shape[:-1], v.shape[-1])), q.new_empty(_rows(q), dtype=torch.float32)


def _fake_backward(do, q, k, v, *_):
    return tuple(x.new_empty(x.shape) for x in (q, k, v))


def _remember(ctx, inputs, output):
    q, k, v, lists, read, *options = inputs
    ctx.save_for_backward(q, k, v, *output, *lists, *read)
    ctx.lists, ctx.options = len(lists), options
    ctx.mark_non_differentiable(output[1])


def _pass_back(ctx, do, _):
    q, k, v, o, lse, *others = ctx.saved_tensors
    lists, read = others[:ctx.lists], others[ctx.lists:]
    gradients = torch.ops.tilewright.flex_backward(do, q, k, v, o, lse, lists, read, *ctx.options)
    # PyTorch compares the structure with the inputs', where empty lists of numbers are lists and others are values.
    options = ([] if option == [] else None for option in ctx.options)
    return (*gradients, [None] * len(lists), [None] * len(read), *options)


_FUNCTIONS = "Tensor[] lists, Tensor[] read, str text, int[] integers, float[] numbers, float scale"
register("flex_forward", f"(Tensor q, Tensor k, Tensor v, {_FUNCTIONS}) -> (Tensor, Tensor)", _forward, _fake_forward,
         _pass_back, _remember)
register("flex_backward", f"(Tensor do, Tensor q, Tensor k, Tensor v, Tensor o, Tensor lse, {_FUNCTIONS}) -> "
         "(Tensor, Tensor, Tensor)", _backward, _fake_backward, no_second_derivatives)


def _stored(tensor, kind, device):
    """A captured tensor as kernels read it: the last index contiguous, of a type that they have."""
    if tensor.device != device:
        raise ValueError(f"a captured tensor is on {tensor.device}, but query is on {device}")
    if tensor.requires_grad and keeps_gradients():
        raise NotImplementedError("a captured tensor requires a gradient: needed is detach(), or torch.no_grad(); "
                                  "kernels for Python have gradients of query, key and value")
    if tensor.dim() == 0:
        tensor = tensor.reshape(1)
    if tensor.dtype is torch.bool:
        tensor = tensor.view(torch.int8)
    elif kind == "i32" and tensor.dtype is not torch.int32:
        tensor = tensor.to(torch.int32)
    return tensor if tensor.stride(-1) == 1 or tensor.shape[-1] == 1 else tensor.contiguous()


def _listed(block_mask):
    """The lists of a BlockMask: counts and indices of blocks seen in part, and of those seen whole if there are any."""
    lists = [block_mask.kv_num_blocks, block_mask.kv_indices]
    if block_mask.full_kv_num_blocks is not None:
        lists += [block_mask.full_kv_num_blocks, block_mask.full_kv_indices]
    return [_integers(tensor) for tensor in lists]


def _integers(tensor):
    tensor = tensor if tensor.dtype is torch.int32 else tensor.to(torch.int32)
    return tensor if tensor.stride(-1) == 1 or tensor.shape[-1] == 1 else tensor.contiguous()


def flex_attention(query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False, return_lse=False,
                   kernel_options=None):
    """Takes the place of torch.nn.attention.flex_attention.flex_attention: (batch, heads, sequence, dim) tensors.

    Functions are traced at each call, or once for a graph of ``torch.compile``. Those in functions.json have kernels in
    this package; for others Java's ``tilewright`` command compiles one, once, where it is on the PATH or
    TILEWRIGHT_HOME names its folder. Without functions it is attention.

    :param score_mod: a function of (score, batch, head, query, key), each a scalar
    :param block_mask: a BlockMask of PyTorch's
    :param kernel_options: ignored
    :returns: (batch, heads, sequence, dim); with return_lse also FP32 logarithms (batch, heads, sequence)
    """
    if query.dtype is torch.float32:
        query, key, value = cast(query, key, value)
    if not enable_gqa and query.shape[1] != key.shape[1]:
        raise ValueError(f"query has {query.shape[1]} heads and key {key.shape[1]}: needed is enable_gqa=True")
    sizes = query.shape[0], query.shape[1], query.shape[2], key.shape[2]
    blocks = mask_mod = None
    if block_mask is not None:
        blocks, mask_mod = block_mask.BLOCK_SIZE, block_mask.mask_mod
        blocks = (blocks, blocks) if isinstance(blocks, int) else tuple(blocks)
    if is_tracing():
        form = _closures.form_of(score_mod, mask_mod, sizes, blocks)
        if form is None:
            return _broken(query, key, value, score_mod, block_mask, scale, enable_gqa, return_lse)
        text, integers, numbers, captured = form
    else:
        traced = _functions.Traced(score_mod, mask_mod, sizes, blocks)
        text, integers, numbers = traced.text, traced.integers, traced.numbers
        captured = [(read.tensor, read.kind) for read in traced.tensors]
    given = [x.transpose(1, 2) for x in (query, key, value)]
    if text == NO_FUNCTIONS:
        o, lse = attention(*given, scale=scale)
    else:
        read = [_stored(tensor, kind, query.device) for tensor, kind in captured]
        lists = [] if block_mask is None else _listed(block_mask)
        scale = query.shape[-1] ** -0.5 if scale is None else float(scale)
        o, lse = torch.ops.tilewright.flex_forward(*given, lists, read, text, integers, numbers, scale)
    o = o.transpose(1, 2)
    return (o, lse) if return_lse else o


if hasattr(torch.compiler, "disable"):
    from . import _closures

    _broken = torch.compiler.disable(flex_attention)
