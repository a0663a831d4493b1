package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.decoding.Sm80MlaDecodeKernel;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.attention.serving.Serving;
import tilewright.kernels.library.AttentionKernels;
import tilewright.numerics.ElementType;
import tilewright.sm90.attention.Sm90MlaDecodeKernel;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.AttentionCheck;
import tilewright.verification.cases.Buffers;
import tilewright.verification.cases.CachedAttention;
import tilewright.verification.cases.ChosenTokens;
import tilewright.verification.cases.LatentAttention;

/** Latent attention on rows whose V has 128 columns: those of 512 are cases of {@code verify}. */
class LatentAttentionTest {
  private static final Sm90MlaDecodeKernel HOPPER = new Sm90MlaDecodeKernel();
  private static final int DIM = 128;

  private static AttentionCases.Setup setup(int batch, int queries, int keys, int heads, Band band, KeySplits splits) {
    return LatentAttention.of(ElementType.BF16, batch, queries, keys, heads, DIM, band, splits);
  }

  /** In pages of 24 rows, of which few are there. */
  private static AttentionCases.Setup chosen(AttentionCases.Setup setup) {
    return ChosenTokens.of(setup, 24, 4);
  }

  /** Hopper's, and that of all GPUs in the tiles of an A100 and of one with less shared memory. */
  static List<AttentionKernel> kernels() {
    return List.of(HOPPER, new Sm80MlaDecodeKernel(), new Sm80MlaDecodeKernel(86));
  }

  private static Map<String, MemorySegment> buffers(AttentionKernel kernel, AttentionCases.Setup setup) {
    return Buffers.withWorkspace(kernel.launches(setup.problem()), AttentionCases.buffers(kernel, setup, 11));
  }

  /** Runs on fresh buffers, whose workspace is poisoned. */
  private static Map<String, MemorySegment> run(AttentionKernel kernel, AttentionCases.Setup setup, long seed) {
    var buffers = buffers(kernel, setup);
    for (var launch : kernel.launches(setup.problem()).on(buffers)) {
      assertEquals(List.of(), new SimulatorBackend(seed).run(launch).findings());
    }
    return buffers;
  }

  /** Every kernel's caches; a sample has others of each. */
  static List<Arguments> caches() {
    var all = new ArrayList<Arguments>();
    for (var kernel : kernels()) {
      var ofKernel = new ArrayList<>(setups());
      Collections.rotate(ofKernel, kernels().indexOf(kernel));
      for (var of : ofKernel) all.add(Arguments.of(kernel, of.get()[0], of.get()[1]));
    }
    return LongSuite.of(all);
  }

  private static List<Arguments> setups() {
    var used = LatentAttention.used(setup(3, 2, 300, 32, Band.CAUSAL, new KeySplits.Ranges(2)), 257, 1, 0);
    return List.of(Arguments.of("one head", setup(1, 3, 130, 1, Band.ALL, new KeySplits.Ranges(1))),
        Arguments.of("heads that leave rows empty", setup(1, 3, 70, 24, Band.CAUSAL, new KeySplits.Ranges(1))),
        Arguments.of("several tiles of heads and queries",
            LatentAttention.used(setup(2, 2, 200, 96, Band.window(70, 0), new KeySplits.Fixed(64)), 200, 65)),
        Arguments.of("no keys", setup(1, 1, 0, 16, Band.ALL, new KeySplits.Ranges(1))),
        Arguments.of("pages of a block", CachedAttention.paged(used, 64)),
        Arguments.of("pages of several blocks", CachedAttention.paged(used, 128)),
        Arguments.of("pages of a part of a block", CachedAttention.paged(used, 24)),
        Arguments.of("chosen tokens of several queries",
            chosen(setup(2, 3, 150, 16, Band.ALL, new KeySplits.Ranges(1)))),
        Arguments.of("chosen tokens in splits", chosen(setup(4, 1, 200, 96, Band.ALL, new KeySplits.Fixed(64)))),
        Arguments.of("no chosen tokens", chosen(setup(1, 1, 0, 16, Band.ALL, new KeySplits.Ranges(1)))),
        Arguments.of("chosen tokens in shares", chosen(LatentAttention.used(setup(3, 2, 400, 16, Band.ALL,
            new KeySplits.Balanced()), 400, 0, 65))),
        Arguments.of("chosen tokens of one head", chosen(setup(1, 2, 64, 1, Band.ALL, new KeySplits.Ranges(1)))));
  }

  @ParameterizedTest(name = "{1}, {0}")
  @MethodSource("caches")
  void everyEntryIsTheReferences(AttentionKernel kernel, String name, AttentionCases.Setup setup) {
    var buffers = run(kernel, setup, name.length());
    assertEquals(Optional.empty(),
        AttentionCheck.compare(setup.problem(), setup.rules(), buffers, buffers).violation());
  }

