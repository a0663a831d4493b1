package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.decoding.Sm80DecodeAttentionKernel;
import tilewright.kernels.attention.merging.Division;
import tilewright.kernels.attention.scheduling.WorkShares;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.numerics.ElementType;
import tilewright.ptx.Launch;
import tilewright.sm90.attention.Sm90AttentionKernel;
import tilewright.sm90.attention.Sm90MlaDecodeKernel;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.AttentionCheck;
import tilewright.verification.cases.Buffers;
import tilewright.verification.cases.LatentAttention;

/** Attention in equal shares of a batch, and the schedule by which it is divided. */
class BalancedAttentionTest {
  private static final Sm80DecodeAttentionKernel DECODE = new Sm80DecodeAttentionKernel(90);
  private static final Sm90MlaDecodeKernel LATENT = new Sm90MlaDecodeKernel();
  private static final int BLOCK = 64;
  private static final int OVERHEAD = 2;
  private static final int LEAST = 6;
  /** Four for each of two CTAs of an SM. */
  private static final int WORKERS = 4 * 2 * 132;

  private static void run(Launch launch, long seed) {
    assertEquals(List.of(), new SimulatorBackend(seed).run(launch).findings());
  }

  private static Map<String, MemorySegment> run(AttentionKernel kernel, AttentionCases.Setup setup, long seed) {
    var launches = kernel.launches(setup.problem());
    var buffers = Buffers.withWorkspace(launches, AttentionCases.buffers(kernel, setup, 11));
    launches.on(buffers).forEach(launch -> run(launch, seed));
    return buffers;
  }

  private static void assertTheReferences(AttentionCases.Setup setup, Map<String, MemorySegment> buffers) {
    assertEquals(Optional.empty(),
        AttentionCheck.compare(setup.problem(), setup.rules(), buffers, buffers).violation());
  }

  private static int[] schedule(Band band, int queries, int room, int... lengths) {
    var p = AttentionProblem.dense(ElementType.BF16, new Sizes(lengths.length, queries, room, 4, 1, 64, 64)).with(band);
    var problem = p.with(p.serving().with(new KeySplits.Balanced()).withLengths("used"));
    var schedule = MemorySegment.ofArray(new int[lengths.length + 2]).fill((byte) -1);
    run(DECODE.schedule(problem).on(Map.of("used", MemorySegment.ofArray(lengths), "schedule", schedule)), 1);
    return schedule.toArray(ValueLayout.JAVA_INT);
  }

  /** Entries in order: the blocks that some query sees, at least one, and two besides; and a share of equal costs. */
  @ParameterizedTest(name = "{0} entries, {1} queries, window {2}")
  @CsvSource({"0, 1, -1", "255, 1, -1", "700, 3, 500", "513, 2, -1"})
  void theScheduleCountsBlocks(int batch, int queries, int left) {
    var random = new Random(batch);
    var lengths = random.ints(batch, 0, 1000).toArray();
    if (batch > 1) System.arraycopy(new int[] {100000, 3}, 0, lengths, 0, 2);
    var band = left < 0 ? Band.ALL : Band.window(left, 0);
    var costs = IntStream.of(lengths).map(keys -> {
      int first = left < 0 ? 0 : Math.max(0, keys - queries - left) / BLOCK;
      return Math.max(1, Math.ceilDiv(keys, BLOCK) - first) + OVERHEAD;
    }).toArray();
    int total = IntStream.of(costs).sum();
    var expected = IntStream.concat(IntStream.rangeClosed(0, batch).map(b -> IntStream.of(costs).limit(b).sum()),
        IntStream.of(Math.max(LEAST, Math.ceilDiv(total, WORKERS)))).toArray();
    assertArrayEquals(expected, schedule(band, queries, 100000, lengths));
  }

  /** Entries of about one length: whole ones, several in a share, or as many parts of each as there are workers. */
  @ParameterizedTest(name = "{0} entries, a share of {1}, {2} for each entry")
  @CsvSource({"1056, 66, 66", "1000, 66, 66", "2112, 132, 66", "264, 17, 68"})
  void entriesOfAboutOneLengthAreSplitEvenly(int batch, int share, int each) {
    var lengths = new Random(batch).ints(batch, 4000, 4097).toArray();
    lengths[batch / 2] = 4096;
    var expected = IntStream.concat(IntStream.rangeClosed(0, batch).map(b -> b * each), IntStream.of(share)).toArray();
    assertArrayEquals(expected, schedule(Band.ALL, 1, 5000, lengths));
  }

  /** The last query sees all keys, so that a causal mask hides no block from all of an entry's queries. */
  @Test
  void oneScheduleServesWithACausalMaskAndWithout() {
    int[] lengths = {0, 1, 64, 65, 3000, 17};
    assertArrayEquals(schedule(Band.ALL, 1, 4096, lengths), schedule(Band.CAUSAL, 3, 5000, lengths));
  }

  private static AttentionCases.Setup latent(KeySplits splits, int... lengths) {
    return LatentAttention.used(LatentAttention.of(ElementType.BF16, lengths.length, 1, 900, 32, 128, Band.ALL, splits),
        lengths);
  }

