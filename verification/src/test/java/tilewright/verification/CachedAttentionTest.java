package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.numerics.ElementType;
import tilewright.sm90.attention.Sm90AttentionKernel;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.AttentionCheck;
import tilewright.verification.cases.Buffers;
import tilewright.verification.cases.CachedAttention;
import tilewright.verification.cases.QuantizedAttention;

/** Hopper attention on caches of keys whose splits are merged by another launch. */
class CachedAttentionTest {
  private static final Sm90AttentionKernel KERNEL = new Sm90AttentionKernel();
  private static final Sizes ONE_QUERY = new Sizes(1, 1, 600, 4, 1, 64, 64);

  /** Runs on fresh buffers, whose workspace is poisoned. */
  private static Map<String, MemorySegment> run(AttentionCases.Setup setup, long seed) {
    return run(KERNEL, setup, seed);
  }

  private static Map<String, MemorySegment> run(Sm90AttentionKernel kernel, AttentionCases.Setup setup, long seed) {
    return run(kernel, setup, seed, AttentionCases.buffers(kernel, setup, 11));
  }

  private static Map<String, MemorySegment> run(Sm90AttentionKernel kernel, AttentionCases.Setup setup, long seed,
      Map<String, MemorySegment> given) {
    var sequence = kernel.launches(setup.problem());
    var buffers = Buffers.withWorkspace(sequence, given);
    for (var launch : sequence.on(buffers)) {
      assertEquals(List.of(), new SimulatorBackend(seed).run(launch).findings());
    }
    return buffers;
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {0, 1, 2})
  void everyEntryIsTheReferences(long seed) {
    var setup = CachedAttention.used(new Sizes(3, 2, 400, 4, 2, 64, 64), new KeySplits.Fixed(128), Band.CAUSAL, 400, 0,
        129);
    var buffers = run(setup, seed);
    assertEquals(Optional.empty(),
        AttentionCheck.compare(setup.problem(), setup.rules(), buffers, buffers).violation());
  }

  /** P of the first split's tiles is rounded relative to the row's largest score so far, in the reference as here. */
  @Test
  void codesOfAWideHeadAreTheReferences() {
    var setup = CachedAttention.paged(QuantizedAttention.perHead(CachedAttention.used(
        new Sizes(3, 1, 600, 8, 2, 128, 128), new KeySplits.Fixed(256), Band.ALL, 600, 0, 257)), 64);
    var buffers = run(KERNEL, setup, 1, AttentionCases.buffers(KERNEL, setup, 1));
    assertEquals(Optional.empty(), AttentionCheck.compare(setup.problem(), setup.rules(), buffers, buffers,
        AttentionCases.tensorCores(KERNEL)).violation());
  }

  /** Tiles of 8 heads of keys with up to 256 rows each leave most of 132 multiprocessors idle. */
  @ParameterizedTest(name = "{0} queries are {1} launches")
  @CsvSource({"1, 2", "16, 2", "32, 2", "33, 1"})
  void keysOfFewQueriesAreSplit(int queries, int launches) {
    var sizes = new Sizes(1, queries, 131072, 64, 8, 128, 128);
    assertEquals(launches,
        KERNEL.launches(AttentionCases.band(ElementType.BF16, sizes, Band.ALL).problem()).launches().size());
  }

  /** The tiles of 64 sequences fill the GPU, unless one of them is much longer than the others. */
  @ParameterizedTest(name = "lengths are {0}: {1} launches")
  @CsvSource({"equal, 1", "read, 2"})
  void longSequencesAreSplitBesideShortOnes(String lengths, int launches) {
    var setup = AttentionCases.band(ElementType.BF16, new Sizes(64, 1, 65536, 32, 8, 128, 128), Band.ALL);
    var serving = setup.problem().serving();
    var problem = setup.problem().with(lengths.equals("read") ? serving.withLengths("used") : serving);
    assertEquals(launches, KERNEL.launches(problem).launches().size());
  }

  /** A longer cache has more splits, all of which are empty. */
  @Test
  void fixedSplitsDoNotDependOnTheRoomThatACacheHas() {
    var narrow = run(CachedAttention.used(ONE_QUERY, new KeySplits.Fixed(128), Band.ALL, 300), 1);
    var wide = run(CachedAttention.used(new Sizes(1, 1, 1400, 4, 1, 64, 64), new KeySplits.Fixed(128), Band.ALL, 300),
        2);
    assertEquals(-1, narrow.get("O").mismatch(wide.get("O")));
    assertEquals(-1, narrow.get("LSE").mismatch(wide.get("LSE")));
  }

  /** The first entry's inputs are the same in a batch of one and of three. */
  @Test
  void fixedSplitsDoNotDependOnTheBatch() {
    var alone = run(CachedAttention.used(ONE_QUERY, new KeySplits.Fixed(256), Band.ALL, 600), 1);
    var sizes = new Sizes(3, 1, 600, 4, 1, 64, 64);
    var beside = run(CachedAttention.used(sizes, new KeySplits.Fixed(256), Band.ALL, 600, 5, 0), 2);
    long bytes = (long) ONE_QUERY.heads() * ONE_QUERY.valueDim() * ElementType.BF16.bytes();
    assertEquals(-1, alone.get("O").mismatch(beside.get("O").asSlice(0, bytes)));
  }

  /** One split, which merging leaves as it is, has the bits of the kernel that splits nothing. */
  @Test
  void oneSplitHasTheBitsOfTheKernelWithoutSplits() {
    var split = run(CachedAttention.used(ONE_QUERY, new KeySplits.Fixed(640), Band.ALL, 555), 1);
    var whole = run(CachedAttention.used(ONE_QUERY, new KeySplits.Ranges(1), Band.ALL, 555), 1);
    assertEquals(-1, split.get("O").mismatch(whole.get("O")));
    assertEquals(-1, split.get("LSE").mismatch(whole.get("LSE")));
  }