  @ParameterizedTest(name = "B={0} Sq={1} H={2}")
  @CsvSource({"0, 1, 16", "2, 0, 16", "2, 1, 0"})
  void nothingIsWrittenWhereThereAreNoRows(int batch, int queries, int heads) {
    for (var kernel : kernels()) run(kernel, setup(batch, queries, 70, heads, Band.CAUSAL, new KeySplits.Fixed(64)), 1);
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void fixedSplitsDependNeitherOnTheRoomNorOnTheBatch(AttentionKernel kernel) {
    var splits = new KeySplits.Fixed(64);
    var alone = run(kernel, LatentAttention.used(setup(1, 1, 150, 4, Band.ALL, splits), 150), 1);
    var beside = run(kernel, LatentAttention.used(setup(3, 1, 150, 4, Band.ALL, splits), 150, 5, 0), 2);
    long bytes = 4 * DIM * ElementType.BF16.bytes();
    assertEquals(-1, alone.get("O").mismatch(beside.get("O").asSlice(0, bytes)));
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void oneSplitHasTheBitsOfTheKernelWithoutSplits(AttentionKernel kernel) {
    var split = run(kernel, setup(1, 2, 130, 4, Band.CAUSAL, new KeySplits.Fixed(192)), 1);
    var whole = run(kernel, setup(1, 2, 130, 4, Band.CAUSAL, new KeySplits.Ranges(1)), 1);
    assertEquals(-1, split.get("O").mismatch(whole.get("O")));
    assertEquals(-1, split.get("LSE").mismatch(whole.get("LSE")));
  }

  @ParameterizedTest(name = "page {0}")
  @ValueSource(ints = {-1, 7})
  void numbersThatAreNoPagesStopTheLaunch(int page) {
    var setup = CachedAttention.paged(LatentAttention.used(setup(2, 1, 130, 4, Band.ALL, new KeySplits.Ranges(1)), 1,
        130), 64);
    for (var kernel : kernels()) {
      var buffers = buffers(kernel, setup);
      buffers.get("table").set(ValueLayout.JAVA_INT_UNALIGNED, 4 * Integer.BYTES, page);
      assertStops(kernel, setup, buffers);
    }
  }

  private static void assertStops(AttentionKernel kernel, AttentionCases.Setup setup,
      Map<String, MemorySegment> buffers) {
    var findings = new SimulatorBackend(1).run(kernel.launches(setup.problem()).on(buffers).getFirst()).findings();
    assertTrue(findings.size() == 1 && findings.getFirst().contains("executes trap"), findings::toString);
  }

  @ParameterizedTest(name = "token {0}")
  @ValueSource(ints = {-2, 96, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void numbersThatAreNoTokensStopTheLaunch(int token) {
    var setup = chosen(setup(1, 1, 70, 4, Band.ALL, new KeySplits.Ranges(1)));
    var buffers = buffers(HOPPER, setup);
    buffers.get("indices").set(ValueLayout.JAVA_INT_UNALIGNED, 65 * Integer.BYTES, token);
    for (var kernel : kernels()) assertStops(kernel, setup, buffers);
    var error = assertThrows(IllegalArgumentException.class,
        () -> setup.problem().serving().tokens().orElseThrow().requireFit(buffers, 1, 1, 70));
    assertEquals("invalid token " + token + " of batch entry 0, query 0, at place 65: 0 to 95, or -1 for none",
        error.getMessage());
  }

  @Test
  void tokensHaveNoPositions() {
    var problem = AttentionProblem.latent(ElementType.BF16, 2, 1, 2048, 128, 576, 512)
        .choosing(new Serving.Tokens("indices", 64, 100));
    var reason = Optional.of("chosen tokens have no positions, so that no band hides them: leave unseen tokens out");
    for (var kernel : AttentionKernels.builtIn().all()) {
      boolean latent = kernel.name().endsWith("mla_decode");
      assertEquals(latent, kernel.refusal(problem).isEmpty(), kernel.name());
      if (latent) assertEquals(reason, kernel.refusal(problem.with(Band.CAUSAL)));
    }
    assertThrows(IllegalArgumentException.class, () -> problem.serving().withPadding("padding"));
  }

  @Test
  void theFacadeChoosesTheKernel() {
    var latent = AttentionProblem.latent(ElementType.BF16, 2, 1, 4096, 128, 576, 512);
    for (int capability : new int[] {80, 86, 89, 100, 120}) {
      assertEquals("sm80_mla_decode", Attention.of(latent).choose(AttentionKernels.builtIn().of(capability)).name());
    }
    assertEquals("sm90_mla_decode", Attention.of(latent).choose(AttentionKernels.builtIn().of(90)).name());
    assertTrue(AttentionKernels.builtIn().allOn(86).contains(new Sm80MlaDecodeKernel(86)));
    // What Hopper's kernel leaves out.
    assertEquals("sm80_mla_decode", Attention.of(latent.withSinks("sinks")).choose(AttentionKernels.builtIn().of(90))
        .name());
    assertEquals("no 512 columns of V in rows of 128 of K", assertThrows(IllegalArgumentException.class,
        () -> AttentionProblem.latent(ElementType.BF16, 2, 1, 4096, 128, 128, 512)).getMessage());
  }

  @Test
  void whatCannotBeDoneIsRefused() {
    var latent = AttentionProblem.latent(ElementType.BF16, 2, 1, 4096, 128, 576, 512);
    for (var kernel : kernels()) {
      assertEquals(Optional.empty(), kernel.refusal(latent));
      assertEquals(Optional.of("rows of K of 640 columns, of which V has 512: V has a multiple of 128 up to 512, and K "
          + "64 more"), kernel.refusal(AttentionProblem.latent(ElementType.BF16, 2, 1, 4096, 128, 640, 512)));
      assertEquals(Optional.of("V is not the first columns of K, or K has 1 heads: latent attention reads one row for "
          + "all heads"),
          kernel.refusal(AttentionProblem.dense(ElementType.BF16, new Sizes(1, 1, 64, 16, 1, 576, 512))));
      var error = assertThrows(IllegalArgumentException.class,
          () -> kernel.launches(latent.with(latent.serving().with(new KeySplits.Fixed(100)))));
      assertEquals("splits of 100 keys are no whole blocks: take a multiple of " + (kernel == HOPPER ? 64 : 32),
          error.getMessage());
    }
    assertEquals(Optional.of("latent attention has no sinks"), HOPPER.refusal(latent.withSinks("sinks")));
  }
}
