"""Functions of scores and masks, traced into expressions by calling them with what stands for their arguments.

An expression is a list of an operation and its operands; TracedFunctions in Java reads it, and says which there are.
Expressions that compute the same have one form where that is cheap: integers are sums of terms in a fixed order, and
comparisons have each term on the side where it is positive. Constants that a kernel need not know become parameters.
"""

import functools
import json
import math

MOST = (1 << 30) - 1  # of a number of positions
WHOLE = 1 << 31
ROOM = 1 << 62


class Untraceable(NotImplementedError):
    """An operation that no kernel has."""


def refuse(what, instead="those on indices, scores and captured tensors that the page From PyTorch lists"):
    raise Untraceable(f"a function of scores or a mask uses {what}: kernels have {instead}")


class Lifted:
    """A constant that the launch gives: ``i`` for an integer, ``f`` for a number."""

    def __init__(self, kind, value):
        self.kind, self.value = kind, value


class Captured:
    """A tensor that a function reads; one without dimensions is read as a row."""

    def __init__(self, tensor, kind, rank):
        self.tensor, self.kind, self.rank = tensor, kind, rank
        self.name = tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), kind


def key(node):
    """What orders expressions: their text without the constants and tensors that a launch gives."""
    if isinstance(node, Lifted):
        return node.kind
    if isinstance(node, Captured):
        return f"t:{node.kind}:{node.rank}"
    if isinstance(node, tuple):
        return "(" + " ".join(map(key, node)) + ")"
    return str(node)


def _exact(node):
    if isinstance(node, Lifted):
        return repr(node.value)
    if isinstance(node, Captured):
        return str(node.name)
    return "(" + " ".join(map(_exact, node)) + ")" if isinstance(node, tuple) else ""


def name_of(node):
    """The name of a term: equal for equal terms, and in the order of keys."""
    return key(node), _exact(node)


def _in_order(nodes):
    return sorted(nodes, key=name_of)


class Proxy:
    """What stands for a value of the function."""

    device, shape = None, ()

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), options=None):
        return apply(function, arguments, options or {})

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        refuse(f"{type(self).NAME}.{name}")

    def __bool__(self):
        refuse(f"{type(self).NAME} in a condition of Python's", "torch.where")

    def __index__(self):
        refuse(f"{type(self).NAME} as an integer of Python's", "captured tensors, which it may index")

    def __float__(self):
        refuse(f"{type(self).NAME} as a number of Python's", "tensors")

    __int__, __hash__ = __index__, object.__hash__

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return as_number(other) / self

    def __rand__(self, other):
        return self & other

    def __ror__(self, other):
        return self | other

    def __pow__(self, other):
        if isinstance(other, int) and 1 <= other <= 4:
            return math.prod([self] * (other - 1), start=self)
        refuse(f"a power with the exponent {other}", "those from 1 to 4")

    def __rpow__(self, base):
        return as_number(self * math.log2(base)).exp2() if base != 2 else as_number(self).exp2()

    def new_ones(self, *_, dtype=None, **__):
        """A constant of ones, of the type of this or another."""
        return constant(1, dtype, self)

    def new_zeros(self, *_, dtype=None, **__):
        """A constant of zeros."""
        return constant(0, dtype, self)

    def to(self, *arguments, dtype=None, **_):
        """This in another type; on another device it is the same."""
        for given in (*arguments, dtype):
            if isinstance(given, Proxy):
                return as_number(self) if isinstance(given, Number) else self
            if kind_of(given):
                return converted(self, kind_of(given))
        return self

    def float(self):
        """This as a number."""
        return as_number(self)

    def view(self, *_):
        return self

    def clone(self):
        return self

    expand = reshape = squeeze = detach = contiguous = view


def _refusing(operation):
    def method(self, *_):
        refuse(f"{operation} of {type(self).NAME}")

    return method


for _operation in ("floordiv", "mod", "matmul", "lshift", "rshift", "and", "or", "xor", "invert", "lt", "le", "gt",
                   "ge", "getitem", "iter", "len", "add", "mul", "truediv", "rfloordiv", "rmod", "rmatmul", "rxor"):
    setattr(Proxy, f"__{_operation}__", _refusing(_operation))


