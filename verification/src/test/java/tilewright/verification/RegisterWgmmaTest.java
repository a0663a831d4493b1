package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.async.atom.Mbarrier;
import tilewright.async.atom.SwizzledRows;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.reference.TensorView;
import tilewright.sm90.atom.RegisterOperand;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.RegisterWgmma;
import tilewright.sm90.collective.TiledWgmma;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Buffers;

/** Two products one after the other, D = (A·Bᵀ)·C, whose middle stays in registers. */
class RegisterWgmmaTest {
  private static final int M = 64;
  private static final int K = 64;

  @ParameterizedTest(name = "{0}, {1} columns and then {2}")
  @CsvSource({"BF16, 16, 64", "F16, 48, 64", "BF16, 176, 128"})
  void theSecondProductTakesTheFirstAsOperandA(ElementType type, int middle, int columns) {
    // Small whole numbers, so that every sum and rounding is exact.
    var a = new long[M * K];
    var b = new long[middle * K];
    var c = new long[middle * columns];
    for (int i = 0; i < a.length; i++) a[i] = (i * 7 + i / K) % 3 - 1;
    for (int i = 0; i < b.length; i++) b[i] = (i * 5 + i / K) % 3 - 1;
    for (int i = 0; i < c.length; i++) c[i] = (i * 11 + i / columns) % 5 - 2;
    var buffers = Map.of("A", buffer(type, a), "B", buffer(type, b), "C", buffer(type, c), "D",
        Buffers.poisoned(ElementType.F32, (long) M * columns));
    var outcome = new SimulatorBackend(1).run(launch(new Chain(type, middle, columns)).on(buffers));
    assertEquals(List.of(), outcome.findings());
    var d = new TensorView(ElementType.F32, buffers.get("D"), Layout.rowMajor(M, columns)).values();
    for (int row = 0; row < M; row++) {
      for (int column = 0; column < columns; column++) {
        long sum = 0;
        for (int j = 0; j < middle; j++) {
          long score = 0;
          for (int i = 0; i < K; i++) score += a[row * K + i] * b[j * K + i];
          sum += score * c[j * columns + column];
        }
        assertEquals(sum, d[row + M * column], "element (" + row + "," + column + ")");
      }
    }
  }

  private static MemorySegment buffer(ElementType type, long[] values) {
    var buffer = Buffers.poisoned(type, values.length);
    var view = new TensorView(type, buffer, Layout.of(values.length, 1));
    for (int i = 0; i < values.length; i++) view.set(i, values[i]);
    return buffer;
  }

  private record Chain(ElementType type, int middle, int columns) implements Kernel {
    @Override
    public String name() {
      return "chain";
    }

    @Override
    public void trace(Scope k) {
      var thread = k.block(Warpgroup.SIZE);
      var zero = k.constant(0);
      var a = tile(k, "A", "M", "K", "K", SwizzledRows.alongColumns(type, M, K, 1));
      var b = tile(k, "B", "J", "K", "K", SwizzledRows.alongColumns(type, middle, K, 1));
      var c = tile(k, "C", "N", "J", "N", SwizzledRows.alongRows(type, columns, middle, 1));
      var d = k.global(TensorSpec.of("D", ElementType.F32, "M", "N").contiguous("N").aligned(2));
      var landed = Mbarrier.of(k, thread.equalTo(0), 1);
      k.when(thread.equalTo(0), () -> {
        landed.arriveExpecting(k.constant(a.bytes() + b.bytes() + c.bytes()));
        for (var tile : List.of(a, b, c)) tile.load(k, zero, landed, zero, zero);
      });
      landed.await(zero);

      var first = TiledWgmma.of(type, a.shared().layout(), b.shared().layout(), 1);
      var second = RegisterWgmma.of(type, c.shared().layout());
      var scores = first.accumulators(k);
      WgmmaAtom.fence(k);
      first.issue(k, zero, a.shared(), zero, b.shared(), zero, scores, false);
      WgmmaAtom.commit(k);
      WgmmaAtom.waitFor(k, 0);
      var operand = RegisterOperand.of(new WgmmaAtom(type, middle), second.atom());
      var rounded = operand.registers(k);
      operand.round(k, scores.registers().stream().map(k::result).toList(), rounded);
      var sums = second.accumulators(k);
      WgmmaAtom.fence(k);
      second.issue(k, rounded, c.shared(), zero, sums, false);
      WgmmaAtom.commit(k);
      WgmmaAtom.waitFor(k, 0);
      var partition = second.atom().partition();
      for (int value = 0; value < partition.values(); value++) {
        d.at(partition.coordinate(thread, value)).store(k.result(sums.group(value / 4).get(value % 4)));
      }
    }

    private TensorTile tile(Scope k, String name, String rows, String depth, String contiguous,
        OffsetMap layout) {
      return TensorTile.of(k, TensorSpec.of(name, type, rows, depth).contiguous(contiguous).aligned(8), layout);
    }
  }

  private static PreparedLaunch launch(Chain chain) {
    var compiled = CompiledKernel.compile(chain, Target.SM90A);
    long middle = chain.middle();
    long columns = chain.columns();
    var arguments = LaunchArguments.of(compiled)
        .tensor("A", new LaunchArguments.Tensor("A", 0, List.of((long) M, (long) K), List.of((long) K, 1L)))
        .tensor("B", new LaunchArguments.Tensor("B", 0, List.of(middle, (long) K), List.of((long) K, 1L)))
        .tensor("C", new LaunchArguments.Tensor("C", 0, List.of(columns, middle), List.of(1L, columns)))
        .tensor("D", new LaunchArguments.Tensor("D", 0, List.of((long) M, columns), List.of(columns, 1L)));
    return new PreparedLaunch(compiled, Dim3.ONE, arguments.build());
  }
}
