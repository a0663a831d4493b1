"""Triton kernels on the simulator: what a launch is made of, and what becomes of its results. A stand-in for Triton
gives PTX in its style; with TILEWRIGHT in the environment the simulator runs it, and Triton's own where that is."""

import json
import os
import stat
import struct
import sys
import types

import pytest

numpy = pytest.importorskip("numpy")

from tilewright import simulation  # noqa: E402
from tilewright.simulation import FindingsError, simulate  # noqa: E402

# out[i] = x[i] + n for the i below n, unless it is without that bound; a program has 64 elements, in lines of shift.py.
SHIFT = """
.version 8.0
.target sm_90a
.address_size 64
.visible .entry shift(
  .param .u64 .ptr .global .align 1 shift_param_0,
  .param .u64 .ptr .global .align 1 shift_param_1,
  .param .u32 shift_param_2,
  .param .u64 .ptr .global .align 1 shift_param_3,
  .param .u64 .ptr .global .align 1 shift_param_4
)
.reqntid 32
{
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<6>;
  .loc 1 5 0
  ld.param.b64 %rd1, [shift_param_0];
  ld.param.b64 %rd2, [shift_param_1];
  ld.param.b32 %r1, [shift_param_2];
  mov.u32 %r2, %ctaid.x;
  shl.b32 %r2, %r2, 5;
  mov.u32 %r3, %tid.x;
  add.s32 %r2, %r2, %r3;
  setp.lt.s32 %p1, %r2, BOUND;
  mul.wide.s32 %rd3, %r2, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  // begin inline asm
  .loc 1 7 12
  mov.u32 %r4, 0x0;
  .loc 1 8 12
  @%p1 ld.global.b32 { %r4 }, [ %rd4 + 0 ];
  // end inline asm
  add.s32 %r5, %r4, %r1;
  .loc 1 8 4
  @%p1 st.global.b32 [ %rd5 + 0 ], { %r5 };
  ret;
}
  .file 1 "/home/someone/shift.py"
"""
SIGNATURE = {"x": "*i32", "out": "*i32", "n": "i32", "BLOCK": "constexpr"}


class Kernel:
    """A function that ``@triton.jit`` decorates: it compiles to the PTX."""

    def __init__(self, ptx=SHIFT.replace("BOUND", "%r1"), signature=None, **metadata):
        self.ptx, self.signature = ptx, signature or SIGNATURE
        self.metadata = {"name": "shift", "shared": 0, "num_warps": 1, "num_ctas": 1, "global_scratch_size": 0,
                         **metadata}

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)

    def run(self, *args, grid, warmup, **kwargs):
        triton = sys.modules["triton"]
        self.target = triton.runtime.driver.driver.active.get_current_target()
        values = dict(zip(self.signature, args), **kwargs)
        grid = tuple(grid(values) if callable(grid) else grid) + (1, 1)
        compiled = triton.compiler.compiler.CompiledKernel(self)
        compiled.run(*grid[:3], 0, None, None, None, None, None, *values.values())
        return compiled


@pytest.fixture(autouse=True)
def triton(monkeypatch):
    class CompiledKernel:
        def __init__(self, kernel):
            self.asm, self.src = {"ptx": kernel.ptx}, types.SimpleNamespace(signature=kernel.signature)
            self.metadata = types.SimpleNamespace(**kernel.metadata)

        def _init_handles(self):
            raise AssertionError("a kernel was loaded")

        @property
        def run(self):
            self._init_handles()

    class Driver:
        active = None

        def set_active(self, driver):
            self.active = driver

    names = ("triton", "triton.compiler", "triton.compiler.compiler", "triton.backends", "triton.backends.compiler",
             "triton.runtime", "triton.runtime.driver")
    for name in names:
        module = types.ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        if "." in name:
            setattr(sys.modules[name.rpartition(".")[0]], name.rpartition(".")[2], module)
    sys.modules["triton.compiler.compiler"].CompiledKernel = CompiledKernel
    sys.modules["triton.backends.compiler"].GPUTarget = lambda backend, arch, warp: types.SimpleNamespace(arch=arch)
    sys.modules["triton.runtime.driver"].driver = Driver()
    return sys.modules["triton"]


