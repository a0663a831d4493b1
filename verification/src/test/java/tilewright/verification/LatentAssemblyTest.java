package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.decoding.Sm80MlaDecodeKernel;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.attention.serving.Serving;
import tilewright.numerics.ElementType;
import tilewright.sm90.attention.Sm90MlaDecodeKernel;

/** Assembles Hopper's latent attention: without spills, and without serialised {@code wgmma}. */
class LatentAssemblyTest {
  private static final Assembler ASSEMBLER = Assembler.find();
  private static final int BLOCK_BYTES = 232448;

  /** Heads that fill a tile, less than that, and more; pages of a block, of its parts, or none. A sample has five. */
  static List<Arguments> forms() {
    return LongSuite.of(LongSuite.of(Stream.of(128, 16, 24, 1).flatMap(heads -> Stream.of(64, 0, 16).flatMap(page ->
        Stream.of(Band.CAUSAL, Band.ALL, Band.window(1000, 0)).flatMap(band -> Stream.of("4", "1", "balanced")
            .map(splits -> Arguments.of(heads, page, band, splits))))).toList()));
  }

  /** Heads with tokens of their own queries, in divisions of these. A sample has the most registers. */
  @ParameterizedTest(name = "{0} heads, splits: {1}")
  @CsvSource({"128, balanced", "16, balanced", "128, 4", "24, 1", "1, 4"})
  void gatheringSpillsNoRegisters(int heads, String splits) {
    if (!LongSuite.EVERY_CASE && !splits.equals("balanced")) return;
    var problem = AttentionProblem.latent(ElementType.BF16, 4, 2, 2048, heads, 576, 512)
        .choosing(new Serving.Tokens("indices", 64, 4096));
    assemble(problem.with(problem.serving().with(KeySplits.parse(splits)).withLengths("used")));
  }

  @ParameterizedTest(name = "{0} heads, pages of {1}, {2}, splits: {3}")
  @MethodSource("forms")
  void noRegistersAreSpilledAndTilesFitSharedMemory(int heads, int page, Band band, String splits) {
    var plain = AttentionProblem.latent(page == 0 ? ElementType.F16 : ElementType.BF16, 4, 2, 8192, heads, 576, 512)
        .with(band);
    var cache = plain.with(plain.serving().with(KeySplits.parse(splits)).withLengths("used"));
    var problem = page == 0 ? cache : cache.paged(new Serving.Pages("table", page, 4096));
    assemble(problem);
  }

  /** The kernel for any GPU, in the tiles of 64 rows that Hopper and Blackwell hold. */
  @ParameterizedTest
  @ValueSource(ints = {90, 100, 103})
  void tilesOf64RowsSpillNoRegisters(int capability) {
    var plain = AttentionProblem.latent(ElementType.BF16, 1, 1, 3000, 64, 576, 512);
    var problem = plain.with(plain.serving().with(KeySplits.parse("auto")).withLengths("used"))
        .paged(new Serving.Pages("table", 64, 64));
    assemble(new Sm80MlaDecodeKernel().on(capability), problem, "sm_" + capability);
  }

  private static void assemble(AttentionProblem problem) {
    assemble(new Sm90MlaDecodeKernel(), problem, "sm_90a");
  }

  private static void assemble(AttentionKernel decoding, AttentionProblem problem, String target) {
    var kernel = decoding.launches(problem).launches().stream().map(PreparedLaunch::kernel)
        .filter(of -> of.name().startsWith(decoding.name())).findFirst().orElseThrow();
    assertTrue(kernel.dynamicSharedBytes() <= BLOCK_BYTES, kernel.dynamicSharedBytes() + " bytes");
    switch (ASSEMBLER.assemble(kernel.ptx(), target)) {
      case Assembly.Assembled assembled -> {
        assertEquals(List.of(), assembled.warnings());
        assertEquals(0, assembled.resources().getFirst().spillStoreBytes());
      }
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }
}
