package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Partition;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.atom.LdMatrix;
import tilewright.kernel.atom.MmaAtom;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.numerics.TensorCoreModel;
import tilewright.ptx.Dim3;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.reference.TensorView;
import tilewright.verification.backend.Backend;
import tilewright.verification.backend.GpuBackend;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Buffers;

/** Every atom by itself, one warp, lane by lane: in the simulator, and on a GPU where there is one. */
class AtomTest {

  @ParameterizedTest
  @EnumSource
  void mmaMultipliesWhatItsLayoutsSayInTheSimulator(MmaAtom atom) {
    multiply(atom, new SimulatorBackend(1));
  }

  @Tag("gpu")
  @ParameterizedTest
  @EnumSource
  void mmaMultipliesWhatItsLayoutsSayOnAGpu(MmaAtom atom) {
    try (var gpu = GpuBackend.open()) {
      var needed = atom.ofBytes() ? "sm89" : "sm80";
      assumeTrue(gpu.refuses(needed).isEmpty(), () -> gpu.refuses(needed).orElse(""));
      multiply(atom, gpu);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ldmatrixGivesEachLaneTwoNeighboursInTheSimulator(boolean transposed) {
    loadMatrices(transposed, new SimulatorBackend(1));
  }

  @Tag("gpu")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ldmatrixGivesEachLaneTwoNeighboursOnAGpu(boolean transposed) {
    try (var gpu = GpuBackend.open()) {
      assumeTrue(gpu.refuses("sm80").isEmpty(), () -> gpu.refuses("sm80").orElse(""));
      loadMatrices(transposed, gpu);
    }
  }

  private static void multiply(MmaAtom atom, Backend backend) {
    int depth = atom.depth();
    Map<String, MemorySegment> buffers = Map.of("A", Buffers.normal(atom.operand(), 16L * depth, 1), "B",
        Buffers.normal(atom.operandTypeB(), 8L * depth, 2), "C", Buffers.poisoned(atom.accumulator(), 128));
    int architecture = backend.run(launch(new OneMma(atom), atom.ofBytes() ? Target.SM89 : Target.SM80,
        Map.of("A", List.of(16L, (long) depth), "B", List.of(8L, (long) depth), "C", List.of(16L, 8L))).on(buffers))
        .architecture();
    // In between, mma of 8-bit floats multiplies halves.
    assumeTrue(!atom.ofBytes() || architecture == 89 || architecture >= 120);
    var model = atom.ofBytes() ? TensorCoreModel.mmaOfBytes(architecture, atom.operand(), atom.operandTypeB())
        : TensorCoreModel.mma(architecture, atom.operand(), atom.accumulator());
    var a = new TensorView(atom.operand(), buffers.get("A"), Layout.rowMajor(16, depth));
    var b = new TensorView(atom.operandTypeB(), buffers.get("B"), Layout.rowMajor(8, depth));
    var c = new TensorView(atom.accumulator(), buffers.get("C"), Layout.rowMajor(16, 8));
    for (int m = 0; m < 16; m++) {
      for (int n = 0; n < 8; n++) {
        var x = new long[depth];
        var y = new long[depth];
        for (int k = 0; k < depth; k++) {
          x[k] = a.bits(m + 16L * k);
          y[k] = b.bits(n + 8L * k);
        }
        assertEquals(model.dot(0, x, y), c.bits(m + 16L * n), "element (" + m + "," + n + ") of " + atom);
      }
    }
  }

  /** Loads fragments from global memory by the atom's own layouts, multiplies, stores by them. */
  private record OneMma(MmaAtom atom) implements Kernel {
    @Override
    public String name() {
      return "one_mma";
    }

    @Override
    public void trace(Scope k) {
      var lane = k.block(32);
      var a = fragment(k, lane, "A", atom.operand(), atom.operandA(), 16, "M");
      var b = fragment(k, lane, "B", atom.operandTypeB(), atom.operandB(), 8, "N");
      var c = k.global(TensorSpec.of("C", atom.accumulator(), "M", "N").contiguous("N").aligned(2));
      var sums = new ArrayList<Operand.Register>();
      for (int i = 0; i < atom.accumulatorRegisters(); i++) {
        sums.add(k.newRegister(atom.accumulatorType()));
        k.emit("mov." + atom.accumulatorType().text(), sums.get(i),
            atom.accumulatorType() == PtxType.F32 ? Operand.Float.of(0f) : new Operand.Integer(0));
      }
      atom.multiply(k, a, b, sums);
      var place = Partition.exact(MmaAtom.C, 16, 8);
      int perRegister = 4 / sums.size();
      for (int i = 0; i < sums.size(); i++) {
        k.emit("st.global.b32", c.at(place.coordinate(lane, i * perRegister)).address(), sums.get(i));
      }
    }

    /** Neighbours along k, a register of two or four each. */
    private List<Operand.Register> fragment(Scope k, I32 lane, String name, ElementType type, Layout layout, int rows,
        String rowName) {
      int perRegister = 32 / type.bits();
      var tensor = k.global(TensorSpec.of(name, type, rowName, "K").contiguous("K").aligned(perRegister));
      var place = Partition.exact(layout, rows, atom.depth());
      var registers = new ArrayList<Operand.Register>();
      for (int value = 0; value < place.values(); value += perRegister) {
        var register = k.newRegister(PtxType.B32);
        k.emit("ld.global.b32", register, tensor.at(place.coordinate(lane, value)).address());
        registers.add(register);
      }
      return registers;
    }
  }

  private static void loadMatrices(boolean transposed, Backend backend) {
    Map<String, MemorySegment> buffers = Map.of("A", Buffers.normal(ElementType.F16, 256, 1), "C",
        Buffers.poisoned(ElementType.F16, 256));
    backend.run(launch(new OneLoad(transposed), Map.of("A", List.of(16L, 16L), "C", List.of(32L, 8L))).on(buffers));
    var a = new TensorView(ElementType.F16, buffers.get("A"), Layout.rowMajor(16, 16));
    var c = new TensorView(ElementType.F16, buffers.get("C"), Layout.rowMajor(32, 8));
    for (int lane = 0; lane < 32; lane++) {
      for (int i = 0; i < 8; i++) {
        // PTX ISA, ldmatrix: register r of lane t is row t/4, columns 2(t mod 4) and the next, of matrix r.
        int register = i / 2;
        int inRow = lane / 4;
        int inColumn = lane % 4 * 2 + i % 2;
        int row = (transposed ? inColumn : inRow) + register % 2 * 8;
        int column = (transposed ? inRow : inColumn) + register / 2 * 8;
        assertEquals(a.bits(row + 16L * column), c.bits(lane + 32L * i), "lane " + lane + ", half " + i);
      }
    }
  }

  /** Stages a 16×16 tile in shared memory, loads its quarters, and stores each lane's eight halves as a row. */
  private record OneLoad(boolean transposed) implements Kernel {
    @Override
    public String name() {
      return "one_load";
    }

    @Override
    public void trace(Scope k) {
      var lane = k.block(32);
      var a = k.global(TensorSpec.of("A", ElementType.F16, "M", "K").contiguous("K").aligned(8));
      var c = k.global(TensorSpec.of("C", ElementType.F16, "LANE", "I").contiguous("I").aligned(2));
      var shared = k.shared(ElementType.F16, Layout.rowMajor(16, 16));
      var rows = Partition.exact(Layout.parse("((16,2),8):((1,128),16)"), 16, 16);
      var place = rows.coordinate(lane, 0);
      a.at(place).copyTo(shared.at(place), 8, Optional.empty());
      k.barrier();
      var registers = new ArrayList<Operand.Register>();
      for (int i = 0; i < 4; i++) registers.add(k.newRegister(PtxType.B32));
      // Lane 8r+i hands over row i of matrix r, which is the quarter (r mod 2, r div 2) of the tile either way.
      var lanes = Partition.shared(Layout.of(LdMatrix.A_K_MAJOR.lanes(), Layout.of(1, 0)), 16, 16);
      new LdMatrix(LdMatrix.A_K_MAJOR.lanes(), transposed).load(k, shared.at(lanes.coordinate(lane, 0)), registers);
      for (int i = 0; i < 4; i++) k.emit("st.global.b32", c.at(lane, k.constant(2 * i)).address(), registers.get(i));
    }
  }

  private static PreparedLaunch launch(Kernel kernel, Map<String, List<Long>> tensors) {
    return launch(kernel, Target.SM80, tensors);
  }

  private static PreparedLaunch launch(Kernel kernel, Target target, Map<String, List<Long>> tensors) {
    var compiled = CompiledKernel.compile(kernel, target);
    var arguments = LaunchArguments.of(compiled);
    tensors.forEach((name, extents) ->
        arguments.tensor(name, new LaunchArguments.Tensor(name, 0, extents, List.of(extents.get(1), 1L))));
    return new PreparedLaunch(compiled, Dim3.ONE, arguments.build());
  }
}