@pytest.fixture
def command(tmp_path, monkeypatch):
    """A command in the place of ``tilewright``: it keeps the launch, adds one to all bytes, and ends as it is told."""
    kept = tmp_path / "kept"
    script = tmp_path / "tilewright"
    script.write_text(f"#!{sys.executable}\n" + f"""
import json, pathlib, shutil, sys
launch, out = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[4]) / "launch"
shutil.copytree(launch, {str(kept)!r}, dirs_exist_ok=True)
pathlib.Path({str(kept)!r}, "options").write_text(" ".join(sys.argv[5:]))
out.mkdir(parents=True)
for file in launch.glob("*.bin"):
    (out / file.name).write_bytes(bytes((b + 1) % 256 for b in file.read_bytes()))
told = json.loads(pathlib.Path({str(tmp_path / "told")!r}).read_text())
print("1/1 " + str(launch / "launch.json"), file=sys.stderr)
print("printed by the kernel", file=sys.stderr)
print(json.dumps(told["row"]))
sys.exit(told["exit"])
""")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("TILEWRIGHT", str(script))

    def tell(findings=(), exit=0, error=None):
        row = {"findings": list(findings), "instructions": 7, **({"error": error} if error else {})}
        (tmp_path / "told").write_text(json.dumps({"row": row, "exit": exit}))

    def launch():
        return json.loads((kept / "launch.json").read_text()), (kept / "options").read_text()

    tell()
    return types.SimpleNamespace(tell=tell, launch=launch)


def finding(kind="RACE", message="thread (0,0,0) of block (1,0,0) writes 'array0' + 0"):
    return {"kind": kind, "message": message, "fix": "f", "source": "k.py:3", "line": 9, "text": "st", "address": 0,
            "block": {"x": 1, "y": 0, "z": 0}, "thread": {"x": 2, "y": 0, "z": 0}, "count": 4}


