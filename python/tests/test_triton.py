"""Kernels that Triton compiles, on the simulator: needs Triton, PyTorch, and TILEWRIGHT in the environment."""

import os

import pytest

if "TILEWRIGHT" not in os.environ:
    pytest.skip("TILEWRIGHT names no tilewright command", allow_module_level=True)
torch = pytest.importorskip("torch")
triton = pytest.importorskip("triton")

import triton.language as tl  # noqa: E402

from tilewright.simulation import FindingsError, simulate  # noqa: E402


@triton.jit
def scale(x, out, n, factor, BOUND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n) if BOUND else tl.load(x + i)  # LOAD
    tl.store(out + i, value * factor, mask=i < n)


@triton.jit
def count(out):
    tl.store(out, tl.load(out) + 1)  # LOST


@triton.jit
def product(a, b, c, n, k, SIZE: tl.constexpr, STEP: tl.constexpr):
    rows = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    columns = tl.program_id(1) * SIZE + tl.arange(0, SIZE)
    sums = tl.zeros((SIZE, SIZE), dtype=tl.float32)
    for first in range(0, k, STEP):
        depth = first + tl.arange(0, STEP)
        x = tl.load(a + rows[:, None] * k + depth[None, :])
        y = tl.load(b + depth[:, None] * n + columns[None, :])
        sums = tl.dot(x, y, sums)
    tl.store(c + rows[:, None] * n + columns[None, :], sums)


def line(mark):
    with open(__file__) as file:
        return next(number for number, text in enumerate(file, 1) if text.rstrip().endswith("# " + mark))


def test_elements_and_a_grid_that_depends_on_the_block():
    x, out = torch.arange(1000.0), torch.zeros(1000)
    run = simulate(scale, lambda meta: (triton.cdiv(1000, meta["BLOCK"]),), x, out, 1000, 0.5, BOUND=True, BLOCK=256)
    assert torch.equal(out, x / 2) and run.findings == run.generated == ()


def test_mistakes_are_found_at_their_lines():
    x = torch.zeros(1000)
    with pytest.raises(FindingsError, match=f"OUT_OF_BOUNDS at test_triton.py:{line('LOAD')}:"):
        simulate(scale, (4,), x, torch.zeros(1000), 1000, 0.5, BOUND=False, BLOCK=256)
    with pytest.raises(FindingsError, match=f"RACE at test_triton.py:{line('LOST')}"):
        simulate(count, (2,), torch.zeros(1, dtype=torch.int32))


@pytest.mark.parametrize("chip", ["a100", "rtx4090", "h100", "b200", "rtx5090"])
def test_products(chip):
    a, b, c = torch.randn(64, 96).half(), torch.randn(96, 64).half(), torch.zeros(64, 64)
    simulate(product, (1, 1), a, b, c, 64, 96, SIZE=64, STEP=32, chip=chip)
    assert torch.allclose(c, a.float() @ b.float(), atol=1e-4)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_a_product_is_that_of_the_gpu_bit_for_bit():
    chip = {80: "a100", 89: "rtx4090", 90: "h100", 100: "b200", 120: "rtx5090"}.get(
        10 * torch.cuda.get_device_capability()[0] + torch.cuda.get_device_capability()[1])
    a, b, c = torch.randn(128, 256).half(), torch.randn(256, 128).half(), torch.zeros(128, 128)
    simulate(product, (2, 2), a, b, c, 128, 256, SIZE=64, STEP=32, chip=chip)
    on_gpu = torch.zeros(128, 128, device="cuda")
    product[(2, 2)](a.cuda(), b.cuda(), on_gpu, 128, 256, SIZE=64, STEP=32)
    assert torch.equal(c, on_gpu.cpu())
