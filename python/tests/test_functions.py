"""What functions of scores and masks are traced into, and what is refused; no GPU and no PyTorch."""

import json
import pathlib
import types

import plain_torch
import pytest
from plain_torch import Tensor

from tilewright import _functions
from tilewright._functions import FUNCTIONS, Traced, Untraceable

READY_MADE = json.loads((pathlib.Path(_functions.__file__).parent / "functions.json").read_text())
SIZES = (2, 8, 1000, 1200)
BLOCKS = (128, 128)


@pytest.fixture(autouse=True)
def torch(monkeypatch):
    return plain_torch.install(monkeypatch)


def traced(score=None, mask=None):
    return Traced(score, mask, SIZES, None if mask is None else BLOCKS)


def causal(b, h, q, k):
    return q >= k


def test_ready_made_functions_are_found_however_they_are_written():
    documents, slopes = Tensor(2, 1200, dtype="int64"), Tensor(8, dtype="float32")
    table, token = Tensor(8, 2199, dtype="float32"), Tensor(1200, dtype="int64")
    where, tanh, exp2 = FUNCTIONS["where"], FUNCTIONS["tanh"], FUNCTIONS["exp2"]

    def alibi(s, b, h, q, k):
        return s + slopes[h] * (k - q)

    def capped(s, b, h, q, k):
        return 20 * tanh(s / 20)

    spellings = {
        "blocks": [(None, lambda b, h, q, k: b.new_ones((), dtype=plain_torch.dtypes["bool"]))],
        "causal": [(None, causal), (None, lambda b, h, q, k: ~(k > q)), (None, lambda b, h, q, k: k - q < 1),
                   (None, lambda b, h, q, k: FUNCTIONS["logical_not"](q < k))],
        "window": [(None, lambda b, h, q, k: (q >= k) & (q - k <= 256)),
                   (None, lambda b, h, q, k: (k > q - 33) & causal(b, h, q, k))],
        "prefix": [(None, lambda b, h, q, k: (k < 100) | (q >= k)),
                   (None, lambda b, h, q, k: where(q >= k, True, k <= 99))],
        "document": [(None, lambda b, h, q, k: documents[b, q] == documents[b, k]),
                     (None, lambda b, h, q, k: documents[b][k] == documents[b][q])],
        "causal-document": [(None, lambda b, h, q, k: causal(b, h, q, k) & (documents[b, q] == documents[b, k]))],
        "document-of-token": [(None, lambda b, h, q, k: token[q] == token[k]),
                              (None, lambda b, h, q, k: token.reshape(1200)[q] == token.reshape(1200)[k])],
        "causal-document-of-token": [(None, lambda b, h, q, k: (token[k] == token[q]) & causal(b, h, q, k))],
        "alibi": [(alibi, None), (lambda s, b, h, q, k: s - (q - k) * slopes[h], None),
                  (lambda s, b, h, q, k: slopes[h] * -(q - k) + s, None)],
        "causal-alibi": [(alibi, causal)],
        "alibi-of-heads": [(lambda s, b, h, q, k, heads=heads: s + (k - q) * exp2(-((h + 1) * 8.0 / heads)), None)
                           for heads in (20, 8)],
        "softcap": [(capped, None), (lambda s, b, h, q, k: tanh(s * 0.05) * 20.0, None)],
        "causal-softcap": [(capped, causal)],
        "relative": [(lambda s, b, h, q, k: s + table[h, k - q + 999], None)],
        "window-softcap": [(capped, lambda b, h, q, k: (q >= k) & (q - k < 64))],
    }
    for name, functions in spellings.items():
        for score, mask in functions:
            assert traced(score, mask).form == READY_MADE[name], name


def test_constants_and_tensors_are_those_of_the_call():
    documents = Tensor(2, 1200, dtype="int32")
    given = traced(lambda s, b, h, q, k: 30 * FUNCTIONS["tanh"](s / 30),
                   lambda b, h, q, k: (q - k < 64) & (q >= k))
    assert (given.integers, given.tensors) == ([63], []) and given.numbers == [1 / 30, 30]
    other = traced(None, lambda b, h, q, k: documents[b, q] == documents[b, k])
    assert [c.tensor for c in other.tensors] == [documents]


def test_equal_terms_of_other_tensors_are_not_the_same():
    one, another = (Tensor(2, 1200, dtype="int32") for _ in range(2))
    given = traced(None, lambda b, h, q, k: one[b, k] == another[b, k])
    assert {id(c.tensor) for c in given.tensors} == {id(one), id(another)}
    assert given.form["mask"] == ["==", ["read", "t0", "b", "k"], ["read", "t1", "b", "k"]]


def test_indices_from_memory_are_bounded_by_the_launch():
    table, buckets = Tensor(8, 32, dtype="float32"), Tensor(1000, 1200, dtype="int64")
    given = traced(lambda s, b, h, q, k: s + table[h, buckets[q, k]])
    assert given.form["score"] == ["+", "s", ["read", "t0", "h", ["below", ["read", "t1", "q", "k"], "i0"]]]
    assert given.integers == [32] and given.form["tensors"] == [["f32", 2], ["i32", 2]]


def test_masks_of_tensors_are_predicates():
    shown = Tensor(1000, 1200, dtype="bool")
    given = traced(None, lambda b, h, q, k: shown[q, k])
    assert given.form["mask"] == ["!", ["==", ["read", "t0", "q", "k"], 0]] and given.form["tensors"] == [["i8", 2]]


def test_no_dimension_of_a_tensor_without_any_is_read():
    rate = Tensor(dtype="float32")
    given = traced(lambda s, b, h, q, k: s * rate)
    assert given.form["score"] == ["*", ["read", "t0", 0], "s"]


@pytest.mark.parametrize("function,reason", [
    (lambda s, b, h, q, k: s.erf(), "a score.erf"),
    (lambda s, b, h, q, k: FUNCTIONS["where"](q % k == 0, s, -s), "% with a divisor that is no positive constant"),
    (lambda s, b, h, q, k: s if q > k else -s, "a mask in a condition of Python's: kernels have torch.where"),
    (lambda s, b, h, q, k: [1.0, 2.0][h] * s, "an index as an integer of Python's"),
    (lambda s, b, h, q, k: s + (k - q) // 2, "// of an integer that may be -999"),
    (lambda s, b, h, q, k: s // 2, "floordiv of a score"),
    (lambda s, b, h, q, k: s + (q | k), "or of an index"),
    (lambda s, b, h, q, k: s + sum(q), "iter of an index"),
    (lambda s, b, h, q, k: s ** 0.5, "a power with the exponent 0.5"),
    (lambda s, b, h, q, k: s * Tensor(3, dtype="float64")[h % 3], "a captured tensor of torch.float64"),
    (lambda s, b, h, q, k: _functions.apply(types.SimpleNamespace(__name__="cumsum"), (s, 0), {}), "torch.cumsum"),
])
def test_what_no_kernel_has_is_refused_by_name(function, reason):
    with pytest.raises(Untraceable) as refused:
        traced(function)
    assert reason in str(refused.value)


def test_an_index_outside_its_tensor_is_refused():
    bias = Tensor(8, 1000, dtype="float32")
    with pytest.raises(IndexError, match=r"shape \(8, 1000\) is read at 0 to 1199 in dimension 1"):
        traced(lambda s, b, h, q, k: s + bias[h, k])
