"""The way of products and quantizers to a launch: what they refuse, copy, fill up and remember; no GPU, no PyTorch."""

import plain_torch
import pytest
from plain_torch import Tensor, dtypes
from standin import StandIn, case, number, package

from tilewright import _dispatch, _runtime

GEMM = [["pointer", name] for name in ("A", "B", "C", "bias")] + [["u32", name] for name in "MNKL"] + [
    ["s64", f"{matrix}_{stride}"] for matrix in "ABC" for stride in "sl"] + [["f32", "alpha"]]
RESIDUAL = GEMM + [["pointer", "R"], ["s64", "R_s"], ["s64", "R_l"], ["f32", "beta"]]
SCALED = [["pointer", name] for name in ("A", "B", "C", "SA", "SB", "bias")] + [["u32", name] for name in "MNK"] + [
    ["s64", f"{matrix}_s"] for matrix in "ABC"]
BLOCK = [argument for argument in SCALED if argument[1] != "bias"] + [
    ["s64", name] for name in ("SA_s", "SB_r", "SB_c")]
GROUPED = [["pointer", name] for name in ("A", "B", "C", "ends")] + [["u32", name] for name in "MNKG"] + [
    ["s64", name] for name in ("A_s", "B_s", "B_l", "C_s")]
QUANTIZE = [["pointer", name] for name in ("X", "Y", "Factor")] + [["u32", "M"], ["u32", "K"]] + [
    ["s64", name] for name in ("X_s", "Y_s", "F_r", "F_c")]
WIDE = {"axes": [["elements", "V", [1, 8]]]}


@pytest.fixture
def driver(monkeypatch, tmp_path):
    plain_torch.install(monkeypatch)
    orders = ("tn", "tt", "nt", "nn")
    shared = {"launch": {"scratch": [["parts", ["*", "M", 4]]]}}
    package(tmp_path, {
        "gemm": {**{f"bf16-{order}-plain": case(GEMM) for order in orders},
                 **{f"bf16-{order}-residual": case(RESIDUAL) for order in orders},
                 "bf16-tn-bias": case(GEMM), "bf16-tn-bias_relu": case(GEMM),
                 "f16-tn-plain": case([*GEMM, ["pointer", "parts"]], **shared)},
        "scaled_gemm": {"bf16-tensor": case(SCALED), "bf16-row": case(SCALED), "bf16-block": case(BLOCK),
                        "bf16-row-fast": case([*SCALED, ["u32", 1]])},
        "grouped_gemm": {"bf16-n": case(GROUPED), "bf16-t": case([*GROUPED, ["u32", 1]])},
        "quantize": {"bf16-row": case(QUANTIZE, **WIDE), "bf16-1x128": case(QUANTIZE, **WIDE),
                     "bf16-128x128": case(QUANTIZE, **WIDE),
                     "bf16-tensor": {**case([*QUANTIZE, ["pointer", "Maxima"]], **WIDE), "launches": [
                         {**case([*QUANTIZE, ["pointer", "Maxima"]])["launches"][0],
                          "workspace": [["Maxima", ["*", "M", 4]]]}]}},
    })
    monkeypatch.setattr(_runtime, "Data", lambda capability: _dispatch.Data(capability, tmp_path))
    stand_in = StandIn()
    _runtime.use(stand_in)
    yield stand_in
    _runtime.use(None)


def launched(driver, arguments):
    """The last launch's arguments by name."""
    return {name: number(place, kind) for (kind, name), place in zip(arguments, driver.launched[-1][5], strict=True)}


def of(given, names):
    return [given[name] for name in names.split()]


def test_operands_lie_along_k_or_across(driver):
    from tilewright import gemm

    a, b = Tensor(30, 64), Tensor(64, 48)
    y = gemm(a, b, alpha=0.5)
    given = launched(driver, GEMM)
    assert of(given, "A B C M N K L") == [a.data_ptr(), b.data_ptr(), y.data_ptr(), 30, 48, 64, 1]
    assert of(given, "A_s B_s C_s alpha") == [64, 48, 48, 0.5] and y.shape == (30, 48)
    turned = Tensor(64, 40).t()
    gemm(turned, Tensor(48, 64).t())
    given = launched(driver, GEMM)
    assert of(given, "A M A_s B_s") == [turned.data_ptr(), 40, 40, 64]
    batches = Tensor(3, 16, 64), Tensor(3, 64, 48)
    gemm(*batches)
    assert of(launched(driver, GEMM), "L A_l B_l C_l") == [3, 16 * 64, 64 * 48, 16 * 48]