  /** Entries in one share, in two and in three; shares with one piece, with several and with none. */
  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 3, 20})
  void sharesOfLatentCachesAreTheReferences(int workers) {
    var setup = latent(new KeySplits.Balanced(), 33, 900, 0, 300);
    var shares = new WorkShares("schedule", 4, 1, workers, WorkShares.Kind.PERSISTENT);
    var launches = LATENT.launches(setup.problem(), new Division.Balanced(shares, BLOCK, false));
    var buffers = Buffers.withWorkspace(launches, AttentionCases.buffers(LATENT, setup, 11));
    launches.on(buffers).forEach(launch -> run(launch, workers));
    assertTheReferences(setup, buffers);
  }

  /** Another layer's attention: the schedule is not computed again. */
  @Test
  void aScheduleServesSeveralLayers() {
    var own = latent(new KeySplits.Balanced(), 400, 1);
    var given = latent(new KeySplits.Balanced(Optional.of("plan")), 400, 1);
    var launches = LATENT.launches(given.problem());
    assertEquals(2, launches.launches().size());
    var expected = run(LATENT, own, 1);
    var buffers = Buffers.withWorkspace(launches, AttentionCases.buffers(LATENT, given, 11));
    buffers.put("plan", MemorySegment.ofArray(new int[4]));
    run(LATENT.schedule(given.problem()).on(buffers), 2);
    launches.on(buffers).forEach(launch -> run(launch, 2));
    assertEquals(-1, expected.get("O").mismatch(buffers.get("O")));
    assertEquals(-1, expected.get("LSE").mismatch(buffers.get("LSE")));
  }

  /** Kernels of persistent CTAs balance entries whose lengths the launch reads, if queries are few. */
  @Test
  void latentCachesOfDifferentLengthsAreBalancedUnlessAskedOtherwise() {
    assertEquals(List.of("attention_schedule_64", "sm90_mla_decode_bf16_d192_128", "merge_states_bf16_d128_balanced"),
        LATENT.launches(latent(KeySplits.AUTOMATIC, 900, 1).problem()).launches().stream()
            .map(launch -> launch.kernel().name()).toList());
    assertEquals(2, LATENT.launches(latent(KeySplits.AUTOMATIC, 900).problem()).launches().size());
    assertEquals(1, LATENT.launches(latent(new KeySplits.Ranges(1), 900, 1).problem()).launches().size());
    var many = AttentionProblem.latent(ElementType.BF16, 2, 9, 900, 32, 576, 512);
    assertEquals(1, LATENT.launches(many.with(many.serving().withLengths("used"))).launches().size());
  }

  /** The room of an entry that is not full costs nothing: neither CTAs nor states. */
  @Test
  void theWorkspaceDoesNotGrowWithTheRoom() {
    var p = AttentionProblem.dense(ElementType.BF16, new Sizes(64, 1, 4096, 32, 8, 128, 128));
    var longer = AttentionProblem.dense(ElementType.BF16, new Sizes(64, 1, 65536, 32, 8, 128, 128));
    var serving = p.serving().with(new KeySplits.Balanced()).withLengths("used");
    assertEquals(DECODE.launches(p.with(serving)).workspaceBytes(),
        DECODE.launches(longer.with(serving)).workspaceBytes());
  }

  @Test
  void problemsWithoutAScheduleAreRefused() {
    var p = AttentionProblem.dense(ElementType.BF16, new Sizes(2, 1, 512, 4, 1, 64, 64));
    var balanced = p.with(p.serving().with(new KeySplits.Balanced()));
    assertEquals(Optional.of("balanced splits need sm80_decode_attention, sm80_mla_decode or sm90_mla_decode"),
        new Sm90AttentionKernel().refusal(balanced));
    assertEquals("sm90_attention has no schedule",
        assertThrows(IllegalArgumentException.class, () -> new Sm90AttentionKernel().schedule(balanced)).getMessage());
    assertEquals("balanced splits are merged by another launch: take launches",
        assertThrows(IllegalArgumentException.class, () -> DECODE.prepare(balanced)).getMessage());
    assertEquals("splits Ranges[count=2] have no schedule: take balanced ones",
        assertThrows(IllegalArgumentException.class,
            () -> DECODE.schedule(p.with(p.serving().with(new KeySplits.Ranges(2))))).getMessage());
    var wide = AttentionProblem.dense(ElementType.BF16, new Sizes(2, 9, 512, 4, 1, 256, 256));
    assertEquals(Optional.of("balanced splits of head dimension 256 have room for 32 rows, queries times heads that "
        + "share keys: take other splits"), DECODE.refusal(wide.with(balanced.serving())));
    var large = AttentionProblem.dense(ElementType.BF16, new Sizes(1 << 15, 1, 1 << 20, 4, 1, 64, 64));
    assertEquals("a batch of 32768 entries of 1048576 keys has too many blocks to be balanced: give fewer entries at a "
        + "time", assertThrows(IllegalArgumentException.class, () -> DECODE.launches(large.with(large.serving()
            .with(new KeySplits.Balanced())))).getMessage());
  }
}
