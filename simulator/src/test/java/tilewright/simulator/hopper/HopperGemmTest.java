package tilewright.simulator.hopper;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorView;
import tilewright.simulator.Finding;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.tensorcore.ExactDot;

/** A warp-specialised GEMM with multicast tensor copies: bit for bit by definition, clean, and its breakages found. */
class HopperGemmTest {
  private static final int ROWS = 256;
  private static final int COLUMNS = 128;
  private static final int TILE = 64;
  private static final SimulatorOptions WATCHED = SimulatorOptions.defaults().withSanitizer(true);

  private static String ptx() throws IOException {
    try (var in = HopperGemmTest.class.getResourceAsStream("gemm.ptx")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static short[] random(int count, long seed) {
    var random = new Random(seed);
    var values = new short[count];
    for (int i = 0; i < count; i++) {
      float value = (float) Math.scalb(random.nextGaussian(), random.nextInt(6) - 3);
      values[i] = (short) (Float.floatToRawIntBits(value) >>> 16);
    }
    return values;
  }

  private static Launch.Argument map(String buffer, TensorElement element, long inner, long outer, SwizzleMode swizzle,
      int... box) {
    var view = TensorView.of(element, List.of(inner, outer), List.of(inner * element.bits() / Byte.SIZE));
    return new Launch.Argument.TensorMapOf(new Launch.Argument.Buffer(buffer),
        new TensorMap.Tiled(view.withSwizzle(swizzle), List.of(box[0], box[1])));
  }

  private static SimulationResult run(String ptx, short[] a, short[] b, int[] c, int depth, SimulatorOptions options) {
    var swizzle = SwizzleMode.B128;
    var arguments = List.of(map("a", TensorElement.BF16, depth, ROWS, swizzle, TILE, 128),
        map("b", TensorElement.BF16, depth, COLUMNS, swizzle, TILE, 64),
        map("c", TensorElement.F32, COLUMNS, ROWS, SwizzleMode.NONE, COLUMNS, 64),
        Launch.Argument.u32(depth / TILE));
    var launch = new Launch(ptx, "k", Dim3.of(2), Dim3.of(384), Dim3.of(2), 131072 + 32, Map.of("a",
        MemorySegment.ofArray(a), "b", MemorySegment.ofArray(b), "c", MemorySegment.ofArray(c)), arguments);
    return Simulator.load(ptx).run(launch, options);
  }

  private static int[] row(short[] matrix, int row, int depth) {
    int[] values = new int[depth];
    for (int k = 0; k < depth; k++) values[k] = matrix[row * depth + k] & 0xFFFF;
    return values;
  }

  @Test
  void everyOutputIsTheDefinition() throws IOException {
    int depth = 3 * TILE;
    var a = random(ROWS * depth, 1);
    var b = random(COLUMNS * depth, 2);
    var c = new int[ROWS * COLUMNS];
    assertEquals(List.of(), run(ptx(), a, b, c, depth, WATCHED).findings());
    var dot = new ExactDot(25, 16, -133, 23);
    var bf16 = ExactDot.Format.of("bf16");
    for (int row = 0; row < ROWS; row += 5) {
      for (int n = 0; n < COLUMNS; n++) {
        assertEquals(dot.sum(0, row(a, row, depth), bf16, row(b, n, depth), bf16), c[row * COLUMNS + n],
            row + ", " + n);
      }
    }
  }

  @Test
  void everyScheduleGivesTheSameAndIsClean() throws IOException {
    int depth = 5 * TILE;
    var a = random(ROWS * depth, 3);
    var b = random(COLUMNS * depth, 4);
    var first = new int[ROWS * COLUMNS];
    run(ptx(), a, b, first, depth, SimulatorOptions.defaults());
    for (long seed = 1; seed < 12; seed++) {
      var c = new int[first.length];
      assertEquals(List.of(), run(ptx(), a, b, c, depth, WATCHED.withSeed(seed)).findings(), "seed " + seed);
      assertArrayEquals(first, c, "seed " + seed);
    }
  }

  /** What is broken by replacing a piece of the text, and what is said then. */
  static Stream<Arguments> breakages() {
    return Stream.of(
        Arguments.of("fence.proxy.async.shared::cta;", "", Finding.Kind.MISSING_PROXY_FENCE, "add fence.proxy.async"),
        Arguments.of("wgmma.wait_group.sync.aligned 0;", "wgmma.wait_group.sync.aligned 1;",
            Finding.Kind.REGISTER_IN_FLIGHT, "holds sums of the wgmma"),
        Arguments.of("wgmma.fence.sync.aligned;", "", Finding.Kind.MISSING_FENCE, "no wgmma.fence came before it"),
        Arguments.of("[%full], 32768;", "[%full], 32784;", Finding.Kind.BARRIER_DIVERGENCE,
            "transaction count 16 (bytes expected that nothing brings)"),
        Arguments.of("fence.mbarrier_init.release.cluster;", "", Finding.Kind.RACE, "initialises at line"),
        Arguments.of("mbarrier.try_wait.parity.shared::cta.b64 %q, [%full], %parity;\n  @!%q bra LOADED;", "",
            Finding.Kind.PENDING_COPY_READ, "wait for the phase of the mbarrier"),
        Arguments.of("wgmma.wait_group.sync.aligned 0;", "", Finding.Kind.RACE,
            "the source of an asynchronous operation"),
        Arguments.of("bar.sync %r10, 128;", "", Finding.Kind.RACE, "with nothing that orders the two"),
        Arguments.of("setmaxnreg.inc.sync.aligned.u32 232;", "setmaxnreg.inc.sync.aligned.u32 256;",
            Finding.Kind.BARRIER_DIVERGENCE, "the block's register pool has"));
  }

  @ParameterizedTest
  @MethodSource("breakages")
  void whatBreaksItIsFoundUnderEverySeed(String piece, String replacement, Finding.Kind kind, String text)
      throws IOException {
    assertTrue(ptx().contains(piece), piece);
    var broken = ptx().replace(piece, replacement);
    int depth = 4 * TILE;
    for (long seed = 0; seed < 3; seed++) {
      var findings = run(broken, random(ROWS * depth, 3), random(COLUMNS * depth, 4), new int[ROWS * COLUMNS], depth,
          WATCHED.withSeed(seed)).findings();
      assertTrue(findings.stream().anyMatch(f -> f.kind() == kind && f.toString().contains(text)),
          () -> kind + " '" + text + "' is not among " + findings);
    }
  }
}