def test_what_copies_do_not_reach_is_copied(driver):
    from tilewright import gemm

    odd = Tensor(30, 64, strides=(67, 1))
    gemm(odd, Tensor(64, 48))
    given = launched(driver, GEMM)
    assert given["A"] != odd.data_ptr() and given["A_s"] == 64
    narrow = gemm(Tensor(30, 64), Tensor(64, 43))
    assert launched(driver, GEMM)["N"] == 48 and narrow.shape == (30, 43)
    unaligned = Tensor(30, 64, address=(1 << 20) + 2)
    gemm(unaligned, Tensor(64, 48))
    assert launched(driver, GEMM)["A"] != unaligned.data_ptr()


def test_a_second_call_only_changes_addresses(driver):
    from tilewright import linear

    weight = Tensor(48, 64)
    for x in (Tensor(30, 64), Tensor(30, 64)):
        y = linear(x, weight, Tensor(48), "relu")
        assert of(launched(driver, GEMM), "A B C") == [x.data_ptr(), weight.data_ptr(), y.data_ptr()]
    assert driver.launched[0][5] == driver.launched[1][5]


def test_a_matrix_is_added(driver):
    from tilewright import gemm

    a, b, c = Tensor(30, 64), Tensor(64, 48), Tensor(30, 48, strides=(56, 1))
    gemm(a, b, c=c, beta=0.25, alpha=2)
    given = launched(driver, RESIDUAL)
    assert of(given, "R R_s alpha beta") == [c.data_ptr(), 56, 2, 0.25]
    odd = Tensor(30, 43)
    gemm(a, Tensor(64, 43), bias=Tensor(43), c=odd)
    given = launched(driver, RESIDUAL)
    assert given["R"] != odd.data_ptr() and of(given, "R_s beta") == [48, 1]
    with pytest.raises(NotImplementedError, match="no kernel has both c and relu: apply the activation"):
        gemm(a, b, c=c, activation="relu")
    with pytest.raises(ValueError, match=r"c has shape \(48, 30\): needed is \(30, 48\)"):
        gemm(a, b, c=Tensor(48, 30))


def test_scratch_is_zeros_that_a_stream_keeps(driver):
    from tilewright import linear

    x, w = Tensor(30, 64, dtype="float16"), Tensor(48, 64, dtype="float16")
    seen = []
    for _ in range(2):
        linear(x, w)
        seen.append(launched(driver, [*GEMM, ["pointer", "parts"]])["parts"])
    assert seen[0] == seen[1]


@pytest.mark.parametrize("a,b,bias,error", [
    (Tensor(3, 64, dtype="float32"), Tensor(48, 64), None, "a is torch.float32: needed is torch.bfloat16 or"),
    (Tensor(3, 64), Tensor(48, 72), None, "their last extents, and batches, must agree"),
    (Tensor(3, 64), Tensor(48, 64), Tensor(40), r"bias has shape \(40,\): needed is \(48,\)"),
    (Tensor(3, 64, device="cpu"), Tensor(48, 64), None, "a is on cpu: needed is a CUDA device")])
def test_refusals_name_the_tensor_and_what_is_needed(driver, a, b, bias, error):
    from tilewright import gemm

    with pytest.raises((TypeError, ValueError), match=error):
        gemm(a, b.t(), bias)


def test_a_product_that_the_package_lacks_names_the_command(driver):
    from tilewright import linear

    with pytest.raises(NotImplementedError, match="no gemm for f16-tn-bias on sm90.*tilewright package"):
        linear(Tensor(3, 64, dtype="float16"), Tensor(48, 64, dtype="float16"), Tensor(48, dtype="float16"))


@pytest.mark.parametrize("scaling,shape,strides", [("tensor", (), (1, 1)), ("row", (30, 1), (1, 1)),
                                                   ("1x128", (30, 2), (1, 32)), ("128x128", (1, 2), (2, 1))])
def test_scales_have_the_shape_that_products_take(driver, scaling, shape, strides):
    from tilewright import quantize

    x = Tensor(30, 256, strides=(264, 1))
    codes, scales = quantize(x, scaling)
    arguments = QUANTIZE + ([["pointer", "Maxima"]] if scaling == "tensor" else [])
    given = launched(driver, arguments)
    assert of(given, "X Y Factor M K X_s Y_s") == [x.data_ptr(), codes.data_ptr(), scales.data_ptr(), 30, 256, 264, 256]
    assert (scales.shape, (given["F_r"], given["F_c"])) == (shape, strides)
    assert codes.dtype is dtypes["float8_e4m3fn"] and codes.shape == (30, 256)


def test_rows_of_any_length_are_quantised(driver):
    from tilewright import quantize

    turned = Tensor(64, 30).t()
    quantize(turned)
    given = launched(driver, QUANTIZE)
    assert given["X"] != turned.data_ptr() and given["X_s"] == 64
    odd = Tensor(30, 67)
    quantize(odd)
    assert of(launched(driver, QUANTIZE), "X X_s") == [odd.data_ptr(), 67]
    with pytest.raises(ValueError, match="scaling 'block': needed is one of tensor, row, 1x128, 128x128"):
        quantize(odd, "block")
    with pytest.raises(ValueError, match="needed is a matrix"):
        quantize(Tensor(2, 3, 64))
    codes, scales = quantize(Tensor(0, 64), "tensor")
    assert codes.shape == (0, 64) and scales.filled == 1


