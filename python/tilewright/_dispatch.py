"""The package's data: which kernels there are, and the choice among them.

Choices and formulas come from Java; nothing here knows what is fast.
"""

import bisect
import json
import lzma
import operator
import pathlib

FOLDER = pathlib.Path(__file__).parent / "data"

# The GPUs that choices are made for, best first, by compute capability times ten. Kernels for 90 and 100 load on no
# other GPU.
CHOSEN_FOR = {80: (80,), 87: (80,), 86: (86,), 89: (86,), 90: (90,), 100: (100, 80), 103: (80,), 110: (80,),
              120: (86,), 121: (86,)}


def fewest(most, value, share):
    """The first number from 1 to most with which share times the value is at most its least."""
    values = [value(number) for number in range(1, int(most) + 1)]
    least = min(values)
    return next(number for number, found in enumerate(values, 1) if share * found <= least)


def source(formula, bound=()):
    """A formula as Python: a number, a name, or a list of an operation and its operands.

    :param bound: names of numbers that a search tries
    """
    if isinstance(formula, _Place):
        return formula.text
    if isinstance(formula, (int, float)):
        return repr(formula)
    if isinstance(formula, str):
        return formula if formula in bound else f"n[{formula!r}]"
    if formula[0] == "fewest":
        _, name, most, value, share = formula
        return f"fewest({source(most, bound)}, lambda {name}: {source(value, (*bound, name))}, {share!r})"
    operator, first, second, *rest = (formula[0], *(source(operand, bound) for operand in formula[1:]))
    if operator == "ceil":
        return f"-(-{first} // {second})"
    if operator in ("min", "max"):
        return f"{operator}({first}, {second})"
    if operator == "upto":
        return f"({rest[0]} if {first} <= {second} else {rest[1]})"
    return f"({first} {operator} {second})"


def function(formulas):
    """A function of a problem's numbers that gives a tuple with the values of formulas."""
    body = "".join(source(formula) + ", " for formula in formulas)
    return eval(f"lambda n: ({body})", {"fewest": fewest})  # the text is made above, of numbers, names and operators


class Correction:
    """The factor of an expected cost, as trees over a candidate's features have its logarithm."""

    def __init__(self, data):
        self._bounds = data["least"], data["most"]
        self._trees = [(list(map(int, features)), limits, leaves) for features, limits, leaves in data["trees"]]
        self.least = self._factor(data["least"])

    @staticmethod
    def _factor(logarithm):
        return 1 + logarithm + logarithm * logarithm / 2

    def factor(self, values):
        """The factor with some features."""
        total = 0.0
        for features, limits, leaves in self._trees:
            node = 0
            while node < len(features):
                node = 2 * node + (1 if values[features[node]] <= limits[node] else 2)
            total += leaves[node - len(features)]
        least, most = self._bounds
        return self._factor(min(max(total, least), most))


class Cheapest:
    """The choice of the candidate that costs least: of equal ones the first."""

    def __init__(self, data, correction=None):
        self._candidates = [(cost, form, dict(forms), features) for cost, form, forms, features in data["candidates"]]
        self._correction = correction
        self._first = data["first"]
        self._steps = data["steps"]
        names = [f"t{place}" for place in range(self._first)]
        lines = "".join(f"  {name} = {self._step(step)}\n" for name, step in zip(names, self._steps))
        scope = {}
        # The text is made above, of numbers, names and operators.
        exec(f"def values(n):\n{lines}  return [{', '.join(names)}]", scope)
        self._values = scope["values"]

    @staticmethod
    def _step(step):
        if not isinstance(step, list):
            return source(step)
        return source([step[0], *(_Place(place) for place in step[1:])])

    def choose(self, numbers):
        """The number of the launches for a problem; negative where there are none."""
        values = self._values(numbers)
        found = dict(enumerate(values))
        least, chosen = float("inf"), -1
        for cost, form, forms, features in sorted(self._candidates, key=lambda candidate: values[candidate[0]]):
            expected = values[cost]
            # What follows costs no less, however it is corrected.
            if expected * (self._correction.least if self._correction else 1) >= least:
                break
            launches = forms.get(int(values[form]))
            if launches is None:
                continue
            if features:
                expected *= self._correction.factor([self._value(place, numbers, found) for place in features])
            if expected < least:
                least, chosen = expected, launches
        return chosen

    def _value(self, place, numbers, found):
        """The value of a step that few candidates need."""
        if place not in found:
            step = self._steps[place]
            if isinstance(step, str):
                found[place] = numbers[step]
            elif not isinstance(step, list):
                found[place] = step
            elif step[0] == "upto":
                number, limit, then, otherwise = step[1:]
                least = self._value(number, numbers, found) <= self._value(limit, numbers, found)
                found[place] = self._value(then if least else otherwise, numbers, found)
            else:
                left, right = (self._value(operand, numbers, found) for operand in step[1:])
                found[place] = _OPERATORS[step[0]](left, right)
        return found[place]


_OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
              "//": operator.floordiv, "ceil": lambda left, right: -(-left // right), "min": min, "max": max}


class _Place:
    """The number of an earlier step, as an operand."""

    def __init__(self, place):
        self.text = f"t{place}"


class Tree:
    """The choice by numbers, one after the other."""

    def __init__(self, axes, tree):
        self._axes, self._tree = axes, tree

    def choose(self, numbers):
        """The number of the launches for a problem; negative where there are none."""
        point = {name: formula(numbers)[0] for name, formula, _ in self._axes}
        tree = self._tree
        while not isinstance(tree, int):
            axis, limits, entries = tree
            tree = entries[bisect.bisect_left(limits, point[axis])]
        return tree


class Case:
    """The problems of an operator that share types and options."""

    def __init__(self, data, correction=None):
        self._axes = [(axis[0], function([axis[1]]), axis[2] if len(axis) > 2 else None) for axis in data["axes"]]
        choice = data["choice"]
        self._choice = Cheapest(choice, correction) if isinstance(choice, dict) else Tree(self._axes, choice)
        self.launches = [Template(launches) for launches in data["launches"]]
        self._derived = [(name, function([formula])) for name, formula in data.get("derived", [])]

    def derive(self, numbers):
        """Adds the numbers that are computed from others."""
        for name, formula in self._derived:
            numbers[name] = int(formula(numbers)[0])

    def only(self, axis):
        """The only numbers on an axis, ascending; None where any number will do."""
        return next(values for name, _, values in self._axes if name == axis)

    def choose(self, numbers):
        """The launches for a problem; None where there are none."""
        chosen = self._choice.choose(numbers)
        return None if chosen < 0 else self.launches[chosen]


class Template:
    """Launches with formulas in the place of numbers."""

    def __init__(self, data):
        self.workspace = [(name, function([size])) for name, size in data["workspace"]]
        self.launches = [TemplateLaunch(launch) for launch in data["launches"]]


class TemplateLaunch:
    """One launch."""

    def __init__(self, data):
        self.kernel, self.arguments = data["kernel"], data["arguments"]
        self.scratch = [(name, function([size])) for name, size in data.get("scratch", [])]
        self._grid = data["grid"]
        self._compiled = None

    def values(self, numbers):
        """The grid, and for each argument its number, or a tensor map's extents and strides, or None."""
        if self._compiled is None:
            flat = list(self._grid)
            for argument in self.arguments:
                if argument[0] in ("u32", "s64"):
                    flat.append(argument[1])
                elif argument[0] == "map":
                    flat += argument[3] + argument[4]
            self._compiled = function(flat)
        values = self._compiled(numbers)
        at, given = 3, []
        for argument in self.arguments:
            if argument[0] in ("u32", "s64"):
                given.append(values[at])
                at += 1
            elif argument[0] == "map":
                rank = len(argument[3])
                given.append((values[at:at + rank], values[at + rank:at + 2 * rank - 1]))
                at += 2 * rank - 1
            else:
                given.append(None)
        return values[:3], given


class Data:
    """The choices for a GPU."""

    def __init__(self, capability, folder=FOLDER):
        self._folder = folder
        found = [sm for sm in CHOSEN_FOR.get(capability, ()) if (folder / f"sm{sm}.json").exists()]
        if not found:
            raise RuntimeError(f"this package has no kernels for compute capability {capability / 10}: it was made for "
                               f"{', '.join(sorted(f.stem for f in folder.glob('sm*.json')))}; "
                               "make one by: tilewright package --out DIR --arch ARCH")
        self.chosen_for = found[0]
        self._operators = json.loads((folder / f"sm{self.chosen_for}.json").read_bytes())
        self.kernels = json.loads((folder / "kernels.json").read_bytes())
        self._cases = {}
        self._corrections = {}
        self._block = None, b""  # kernels of one operator lie side by side

    def has(self, operator, key):
        """Whether there is this case of an operator."""
        return key in self._operators.get(operator, {})

    def case(self, operator, key):
        """The case of an operator, or an error that names the command that adds it."""
        case = self._cases.get((operator, key))
        if case is None:
            data = self._operators.get(operator, {}).get(key)
            if data is None:
                known = ", ".join(sorted(self._operators.get(operator, {}))) or "none"
                raise NotImplementedError(
                    f"this package has no {operator} for {key} on sm{self.chosen_for}, only for: {known}; "
                    f"add it by: tilewright package --out DIR --arch sm{self.chosen_for}")
            case = self._cases[operator, key] = Case(data, self._correction(data["choice"]))
        return case

    def _correction(self, choice):
        """The correction of a choice's costs, which many choices share."""
        name = choice.get("correction") if isinstance(choice, dict) else None
        if name is not None and name not in self._corrections:
            self._corrections[name] = Correction(json.loads((self._folder / f"{name}.json").read_bytes()))
        return self._corrections.get(name)

    def code(self, kernel, kind):
        """The code of a kernel: its "cubin", machine code of its own GPU, or its "ptx"."""
        block, begin, size = kernel[kind]
        if self._block[0] != block:
            self._block = block, lzma.decompress((self._folder / f"{block:04}.xz").read_bytes())
        return self._block[1][begin:begin + size] + b"\0" * (kind == "ptx")