def test_arrays_become_buffers_and_hold_the_results(command, capsys):
    x, out = numpy.arange(8, dtype=numpy.int32), numpy.zeros(8, numpy.int32)
    run = simulate(Kernel(), lambda meta: (meta["n"] // meta["BLOCK"],), x, out, 8, BLOCK=4, chip="a100", seed=3)
    assert (run.instructions, run.findings, run.generated) == (7, (), ())
    assert out.tolist() == [0x01010101] * 8
    launch, options = command.launch()
    assert launch["args"] == [{"buffer": "array0", "bufferOffset": 0}, {"buffer": "array1", "bufferOffset": 0},
                              {"u32": 8}, {"u64": 0}, {"u64": 0}]
    assert (launch["grid"], launch["block"], launch["architecture"]) == ([2, 1, 1], [32, 1, 1], 80)
    assert options == "--json --seed 3 --sanitize"
    assert capsys.readouterr().err == "printed by the kernel\n"


def test_views_share_their_array(command):
    both = numpy.zeros((2, 8), numpy.int32)
    simulate(Kernel(), (1,), both[0], both[1, 2:], 6, BLOCK=4, sanitize=False)
    launch, options = command.launch()
    assert launch["args"][:2] == [{"buffer": "array0", "bufferOffset": 0}, {"buffer": "array0", "bufferOffset": 40}]
    assert options.endswith("--no-sanitize")
    assert (both == 0x01010101).all()


def test_numbers_are_the_bits_that_the_kernel_reads(command):
    signature = {"a": "fp32", "b": "fp16", "c": "bf16", "d": "i64", "e": "u1", "f": ("i8", "constexpr"), "g": "*fp32"}
    simulate(Kernel(signature=signature), (1,), 1.5, 0.5, 1.00390625, -2, True, (-1, 5), None)
    assert command.launch()[0]["args"][:7] == [
        {"u32": struct.unpack("<I", struct.pack("<f", 1.5))[0]}, {"u16": 0x3800}, {"u16": 0x3F80}, {"u64": 2**64 - 2},
        {"u8": 1}, {"u8": 255}, {"u64": 0}]


def test_scratch_is_as_large_as_all_programs_need(command):
    x = numpy.zeros(4, numpy.int32)
    simulate(Kernel(global_scratch_size=128, num_ctas=2), (3,), x, x, 4, BLOCK=4)
    launch = command.launch()[0]
    assert launch["buffers"]["scratch"] == {"bytes": 768}
    assert launch["args"][3:] == [{"buffer": "scratch"}, {"u64": 0}]
    assert (launch["grid"], launch["cluster"]) == ([6, 1, 1], [2, 1, 1])


def test_findings_are_the_kernels_or_of_what_triton_puts_in(command):
    x = numpy.zeros(4, numpy.int32)
    shared = finding("MISSING_PROXY_FENCE", "thread (0,0,0) of block (0,0,0) reads shared 'global_smem' + 0")
    command.tell([shared, finding()], exit=1)
    with pytest.raises(FindingsError, match=r"RACE at k.py:3, 4 times: thread \(0,0,0\) of block"):
        simulate(Kernel(), (1,), x, x, 4, BLOCK=4)
    run = simulate(Kernel(), (1,), x, x, 4, BLOCK=4, check=False)
    assert [f.kind for f in run.findings] == ["RACE"] and run.findings[0].block == (1, 0, 0)
    assert [f.kind for f in run.generated] == ["MISSING_PROXY_FENCE"]
    command.tell([finding("DEADLOCK", shared["message"])], exit=1)
    with pytest.raises(FindingsError, match="DEADLOCK"):
        simulate(Kernel(), (1,), x, x, 4, BLOCK=4)


def test_what_cannot_be_run_is_said(command, monkeypatch):
    x = numpy.zeros(4, numpy.int32)
    with pytest.raises(ValueError, match="chip is 'v100'; there are a100, rtx3090"):
        simulate(Kernel(), (1,), x, x, 4, BLOCK=4, chip="v100")
    with pytest.raises(TypeError, match="needed is a function that @triton.jit decorates"):
        simulate(len, (1,), x)
    with pytest.raises(TypeError, match="a pointer is str"):
        simulate(Kernel(), (1,), x, "x", 4, BLOCK=4)
    frozen = numpy.zeros(4, numpy.int32)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        simulate(Kernel(), (1,), x, frozen, 4, BLOCK=4)
    command.tell(exit=2, error="line 3: no such instruction")
    with pytest.raises(RuntimeError, match="cannot be simulated: line 3: no such instruction"):
        simulate(Kernel(), (1,), x, x, 4, BLOCK=4)
    monkeypatch.setenv("TILEWRIGHT", "/nowhere/tilewright")
    with pytest.raises(RuntimeError, match="/nowhere/tilewright does not run"):
        simulate(Kernel(), (1,), x, x, 4, BLOCK=4)


def test_triton_keeps_its_own_driver(triton, command):
    own = triton.runtime.driver.driver.active = object()
    x = numpy.zeros(4, numpy.int32)
    kernel = Kernel()
    simulate(kernel, (1,), x, x, 4, BLOCK=4, chip="b200")
    assert triton.runtime.driver.driver.active is own and kernel.target.arch == 100


simulated = pytest.mark.skipif("TILEWRIGHT" not in os.environ, reason="TILEWRIGHT names no tilewright command")


@simulated
def test_the_simulator_runs_ptx_in_tritons_style():
    x, out = numpy.arange(40, dtype=numpy.int32), numpy.zeros(40, numpy.int32)
    assert simulate(Kernel(), (2,), x, out, 40, BLOCK=32).findings == ()
    assert out.tolist() == [i + 40 for i in range(40)]


@simulated
def test_a_mistake_is_found_at_its_line_of_python():
    x, out = numpy.zeros(40, numpy.int32), numpy.zeros(40, numpy.int32)
    with pytest.raises(FindingsError, match=r"OUT_OF_BOUNDS at shift.py:7: .*'array0' of 160 bytes"):
        simulate(Kernel(SHIFT.replace("BOUND", "64")), (2,), x, out, 40, BLOCK=32)