  /** Rows of pages that a block of keys divides, that divide it, and neither. */
  @ParameterizedTest(name = "pages of {0} rows")
  @ValueSource(ints = {8, 48, 128, 384})
  void entriesInPagesAreTheReferences(int rows) {
    var sizes = new Sizes(3, 2, 400, 4, 2, 64, 64);
    var setup = CachedAttention.paged(CachedAttention.used(sizes, new KeySplits.Ranges(2), Band.CAUSAL, 400, 0, 129),
        rows);
    var buffers = run(setup, rows);
    assertEquals(Optional.empty(),
        AttentionCheck.compare(setup.problem(), setup.rules(), buffers, buffers).violation());
  }

  /** Pages that neither divide a block of keys nor are divided by it, and a whole entry of any number of rows. */
  @ParameterizedTest(name = "pages of {0} rows, {1} splits")
  @CsvSource({"48, 1", "401, 2"})
  void oneKernelServesPagesOfAllSizes(int rows, int splits) {
    var sizes = new Sizes(3, 2, 400, 4, 2, 64, 64);
    var setup = CachedAttention.paged(CachedAttention.used(sizes, new KeySplits.Ranges(splits), Band.CAUSAL, 400, 0,
        129), rows);
    var any = KERNEL.withPagesOf(16);
    var buffers = run(any, setup, rows);
    assertEquals(Optional.empty(),
        AttentionCheck.compare(setup.problem(), setup.rules(), buffers, buffers).violation());
    var other = CachedAttention.paged(CachedAttention.used(sizes, new KeySplits.Ranges(splits), Band.CAUSAL, 1), 64);
    assertEquals(any.launches(other.problem()).launches().getFirst().kernel().ptx(),
        any.launches(setup.problem()).launches().getFirst().kernel().ptx());
    assertEquals(Optional.of("pages of 24 rows: tensor copies fill shared memory in multiples of 16 rows, so take "
        + "pages of those"), any.refusal(CachedAttention.paged(setup, 24).problem()));
  }

  /** The padding of the second entry is 37 rows of NaN, that of the third all of its keys. */
  @ParameterizedTest(name = "{0} splits")
  @ValueSource(ints = {1, 2})
  void rowsBeforeTheFirstKeyAreNotSeen(int splits) {
    var sizes = new Sizes(3, 2, 400, 4, 2, 64, 64);
    var setup = CachedAttention.padded(CachedAttention.used(sizes, new KeySplits.Ranges(splits), Band.CAUSAL, 300, 399,
        60));
    var buffers = run(setup, splits);
    assertEquals(Optional.empty(),
        AttentionCheck.compare(setup.problem(), setup.rules(), buffers, buffers).violation());
    buffers.get("padding").set(ValueLayout.JAVA_INT_UNALIGNED, 2 * Integer.BYTES, 61);
    assertEquals("invalid left padding 61 of batch entry 2: 0 to 60",
        assertThrows(IllegalArgumentException.class, () -> setup.problem().serving().requireFit(buffers, 3, 400))
            .getMessage());
  }

  /** A tensor copy would give zeros. */
  @ParameterizedTest(name = "page {0}")
  @ValueSource(ints = {-1, 11, Integer.MAX_VALUE})
  void numbersThatAreNoPagesStopTheLaunch(int page) {
    var sizes = new Sizes(2, 1, 300, 4, 2, 64, 64);
    var setup = CachedAttention.paged(CachedAttention.used(sizes, new KeySplits.Ranges(2), Band.ALL, 100, 300), 64);
    var sequence = KERNEL.launches(setup.problem());
    var buffers = Buffers.withWorkspace(sequence, AttentionCases.buffers(KERNEL, setup, 11));
    // The last page that the second of two entries with room for five uses.
    buffers.get("table").set(ValueLayout.JAVA_INT_UNALIGNED, 9 * Integer.BYTES, page);
    assertEquals("invalid page " + page + " of batch entry 1 at place 4 of table: 0 to 10",
        assertThrows(IllegalArgumentException.class, () -> setup.problem().serving().requireFit(buffers, 2, 300))
            .getMessage());
    var findings = new SimulatorBackend(1).run(sequence.on(buffers).getFirst()).findings();
    assertTrue(findings.size() == 1 && findings.getFirst().contains("executes trap"), findings::toString);
  }

  @Test
  void whatCannotBeDoneIsRefused() {
    var setup = CachedAttention.used(ONE_QUERY, new KeySplits.Fixed(100), Band.ALL, 600);
    assertEquals("splits of 100 keys are no whole blocks: take a multiple of 128",
        assertThrows(IllegalArgumentException.class, () -> KERNEL.launches(setup.problem())).getMessage());
    assertEquals(Optional.of("pages of 12 rows: tensor copies fill shared memory in multiples of 8 rows, so take pages "
        + "of those"), KERNEL.refusal(CachedAttention.paged(setup, 12).problem()));
    assertEquals(Optional.of("pages have no left padding: begin with the first row"),
        KERNEL.refusal(CachedAttention.paged(CachedAttention.padded(setup), 16).problem()));
    var plain = AttentionCases.band(ElementType.BF16, ONE_QUERY, Band.ALL).problem();
    assertEquals(Optional.of("left padding needs the number of keys of each entry"),
        KERNEL.refusal(plain.with(plain.serving().withPadding("padding"))));
    assertEquals(Optional.of("split keys, lengths that the launch reads and pages need sm90_attention or "
        + "sm80_decode_attention"),
        AttentionCases.SM80.kernel().refusal(setup.problem()));
  }
}
