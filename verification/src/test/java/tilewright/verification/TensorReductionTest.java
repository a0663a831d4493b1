package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.Map;
import java.util.function.LongBinaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.async.atom.BulkCopy;
import tilewright.async.atom.Mbarrier;
import tilewright.async.atom.SwizzledRows;
import tilewright.async.atom.TensorCopy.Combination;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.reference.TensorView;
import tilewright.verification.backend.Backend;
import tilewright.verification.backend.GpuBackend;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.Buffers;

/** Blocks that combine their tiles in global memory by tensor copies, all at the same place. */
class TensorReductionTest {
  private static final int BLOCKS = 5;
  private static final int TILE = 64;
  /** Fewer than a tile has, so that boxes lie outside in part. */
  private static final int ROWS = 50;
  private static final int COLUMNS = 56;

  @ParameterizedTest(name = "{0} of {1}")
  @CsvSource({"ADD, F32", "ADD, F16", "ADD, BF16", "ADD, I32", "MIN, F16", "MIN, I32", "MAX, BF16", "MAX, I32"})
  void everyBlocksTileComesOnceInTheSimulator(Combination how, ElementType type) {
    combine(how, type, new SimulatorBackend(1));
  }

  @Tag("gpu")
  @ParameterizedTest(name = "{0} of {1}")
  @CsvSource({"ADD, F32", "ADD, F16", "ADD, BF16", "ADD, I32", "MIN, F16", "MIN, I32", "MAX, BF16", "MAX, I32"})
  void everyBlocksTileComesOnceOnAGpu(Combination how, ElementType type) {
    try (var gpu = GpuBackend.open()) {
      assumeTrue(gpu.refuses("sm90").isEmpty(), () -> gpu.refuses("sm90").orElse(""));
      combine(how, type, gpu);
    }
  }

  /** Small whole numbers, so that no order of the additions rounds. */
  private static void combine(Combination how, ElementType type, Backend backend) {
    var x = new TensorView(type, Buffers.zeros(type, (long) BLOCKS * TILE * COLUMNS),
        Layout.rowMajor(BLOCKS * TILE, COLUMNS));
    var y = new TensorView(type, Buffers.zeros(type, (long) ROWS * COLUMNS), Layout.rowMajor(ROWS, COLUMNS));
    for (int i = 0; i < BLOCKS * TILE * COLUMNS; i++) x.set(i, i * 7 % 13 - 6);
    for (int i = 0; i < ROWS * COLUMNS; i++) y.set(i, i * 5 % 9 - 4);
    var before = y.values();
    var outcome = backend.run(launch(how, type).on(Map.of("X", x.data(), "Y", y.data())));
    assertEquals(List.of(), outcome.findings());
    LongBinaryOperator combined = switch (how) {
      case ADD -> Long::sum;
      case MIN -> Math::min;
      case MAX -> Math::max;
    };
    var values = x.values();
    var after = y.values();
    for (int row = 0; row < ROWS; row++) {
      for (int column = 0; column < COLUMNS; column++) {
        long expected = (long) before[row + ROWS * column];
        for (int block = 0; block < BLOCKS; block++) {
          expected = combined.applyAsLong(expected,
              (long) values[block * TILE + row + BLOCKS * TILE * column]);
        }
        assertEquals(expected, after[row + ROWS * column], "element (" + row + "," + column + ")");
      }
    }
  }

  private record Combined(Combination how, ElementType type) implements Kernel {
    @Override
    public String name() {
      return "combined";
    }

    @Override
    public void trace(Scope k) {
      var leader = k.block(32).equalTo(0);
      var zero = k.constant(0);
      var tile = TensorTile.of(k, tensor("X", "R"), SwizzledRows.alongColumns(type, TILE, TILE, 1));
      var target = TensorTile.over(k, tensor("Y", "M"), tile.shared());
      var landed = Mbarrier.of(k, leader, 1);
      k.when(leader, () -> {
        landed.arriveExpecting(k.constant(tile.bytes()));
        tile.load(k, zero, landed, k.blockX().times(TILE), zero);
        landed.await(zero);
        target.reduce(k, zero, how, zero, zero);
        BulkCopy.commit(k);
        BulkCopy.waitForReads(k, 0);
      });
    }

    private TensorSpec tensor(String name, String rows) {
      return TensorSpec.of(name, type, rows, "N").contiguous("N").aligned(16 / type.bytes());
    }
  }

  private static PreparedLaunch launch(Combination how, ElementType type) {
    var compiled = CompiledKernel.compile(new Combined(how, type), Target.SM90A);
    var arguments = LaunchArguments.of(compiled);
    Map.of("X", BLOCKS * TILE, "Y", ROWS).forEach((name, rows) -> arguments.tensor(name,
        new LaunchArguments.Tensor(name, 0, List.of((long) rows, (long) COLUMNS), List.of((long) COLUMNS, 1L))));
    return new PreparedLaunch(compiled, Dim3.of(BLOCKS), arguments.build());
  }
}
