package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.async.collective.ClusterShape;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm90.Sm90GemmConfig.Operands;
import tilewright.sm90.Sm90GemmConfig.TileShape;
import tilewright.sm90.Sm90GemmConfig;
import tilewright.sm90.Sm90Gemms;
import tilewright.sm90.Variant;
import tilewright.verification.cases.GemmCases;

/** Tiles cut along k for several CTAs: which parts there are is part of what each sum is, bit for bit. */
class StreamKTest {
  private static final int SEEDS = 5;

  private static GemmProblem problem(int m, int n, int k, int batch) {
    return GemmProblem.packed(ElementType.BF16, ElementType.F32, m, n, k, batch, "TN");
  }

  private static Sm90GemmConfig config(GemmProblem p, int consumers, ClusterShape cluster) {
    return new Sm90GemmConfig(Operands.alongK(p.types()), new TileShape(64 * consumers, 64, 64), consumers, 2, cluster,
        2, 1, Variant.PLAIN.with(Variant.Order.STREAM_K));
  }

  /**
   * Fewer tiles than workers, by two and by more, some of which have nothing; waves and a rest, with and without parts;
   * a full wave; a batch; two consumers; clusters; tails in every extent; parts of unlike lengths; too few steps.
   */
  @ParameterizedTest
  @CsvSource({"64, 64, 640, 1, 2, 1, 1", "72, 64, 1096, 1, 11, 1, 1", "64, 320, 520, 1, 4, 1, 1",
      "64, 320, 520, 1, 3, 1, 1", "64, 192, 520, 1, 3, 1, 1", "64, 328, 584, 2, 5, 1, 1",
      "128, 72, 968, 1, 5, 2, 1", "136, 136, 712, 1, 8, 1, 2", "128, 64, 1096, 1, 8, 1, 2", "64, 64, 192, 1, 3, 1, 1"})
  void sumsAreThoseOfTheirPartsUnderEverySchedule(int m, int n, int k, int batch, int blocks, int consumers,
      int cluster) {
    var p = problem(m, n, k, batch);
    var config = config(p, consumers, new ClusterShape(cluster, 1, 1));
    var prepared = Sm90Gemms.prepare(p, config);
    var launch = new PreparedLaunch(prepared.kernel(), Dim3.of(blocks), prepared.arguments(), config.scratch(blocks));
    var given = GemmCases.hopper(p, config, () -> launch, "shared tail", Set.of("sim"), 3);
    for (long seed = 0; seed < SEEDS; seed++) {
      var run = CheckedRun.bitExact(launch, given, seed);
      assertArrayEquals(new int[blocks * consumers], run.buffers().get("flags").toArray(ValueLayout.JAVA_INT),
          "flags are left as the next launch needs them");
    }
  }

  /** Integers are added as integers, and the sums of a part of k that leave the tensor core on the way are exact. */
  @ParameterizedTest
  @CsvSource({"I8, I32, FAST", "I8, BF16, FAST", "E4M3, BF16, EXACT", "E5M2, F32, EXACT"})
  void sumsOfBytesAreAddedInTheirType(ElementType operand, ElementType output, Accumulation accumulation) {
    var p = GemmProblem.packed(new GemmTypes(operand, operand, output, accumulation), 72, 80, 1488, 1, "TN");
    for (var tile : List.of("64x96x4-transposed-shared-tail", "128x128x4-transposed-shared-tail",
        "64x64x1-split2-transposed", "64x32x1-split4-transposed")) {
      var config = Sm90Gemms.configure(p, tile);
      var launch = Sm90Gemms.prepare(p, config);
      CheckedRun.bitExact(launch, GemmCases.hopper(p, config, () -> launch, tile, Set.of("sim"), 5), 1);
    }
  }

  @Test
  void thereIsNothingToShareWithoutK() {
    var p = problem(16, 16, 0, 1);
    var refusal = assertThrows(IllegalArgumentException.class,
        () -> Sm90Gemms.prepare(p, config(p, 1, new ClusterShape(1, 1, 1))));
    assertTrue(refusal.getMessage().startsWith("K is 0"), refusal.getMessage());
  }
}