class Integer(Proxy):
    """A sum of terms, each an expression times a constant, and a constant; bounds are those of its values."""

    NAME = "an index"

    def __init__(self, terms, constant, low, high, reads=False):
        self.terms, self.constant, self.low, self.high, self.reads = terms, constant, low, high, reads

    @property
    def dtype(self):
        return torch().int32

    @staticmethod
    def of(node, low, high, reads=False):
        return Integer({name_of(node): (node, 1)}, 0, low, high, reads)

    def node(self):
        """The expression."""
        terms = [node if times == 1 else ("*", node, times) for _, (node, times) in sorted(self.terms.items())]
        if not terms:
            return self.constant
        if self.constant:
            terms.append(Lifted("i", self.constant) if self.constant > 0 else self.constant)
        return terms[0] if len(terms) == 1 else ("+", *terms)

    def _plus(self, other, sign):
        if isinstance(other, float) or isinstance(other, Number):
            return as_number(self) + (other if sign > 0 else -other)
        other = as_integer(other)
        if not isinstance(other, Integer):
            return as_number(self) + (other if sign > 0 else -other)
        terms = dict(self.terms)
        for name, (node, times) in other.terms.items():
            times = terms.get(name, (node, 0))[1] + sign * times
            if times:
                terms[name] = node, times
            else:
                del terms[name]
        low, high = (other.low, other.high) if sign > 0 else (-other.high, -other.low)
        return Integer(terms, self.constant + sign * other.constant, self.low + low, self.high + high,
                       self.reads or other.reads)

    def __add__(self, other):
        return self._plus(other, 1)

    def __sub__(self, other):
        return self._plus(other, -1)

    def __neg__(self):
        return self * -1

    def __mul__(self, other):
        if isinstance(other, float) or isinstance(other, Number):
            return as_number(self) * other
        other = as_integer(other)
        if not isinstance(other, Integer):
            return as_number(self) * other
        if self.terms and other.terms:
            bounds = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
            return Integer.of(("*", *_in_order([self.node(), other.node()])), min(bounds), max(bounds),
                              self.reads or other.reads)
        sum, by = (self, other.constant) if self.terms else (other, self.constant)
        bounds = sorted((sum.low * by, sum.high * by))
        terms = {name: (node, times * by) for name, (node, times) in sum.terms.items()} if by else {}
        return Integer(terms, sum.constant * by, *bounds, sum.reads)

    def __truediv__(self, other):
        return as_number(self) / other

    def _by(self, operation, divisor, low, high):
        divisor = as_integer(divisor)
        if not isinstance(divisor, Integer) or divisor.terms or divisor.constant < 1:
            refuse(f"{operation} with a divisor that is no positive constant")
        if self.low < 0:
            refuse(f"{operation} of an integer that may be {self.low}", "quotients and remainders from 0 on")
        by = divisor.constant
        if not self.terms:
            return integer_constant(self.constant // by if operation == "//" else self.constant % by)
        return self if by == 1 and operation == "//" else Integer.of((operation, self.node(), by), low(by), high(by),
                                                                     self.reads)

    def __floordiv__(self, other):
        return self._by("//", other, lambda by: self.low // by, lambda by: self.high // by)

    def __mod__(self, other):
        return self._by("%", other, lambda by: 0, lambda by: min(self.high, by - 1))

    def __abs__(self):
        return maximum(self, -self)

    def int(self):
        """This."""
        return self

    long = int

    def __lt__(self, other):
        return self + 1 <= other if is_integer(other) else as_number(self) < other

    def __gt__(self, other):
        return self - 1 >= other if is_integer(other) else as_number(self) > other

    def __le__(self, other):
        if not is_integer(other):
            return as_number(self) <= other
        return at_most_zero(self - other)

    def __ge__(self, other):
        if not is_integer(other):
            return as_number(self) >= other
        return at_most_zero(as_integer(other) - self)

    def __eq__(self, other):
        if isinstance(other, Predicate) or not is_integer(other):
            refuse("a comparison of an index with what is none")
        difference = self - other
        names = sorted(difference.terms)
        if not names:
            return Predicate(difference.constant == 0)
        return Predicate(("==", *sides(difference if difference.terms[names[0]][1] > 0 else -difference)))

    def __ne__(self, other):
        return ~(self == other)

    __hash__ = object.__hash__


class Number(Proxy):
    """A sum of terms, each an expression times a constant, and a constant."""

    NAME = "a score"

    def __init__(self, terms, constant):
        self.terms, self.constant = terms, constant

    @property
    def dtype(self):
        return torch().float32

    @staticmethod
    def of(node):
        return Number({name_of(node): (node, 1.0)}, 0.0)

    def node(self):
        """The expression."""
        terms = [_times(node, times) for _, (node, times) in sorted(self.terms.items(), key=_score_first)]
        if not terms:
            return "-inf" if self.constant == -math.inf else float(self.constant)
        if self.constant:
            terms.append(Lifted("f", self.constant))
        return terms[0] if len(terms) == 1 else ("+", *terms)

    def _plus(self, other, sign):
        other = as_number(other)
        terms = dict(self.terms)
        for name, (node, times) in other.terms.items():
            times = terms.get(name, (node, 0.0))[1] + sign * times
            if times:
                terms[name] = node, times
            else:
                del terms[name]
        return Number(terms, self.constant + sign * other.constant)

    def __add__(self, other):
        return self._plus(other, 1)

    def __sub__(self, other):
        return self._plus(other, -1)

    def __neg__(self):
        return self * -1.0

    def __mul__(self, other):
        other = as_number(other)
        if self.terms and other.terms:
            (first, a), (second, b) = self._factor(), other._factor()
            factors = [part for node in (first, second)
                       for part in (node[1:] if isinstance(node, tuple) and node[0] == "*" else (node,))]
            return Number.of(("*", *_in_order(factors))) * (a * b)
        sum, by = (self, other.constant) if self.terms else (other, self.constant)
        terms = {name: (node, times * by) for name, (node, times) in sum.terms.items()} if by else {}
        return Number(terms, sum.constant * by)

    def _factor(self):
        """The expression, and the constant that it is multiplied by."""
        if len(self.terms) == 1 and not self.constant:
            return next(iter(self.terms.values()))
        return self.node(), 1.0

    def __truediv__(self, other):
        other = as_number(other)
        if other.terms:
            return Number.of(("/", self.node(), other.node()))
        return self * (1 / other.constant)

    def __abs__(self):
        return self.abs()

    def _function(self, name, exact):
        return Number.of((name, self.node())) if self.terms else Number({}, exact(self.constant))

    def abs(self):
        """|x|."""
        return self._function("abs", abs)

    def tanh(self):
        """tanh x."""
        return self._function("tanh", math.tanh)

    def exp(self):
        """e to the power of x."""
        return self._function("exp", math.exp)

    def exp2(self):
        """2 to the power of x."""
        if len(self.terms) == 1 and not self.constant:
            # Slopes of heads are powers whose factor follows from the number of heads: 1 and −1 are numbers as others.
            return Number.of(("exp2", _product(*self._factor())))
        return self._function("exp2", lambda x: 2.0 ** x)

    def log(self):
        """The natural logarithm."""
        return self._function("log", math.log)

    def sqrt(self):
        """The square root."""
        return self._function("sqrt", math.sqrt)

    def sigmoid(self):
        """1 / (1 + e to the power of −x)."""
        return 1.0 / (1.0 + (-self).exp())

    def __lt__(self, other):
        return Predicate(("<", self.node(), as_number(other).node()))

    def __gt__(self, other):
        return Predicate(("<", as_number(other).node(), self.node()))

    def __le__(self, other):
        return ~(self > other)

    def __ge__(self, other):
        return ~(self < other)

    def __eq__(self, other):
        refuse("scores that are compared for equality", "<, <=, > and >=")

    __ne__, __hash__ = __eq__, object.__hash__


class Predicate(Proxy):
    """Whether something holds: an expression, or True or False.

    :param difference: an integer that is at most 0 just where it holds, if there is one
    """

    NAME = "a mask"

    def __init__(self, node, difference=None):
        self.value, self.difference = node, difference

    @property
    def dtype(self):
        return torch().bool

    def node(self):
        """The expression."""
        return self.value

    def _joined(self, other, operation, neutral):
        other = as_predicate(other)
        for one, another in ((self, other), (other, self)):
            if isinstance(one.value, bool):
                return another if one.value is neutral else one
        parts = [part for node in (self.value, other.value)
                 for part in (node[1:] if node[0] == operation else (node,))]
        return Predicate((operation, *_in_order(parts)))

    def __and__(self, other):
        return self._joined(other, "&", True)

    def __or__(self, other):
        return self._joined(other, "|", False)

    def __xor__(self, other):
        other = as_predicate(other)
        return self & ~other | ~self & other

    def __invert__(self):
        node = self.value
        if isinstance(node, bool):
            return Predicate(not node)
        if self.difference is not None:
            return at_most_zero(1 - self.difference)
        if node[0] == "!":
            return Predicate(node[1])
        return Predicate(("!", node))

    def __eq__(self, other):
        return ~(self ^ other)

    def __ne__(self, other):
        return self ^ other

    def __add__(self, other):
        refuse("a sum of masks", "& and |")

    __mul__ = __sub__ = __neg__ = __add__
    __hash__ = object.__hash__


class Part(Proxy):
    """A tensor that is not read yet: some of its indices are missing."""

    NAME = "a row of a captured tensor"

    def __init__(self, tensor, indices):
        self.tensor, self.indices = tensor, indices

    def __getitem__(self, index):
        return read(self.tensor, (*self.indices, *(index if isinstance(index, tuple) else (index,))))


def at_most_zero(difference):
    """Whether a sum is at most 0, with each term on the side where it is positive."""
    if not difference.terms:
        return Predicate(difference.constant <= 0)
    return Predicate(("<=", *sides(difference)), difference)


def sides(difference):
    """The terms of a difference that are added, and those that are subtracted."""
    def side(sign):
        terms = {name: (node, sign * times) for name, (node, times) in difference.terms.items() if sign * times > 0}
        return Integer(terms, max(0, sign * difference.constant), -ROOM, ROOM).node()

    left, right = side(1), side(-1)
    return tuple(Lifted("i", part) if isinstance(part, int) and part else part for part in (left, right))


def _score_first(term):
    name, (node, _) = term
    return node != "s", name


def _times(node, times):
    if times == 1:
        return node
    if times == -1:
        return ("neg", node)
    return _product(node, times)


def _product(node, times):
    factors = node[1:] if isinstance(node, tuple) and node[0] == "*" else (node,)
    # Two factors, of which a sum takes the product as it is.
    return ("*", ("*", *factors) if len(factors) > 1 else factors[0], Lifted("f", times))


def torch():
    """PyTorch, which tests do without."""
    import torch

    return torch


def kind_of(dtype):
    """The type of an element in expressions."""
    t = torch()
    names = {"f32": "float32", "f16": "float16", "bf16": "bfloat16", "i32": "int32", "i8": "int8", "i64": "int64",
             "u8": "uint8", "i16": "int16", "bool": "bool", "f64": "float64"}
    return next((kind for kind, name in names.items() if dtype is getattr(t, name, t)), None)


def integer_constant(value):
    """A constant integer."""
    return Integer({}, int(value), int(value), int(value))


def constant(value, dtype, like):
    """A constant of the type of another value, or of a given one."""
    kind = kind_of(dtype)
    if kind == "bool" or kind is None and isinstance(like, Predicate):
        return Predicate(bool(value))
    if kind and kind[0] in "iu" or kind is None and isinstance(like, Integer):
        return integer_constant(value)
    return Number({}, float(value))


def converted(value, kind):
    """A value in another type."""
    if kind in ("f32", "f64"):
        return as_number(value)
    if kind.startswith("i") and isinstance(value, Integer) or kind == "bool" and isinstance(value, Predicate):
        return value
    refuse(f"{type(value).NAME} as {kind}", "FP32 scores, integer indices and masks of bool")


def is_tensor(value):
    """Whether it is a tensor of PyTorch's."""
    return not isinstance(value, Proxy) and hasattr(value, "data_ptr")


def is_integer(value):
    """Whether it has integers, be it an index, a constant or a tensor."""
    if is_tensor(value):
        return isinstance(read(value, ()), Integer)
    return isinstance(value, (int, Integer)) and not isinstance(value, bool)


def as_integer(value):
    """A value as an integer; as it is where it has numbers."""
    if is_tensor(value):
        value = read(value, ())
    if isinstance(value, bool) or isinstance(value, (Predicate, Part)):
        refuse("a mask in the place of an integer", "torch.where")
    return integer_constant(value) if isinstance(value, int) else value


def as_number(value):
    """A value as FP32."""
    if is_tensor(value):
        value = read(value, ())
    if isinstance(value, Number):
        return value
    if isinstance(value, Integer):
        if not value.terms:
            return Number({}, float(value.constant))
        # One form for k − q and q − k: the first term is positive.
        first = value.terms[min(value.terms)][1]
        return Number.of(("float", value.node())) if first > 0 else -Number.of(("float", (-value).node()))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Number({}, float(value))
    refuse(f"{value if isinstance(value, bool) else type(value).__name__} in the place of a number")


def as_predicate(value):
    """A value as a predicate."""
    if is_tensor(value):
        value = read(value, ())
    if isinstance(value, Predicate):
        return value
    if isinstance(value, bool):
        return Predicate(value)
    refuse("& or | of what is no mask", "those of masks")


def where(condition, yes, no):
    """torch.where."""
    condition = as_predicate(condition)
    if isinstance(condition.value, bool):
        return yes if condition.value else no
    if any(isinstance(side, (bool, Predicate)) for side in (yes, no)):
        yes, no = as_predicate(yes), as_predicate(no)
        if isinstance(yes.value, bool):
            return condition | no if yes.value else ~condition & no
        if isinstance(no.value, bool):
            return ~condition | yes if no.value else condition & yes
        return condition & yes | ~condition & no
    if is_integer(yes) and is_integer(no):
        yes, no = as_integer(yes), as_integer(no)
        return Integer.of(("where", condition.node(), yes.node(), no.node()), min(yes.low, no.low),
                          max(yes.high, no.high), yes.reads or no.reads)
    return Number.of(("where", condition.node(), as_number(yes).node(), as_number(no).node()))


def _extreme(operation, choose):
    def function(a, b):
        if not (is_integer(a) and is_integer(b)):
            return Number.of((operation, *_in_order([as_number(a).node(), as_number(b).node()])))
        a, b = as_integer(a), as_integer(b)
        return Integer.of((operation, *_in_order([a.node(), b.node()])), choose(a.low, b.low),
                          choose(a.high, b.high), a.reads or b.reads)

    return function


minimum, maximum = _extreme("min", min), _extreme("max", max)


def clamp(value, min=None, max=None):
    """torch.clamp."""
    value = value if min is None else maximum(value, min)
    return value if max is None else minimum(value, max)


def read(tensor, indices):
    """The element of a captured tensor at indices, some of which are those of the function."""
    if Ellipsis in [i for i in indices if not isinstance(i, Proxy)] or any(isinstance(i, slice) for i in indices):
        refuse("a slice of a captured tensor", "single elements")
    if len(indices) < tensor.dim():
        return Part(tensor, indices)
    if len(indices) > tensor.dim():
        raise IndexError(f"a captured tensor of shape {tuple(tensor.shape)} has {len(indices)} indices")
    kind = kind_of(tensor.dtype)
    if kind is None or kind == "f64":
        refuse(f"a captured tensor of {tensor.dtype}", "float32, float16, bfloat16, integers and bool")
    own = tensor
    if not indices:
        if not tensor.is_cuda:
            return constant(tensor.item(), tensor.dtype, None)
        tensor, indices = tensor.reshape(1), (0,)
    stored = {"bool": "i8", "i64": "i32", "i16": "i32", "u8": "i32"}.get(kind, kind)
    nodes = [_bounded(tensor, mode, as_integer(index)) for mode, index in enumerate(indices)]
    node = ("read", Captured(own, stored, len(indices)), *nodes)
    if stored in ("f32", "f16", "bf16"):
        return Number.of(node)
    integer = Integer.of(node, -WHOLE, WHOLE - 1, True)
    return integer != 0 if kind == "bool" else integer


def _bounded(tensor, mode, index):
    extent = tensor.shape[mode]
    if not isinstance(index, Integer):
        refuse("a score as an index")
    if index.reads:  # of what is in memory nothing is known
        return ("below", index.node(), Lifted("i", extent))
    if index.low < 0 or index.high >= extent:
        raise IndexError(f"a captured tensor of shape {tuple(tensor.shape)} is read at {index.low} to {index.high} in "
                         f"dimension {mode}: give a larger one, or bound the index by torch.clamp")
    return index.node()


def _reversed(operation):
    return lambda a, b: operation(b, a)


FUNCTIONS = {
    "where": where, "minimum": minimum, "maximum": maximum, "min": minimum, "max": maximum, "clamp": clamp,
    "clip": clamp,
    "tanh": lambda x: as_number(x).tanh(), "exp": lambda x: as_number(x).exp(), "exp2": lambda x: as_number(x).exp2(),
    "log": lambda x: as_number(x).log(), "sqrt": lambda x: as_number(x).sqrt(),
    "sigmoid": lambda x: as_number(x).sigmoid(), "abs": abs, "absolute": abs, "neg": lambda x: -x,
    "negative": lambda x: -x,
    "add": lambda a, b, alpha=1: a + b * alpha if alpha != 1 else _binary("__add__", a, b),
    "sub": lambda a, b: _binary("__sub__", a, b), "mul": lambda a, b: _binary("__mul__", a, b),
    "multiply": lambda a, b: _binary("__mul__", a, b), "subtract": lambda a, b: _binary("__sub__", a, b),
    "div": lambda a, b: _binary("__truediv__", a, b), "truediv": lambda a, b: _binary("__truediv__", a, b),
    "true_divide": lambda a, b: _binary("__truediv__", a, b), "divide": lambda a, b: _binary("__truediv__", a, b),
    "floor_divide": lambda a, b: as_integer(a) // b, "floordiv": lambda a, b: as_integer(a) // b,
    "remainder": lambda a, b: as_integer(a) % b, "mod": lambda a, b: as_integer(a) % b,
    "rsub": lambda a, b: _binary("__sub__", b, a), "rdiv": lambda a, b: _binary("__truediv__", b, a),
    "rtruediv": lambda a, b: _binary("__truediv__", b, a), "radd": lambda a, b: _binary("__add__", b, a),
    "rmul": lambda a, b: _binary("__mul__", b, a),
    "le": lambda a, b: _binary("__le__", a, b), "lt": lambda a, b: _binary("__lt__", a, b),
    "ge": lambda a, b: _binary("__ge__", a, b), "gt": lambda a, b: _binary("__gt__", a, b),
    "eq": lambda a, b: _binary("__eq__", a, b), "ne": lambda a, b: _binary("__ne__", a, b),
    "logical_and": lambda a, b: as_predicate(a) & b, "logical_or": lambda a, b: as_predicate(a) | b,
    "logical_not": lambda a: ~as_predicate(a), "logical_xor": lambda a, b: as_predicate(a) ^ b,
    "bitwise_and": lambda a, b: as_predicate(a) & b, "bitwise_or": lambda a, b: as_predicate(a) | b,
    "bitwise_not": lambda a: ~as_predicate(a), "and": lambda a, b: as_predicate(a) & b,
    "or": lambda a, b: as_predicate(a) | b, "rand": lambda a, b: as_predicate(a) & b,
    "ror": lambda a, b: as_predicate(a) | b, "xor": lambda a, b: as_predicate(a) ^ b,
    "invert": lambda a: ~as_predicate(a),
    "zeros_like": lambda x, dtype=None, **_: constant(0, dtype, x),
    "ones_like": lambda x, dtype=None, **_: constant(1, dtype, x),
    "full_like": lambda x, value, dtype=None, **_: constant(value, dtype, x),
    "square": lambda x: x * x,
}


HOST_READS = {"item", "tolist", "numpy", "__bool__", "__int__", "__float__", "__index__", "equal", "allclose"}


def _binary(method, a, b):
    """An operator whose first operand may be a tensor or a constant."""
    if not isinstance(a, Proxy):
        a = read(a, ()) if is_tensor(a) else (as_predicate if isinstance(a, bool) else
                                              as_number if isinstance(a, float) else as_integer)(a)
    return getattr(a, method)(b)


def _has_proxy(values):
    return any(isinstance(value, Proxy) or isinstance(value, (tuple, list)) and _has_proxy(value) for value in values)


def apply(function, arguments, options):
    """A function of PyTorch's on what stands for values."""
    name = getattr(function, "__name__", str(function)).strip("_")
    if name == "getitem":
        tensor, index = arguments
        if isinstance(tensor, Part):
            return tensor[index]
        return read(tensor, index if isinstance(index, tuple) else (index,))
    known = FUNCTIONS.get(name)
    if known is None:
        refuse(f"torch.{name}")
    try:
        return known(*arguments, **options)
    except TypeError as error:
        raise Untraceable(f"a function of scores or a mask uses torch.{name} in a way that kernels have not: "
                          f"{error}") from error


@functools.cache
def _mode():
    """The class of what sees PyTorch's own functions on tensors; None where there is no such thing."""
    overrides = getattr(torch(), "overrides", None)
    if overrides is None:
        return None

    class Mode(overrides.TorchFunctionMode):
        def __init__(self, host_reads):
            super().__init__()
            self._host_reads = host_reads

        def __torch_function__(self, called, types, given=(), options=None):
            if getattr(called, "__name__", None) in HOST_READS:
                self._host_reads.append(called.__name__)
            if _has_proxy(given) or _has_proxy((options or {}).values()):
                return apply(called, given, options or {})
            return called(*given, **(options or {}))

    return Mode


def _calling(function, arguments, host_reads):
    """Calls a function of proxies, which may give them to tensors and to functions of PyTorch's."""
    mode = _mode()
    if mode is None:
        return function(*arguments)
    with mode(host_reads):
        return function(*arguments)


class Traced:
    """Functions of a problem: their form, and the constants and tensors that a launch gives.

    ``host_reads`` are the ways by which functions read numbers of tensors while they were traced.

    :param sizes: batch entries, heads, queries and keys
    :param blocks: the extents of listed blocks, or None
    """

    def __init__(self, score_mod, mask_mod, sizes, blocks):
        names = [Integer.of(name, 0, max(0, extent - 1)) for name, extent in zip("bhqk", sizes)]
        self.integers, self.numbers, self.tensors, self.host_reads = [], [], [], []
        self._places = {}
        score = mask = None
        if score_mod is not None:
            result = as_number(_calling(score_mod, [Number.of("s"), *names], self.host_reads))
            score = None if result.node() == "s" else self._form(result.node())
        if blocks is not None:
            result = Predicate(True) if mask_mod is None else as_predicate(_calling(mask_mod, names, self.host_reads))
            if result.value is False:
                refuse("a mask that hides everything")
            mask = self._form(result.value)
        self.form = {"score": score, "mask": mask, "tensors": [[c.kind, c.rank] for c in self.tensors],
                     "blocks": None if blocks is None else list(blocks)}
        self.text = json.dumps(self.form, separators=(",", ":"))

    def _form(self, node):
        if isinstance(node, Lifted):
            values = self.integers if node.kind == "i" else self.numbers
            if node.kind == "i" and not 0 <= node.value <= MOST:
                refuse(f"the integer {node.value}", f"those up to {MOST}")
            values.append(node.value)
            return f"{node.kind}{len(values) - 1}"
        if isinstance(node, Captured):
            if node.name not in self._places:
                self._places[node.name] = len(self.tensors)
                self.tensors.append(node)
            return f"t{self._places[node.name]}"
        return [self._form(part) for part in node] if isinstance(node, tuple) else node
