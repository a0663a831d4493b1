package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.decoding.Sm80DecodeAttentionKernel;
import tilewright.kernels.attention.decoding.Sm80MlaDecodeKernel;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.attention.serving.Serving;
import tilewright.numerics.ElementType;

/** Assembles decoding in the tiles of every head dimension and number of rows, for every architecture. */
class DecodeAssemblyTest {
  private static final Assembler ASSEMBLER = Assembler.find();
  /** Shared memory of a CTA by compute capability. */
  private static final Map<Integer, Integer> SHARED_BYTES = Map.of(80, 166912, 86, 101376, 89, 101376, 90, 232448, 100,
      232448, 120, 101376);

  /** Forms of the kernel; a sample has one in sixteen. */
  static List<Arguments> forms() {
    var all = Stream.of(256, 128, 192, 64, 96).flatMap(dim -> Stream.of(16, 1, 8).flatMap(queries ->
        Stream.of(true, false).flatMap(codes -> Stream.of(true, false).flatMap(paged ->
            Stream.of(90, 86, 80, 89, 120, 100).map(gpu -> Arguments.of(dim, queries, codes, paged, gpu)))))).toList();
    return LongSuite.of(LongSuite.of(all));
  }

  @ParameterizedTest(name = "head dimension {0}, {1} queries, codes: {2}, pages: {3}, sm{4}")
  @MethodSource("forms")
  void noRegistersAreSpilledAndTilesFitSharedMemory(int dim, int queries, boolean codes, boolean paged,
      int capability) {
    var plain = AttentionProblem.dense(ElementType.BF16, new Sizes(2, queries, 8192, 8, 2, dim, dim));
    var serving = Serving.NONE.with(new KeySplits.Ranges(4));
    var split = plain.with(codes ? serving.with(Serving.Codes.perHead(2)) : serving);
    var most = split.with(Band.window(1000, 0)).with(Modification.NONE.then(ScoreMod.softcap(30)))
        .with(split.serving().withLengths("used")).paged(new Serving.Pages("table", 16, 2048));
    var problem = paged ? most : split;
    var kernel = new Sm80DecodeAttentionKernel(capability).launches(problem).launches().getFirst().kernel();
    assertTrue(kernel.dynamicSharedBytes() <= SHARED_BYTES.get(capability));
    assertSpillsNothing(kernel.ptx(), "sm_" + capability + (capability < 90 ? "" : "a"));
  }

  /** Balanced splits, whose tiles have two places of results, in the largest tiles that have them. */
  @ParameterizedTest(name = "head dimension {0}, {1} queries, sm{2}")
  @CsvSource({"128, 16, 90", "256, 8, 90", "256, 8, 80", "192, 16, 80"})
  void balancedSplitsSpillNothing(int dim, int queries, int capability) {
    var plain = AttentionProblem.dense(ElementType.BF16, new Sizes(2, queries, 8192, 8, 2, dim, dim)).with(Band.CAUSAL);
    var problem = plain.with(plain.serving().with(new KeySplits.Balanced()).withLengths("used"));
    var kernel = new Sm80DecodeAttentionKernel(capability).launches(problem).launches().get(1).kernel();
    assertSpillsNothing(kernel.ptx(), "sm_" + capability + (capability < 90 ? "" : "a"));
  }

  /** Factors of tokens, which come with each block's keys and values. */
  @ParameterizedTest(name = "head dimension {0}, {1} queries, pages: {2}, sm{3}")
  @CsvSource({"128, 16, true, 90", "256, 1, true, 80", "64, 8, true, 89", "192, 16, false, 80", "192, 1, false, 80"})
  void factorsOfTokensSpillNothing(int dim, int queries, boolean paged, int capability) {
    var plain = AttentionProblem.dense(ElementType.BF16, new Sizes(2, queries, 8192, 8, 2, dim, dim)).with(Band.CAUSAL);
    var split = plain.with(plain.serving().with(new KeySplits.Ranges(4)).withLengths("used")
        .with(Serving.Codes.perToken(paged ? 16 : 8192, 2)));
    var problem = paged ? split.paged(new Serving.Pages("table", 16, 2048)) : split;
    var kernel = new Sm80DecodeAttentionKernel(capability).launches(problem).launches().getFirst().kernel();
    assertSpillsNothing(kernel.ptx(), "sm_" + capability + (capability < 90 ? "" : "a"));
  }

  /** Forms of latent attention; a sample has one in sixteen. */
  static List<Arguments> latentForms() {
    var all = Stream.of(80, 90, 86, 100, 89, 120).flatMap(gpu -> Stream.of(64, 16, 32).flatMap(rows ->
        Stream.of(512, 128).flatMap(dim ->
            Stream.of("paged, balanced", "plain", "chosen, balanced", "all", "all, balanced", "chosen")
                .map(form -> Arguments.of(dim, rows, form, gpu))))).toList();
    return LongSuite.of(LongSuite.of(all));
  }

  @ParameterizedTest(name = "{0} columns of V, {1} rows, {2}, sm{3}")
  @MethodSource("latentForms")
  void latentAttentionSpillsNothing(int dim, int rows, String form, int capability) {
    boolean chosen = form.startsWith("chosen");
    int queries = chosen ? 1 : 2;
    var plain = AttentionProblem.latent(rows == 32 ? ElementType.F16 : ElementType.BF16, 4, queries, 8192,
        rows / queries, dim + 64, dim);
    var split = plain.with(plain.serving().with(KeySplits.parse(form.endsWith("balanced") ? "balanced" : "4"))
        .withLengths("used"));
    var problem = chosen ? split.choosing(new Serving.Tokens("indices", 64, 2048))
        : form.startsWith("paged") ? split.with(Band.CAUSAL).paged(new Serving.Pages("table", 16, 2048))
        : form.startsWith("all") ? split.with(Band.window(1000, 0)).withSinks("sinks")
            .with(Modification.NONE.then(ScoreMod.softcap(30))).with(split.serving().withPadding("padding")) : split;
    var kernel = new Sm80MlaDecodeKernel(capability).launches(problem).launches().stream().map(PreparedLaunch::kernel)
        .filter(of -> of.name().startsWith("sm80_mla_decode")).findFirst().orElseThrow();
    assertTrue(kernel.dynamicSharedBytes() <= SHARED_BYTES.get(capability));
    assertSpillsNothing(kernel.ptx(), "sm_" + capability + (capability < 90 ? "" : "a"));
  }

  private static void assertSpillsNothing(String ptx, String target) {
    switch (ASSEMBLER.assemble(ptx, target)) {
      case Assembly.Assembled assembled -> {
        assertEquals(List.of(), assembled.warnings());
        assertEquals(0, assembled.resources().getFirst().spillStoreBytes(), target);
      }
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }
}