def codes(*shape, **options):
    return Tensor(*shape, dtype="float8_e4m3fn", **options)


def scales(*shape, **options):
    return Tensor(*shape, dtype="float32", **options)


def test_scales_say_what_they_are_of(driver):
    from tilewright import scaled_gemm

    a, b = codes(30, 256), codes(48, 256).t()
    one, other = scales(), scales(1)
    y = scaled_gemm(a, b, one, other)
    given = launched(driver, SCALED)
    assert of(given, "A B C SA SB M N K") == [
        a.data_ptr(), b.data_ptr(), y.data_ptr(), one.data_ptr(), other.data_ptr(), 30, 48, 256]
    assert of(given, "A_s B_s C_s") == [256, 256, 48] and y.dtype is dtypes["bfloat16"]
    rows, columns, bias = scales(30, 1), scales(1, 48), Tensor(48)
    scaled_gemm(a, b, rows, columns, bias)
    assert of(launched(driver, SCALED), "SA SB bias") == [rows.data_ptr(), columns.data_ptr(), bias.data_ptr()]
    scaled_gemm(a, b, rows, columns, use_fast_accum=True)
    assert len(driver.launched[-1][5]) == len(SCALED) + 1
    scaled_gemm(a, b, one, other, use_fast_accum=True)  # a permission: there is no fast kernel here
    blocks, squares = scales(30, 2, strides=(1, 32)), scales(1, 2).t()
    scaled_gemm(a, b, blocks, squares)
    given = launched(driver, BLOCK)
    assert of(given, "SA SB SA_s SB_r SB_c") == [blocks.data_ptr(), squares.data_ptr(), 32, 2, 1]
    dense = scales(30, 2)
    scaled_gemm(a, b, dense, squares)
    given = launched(driver, BLOCK)
    assert given["SA"] != dense.data_ptr() and given["SA_s"] == 32


@pytest.mark.parametrize("given,error", [
    (lambda: (codes(30, 256), codes(256, 48), scales(), scales()), "needed is a transposed view of a matrix"),
    (lambda: (codes(30, 250), codes(48, 250).t(), scales(), scales()), "K is 250 and N is 48: needed are multiples of"),
    (lambda: (codes(30, 256), codes(48, 256).t(), scales(30, 1), scales()), r"are one number each, or \(30, 1\)"),
    (lambda: (codes(30, 256), codes(48, 256).t(), scales(), Tensor(1)), "scale_b is torch.bfloat16: needed is"),
    (lambda: (Tensor(30, 256), codes(48, 256).t(), scales(), scales()), "a is torch.bfloat16: needed is torch.float8"),
    (lambda: (codes(30, 256), codes(48, 256).t(), scales(30, 2), scales(2, 1), Tensor(48)), "add it to the result"),
    (lambda: (codes(30, 256), codes(48, 256).t(), scales(), scales(), None, dtypes["float32"]), "out_dtype is tor")])
def test_scaled_products_that_are_refused(driver, given, error):
    from tilewright import scaled_gemm

    with pytest.raises((TypeError, ValueError, NotImplementedError), match=error):
        scaled_gemm(*given())


def test_groups_of_rows_have_matrices_of_their_own(driver):
    from tilewright import grouped_gemm

    a, offs = Tensor(300, 64), Tensor(5, dtype="int32")
    b = Tensor(5, 48, 64).transpose(1, 2)
    y = grouped_gemm(a, b, offs)
    given = launched(driver, GROUPED)
    assert of(given, "A B C ends") == [x.data_ptr() for x in (a, b, y, offs)] and y.shape == (300, 48)
    assert of(given, "M N K G A_s B_s B_l C_s") == [300, 48, 64, 5, 64, 64, 48 * 64, 48]
    grouped_gemm(a, Tensor(5, 64, 48), offs)
    given = launched(driver, [*GROUPED, ["u32", 1]])
    assert of(given, "B_s B_l") == [48, 64 * 48]
    with pytest.raises(TypeError, match="offs is torch.int64: needed is torch.int32"):
        grouped_gemm(a, b, Tensor(5, dtype="int64"))
    with pytest.raises(ValueError, match=r"offs has shape \(4,\): needed is \(5,\)"):
        grouped_gemm(a, b, Tensor(4, dtype="int32"))
    with pytest.raises(ValueError, match="K is 60 and N is 48: needed are multiples of 8"):
        grouped_gemm(Tensor(300, 60), Tensor(5, 60, 48), offs)
