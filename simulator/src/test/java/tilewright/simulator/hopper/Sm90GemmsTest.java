package tilewright.simulator.hopper;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.ptx.Launch;
import tilewright.simulator.Finding;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.tensorcore.ExactDot;
import tilewright.simulator.witness.WgmmaGemm;

/** A warp-specialised GEMM with multicast tensor copies: bit for bit by definition, clean, and its breakages found. */
class Sm90GemmsTest {
  private static final int ROWS = WgmmaGemm.CLUSTER_ROWS;
  private static final int COLUMNS = WgmmaGemm.CLUSTER_COLUMNS;
  private static final int TILE = WgmmaGemm.DEPTH;
  /** The SHA-256 of the sums that an H200 left, five tiles deep. */
  private static final String OF_AN_H200 = "deae6e33486e50a2747e82f30036582403a58878f24ee15b575c852a5cef4b8b";
  private static final SimulatorOptions WATCHED = SimulatorOptions.defaults().withSanitizer(true);

  private static String digest(int[] values) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256")
          .digest(MemorySegment.ofArray(values).toArray(ValueLayout.JAVA_BYTE)));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
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

  private static SimulationResult run(short[] a, short[] b, int[] c, int depth, SimulatorOptions options) {
    return run(launch(a, b, c, depth), options);
  }

  private static SimulationResult run(Launch launch, SimulatorOptions options) {
    return Simulator.load(launch.ptx()).run(launch, options);
  }

  private static Launch launch(short[] a, short[] b, int[] c, int depth) {
    return WgmmaGemm.launch(ROWS, COLUMNS, depth, MemorySegment.ofArray(a), MemorySegment.ofArray(b),
        MemorySegment.ofArray(c));
  }

  private static int[] row(short[] matrix, int row, int depth) {
    int[] values = new int[depth];
    for (int k = 0; k < depth; k++) values[k] = matrix[row * depth + k] & 0xFFFF;
    return values;
  }

  @Test
  void everyOutputOfSeveralClustersIsTheDefinition() {
    int rows = 2 * ROWS;
    int columns = 2 * COLUMNS;
    int depth = 3 * TILE;
    var a = random(rows * depth, 1);
    var b = random(columns * depth, 2);
    var c = new int[rows * columns];
    var launch = WgmmaGemm.launch(rows, columns, depth, MemorySegment.ofArray(a), MemorySegment.ofArray(b),
        MemorySegment.ofArray(c));
    assertEquals(List.of(), run(launch, WATCHED).findings());
    var dot = new ExactDot(25, 16, -133, 23);
    var bf16 = ExactDot.Format.of("bf16");
    for (int row = 0; row < rows; row += 19) {
      for (int n = 0; n < columns; n++) {
        assertEquals(dot.sum(0, row(a, row, depth), bf16, row(b, n, depth), bf16), c[row * columns + n],
            row + ", " + n);
      }
    }
  }

  @Test
  void sizesThatAreNotWholeTilesAreRefused() {
    var none = MemorySegment.ofArray(new byte[0]);
    for (int[] size : new int[][] {{128, 128, 64}, {256, 64, 64}, {256, 128, 32}, {0, 128, 64}}) {
      assertThrows(IllegalArgumentException.class,
          () -> WgmmaGemm.launch(size[0], size[1], size[2], none, none, none));
    }
  }

  @Test
  void everyScheduleGivesWhatAnH200GaveAndIsClean() {
    int depth = 5 * TILE;
    var a = random(ROWS * depth, 3);
    var b = random(COLUMNS * depth, 4);
    var first = new int[ROWS * COLUMNS];
    run(a, b, first, depth, SimulatorOptions.defaults());
    assertEquals(OF_AN_H200, digest(first), "SHA-256");
    for (long seed = 1; seed < 12; seed++) {
      var c = new int[first.length];
      assertEquals(List.of(), run(a, b, c, depth, WATCHED.withSeed(seed)).findings(), "seed " + seed);
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
        Arguments.of("[%full], 32768;", "[%full], 32784;", Finding.Kind.DEADLOCK,
            "transaction count 16 (bytes expected that nothing brings)"),
        Arguments.of("fence.mbarrier_init.release.cluster;", "", Finding.Kind.RACE, "initialises at line"),
        Arguments.of("mbarrier.try_wait.parity.shared::cta.b64 %q, [%full], %parity;\n  @!%q bra LOADED;", "",
            Finding.Kind.PENDING_COPY_READ, "wait for the phase of the mbarrier"),
        Arguments.of("wgmma.wait_group.sync.aligned 0;", "", Finding.Kind.RACE,
            "the source of an asynchronous operation"),
        Arguments.of("bar.sync %r10, 128;", "", Finding.Kind.RACE, "with nothing that orders the two"),
        Arguments.of("setmaxnreg.inc.sync.aligned.u32 232;", "setmaxnreg.inc.sync.aligned.u32 256;",
            Finding.Kind.DEADLOCK, "the block's register pool has"));
  }

  @ParameterizedTest
  @MethodSource("breakages")
  void whatBreaksItIsFoundUnderEverySeed(String piece, String replacement, Finding.Kind kind, String text) {
    int depth = 4 * TILE;
    var l = launch(random(ROWS * depth, 3), random(COLUMNS * depth, 4), new int[ROWS * COLUMNS], depth);
    assertTrue(l.ptx().contains(piece), piece);
    var broken = new Launch(l.ptx().replace(piece, replacement), l.entry(), l.grid(), l.block(), l.cluster(),
        l.dynamicSharedBytes(), l.buffers(), l.arguments());
    for (long seed = 0; seed < 3; seed++) {
      var findings = run(broken, WATCHED.withSeed(seed)).findings();
      assertTrue(findings.stream().anyMatch(f -> f.kind() == kind && f.toString().contains(text)),
          () -> kind + " '" + text + "' is not among " + findings);
    }
  }
}
