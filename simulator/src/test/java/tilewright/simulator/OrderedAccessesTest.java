package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.ptx.Dim3;
import tilewright.ptx.LaunchFeature;

/** Accesses that are ordered without a barrier, and their neighbours that are not. */
class OrderedAccessesTest {
  private static final int SEEDS = 20;

  private static List<Finding> findings(int blocks, int threads, String body) {
    var ptx = Kernels.kernel(2, body);
    var program = Simulator.load(ptx);
    var all = new ArrayList<Finding>();
    for (int seed = 0; seed < SEEDS; seed++) {
      var launch = Kernels.launch(ptx, Dim3.of(blocks), Dim3.of(threads), 0, new int[64], new int[64])
          .with(LaunchFeature.COOPERATIVE);
      all.addAll(program.run(launch, Kernels.SANITIZED.withThreads(1).withSeed(seed)).findings());
    }
    return all;
  }

  private static void requireRace(int blocks, int threads, String body) {
    var all = findings(blocks, threads, body);
    assertTrue(all.stream().anyMatch(f -> f.kind() == Finding.Kind.RACE), "no race among " + all);
  }

  /** Block 1 runs {@code signal} on the flag at %p0; block 0 waits by {@code poll} until it is 1, then runs the rest. */
  private static String handOver(String signal, String poll, String then) {
    return """
        mov.u32 %%r1, %%ctaid.x;
        setp.eq.u32 %%q0, %%r1, 0;
        @%%q0 bra WAIT;
        setp.ne.u32 %%q2, %%t, 0;
        @%%q2 bra END;
        st.global.u32 [%%p1], 5;
        %s
        bra END;
        WAIT: setp.ne.u32 %%q2, %%t, 0;
        @%%q2 bra SEEN;
        POLL: %s %%r2, [%%p0];
        setp.ne.u32 %%q1, %%r2, 1;
        @%%q1 bra POLL;
        SEEN: %s
        END:
        """.formatted(signal, poll, then);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "fence.acq_rel.gpu; red.relaxed.gpu.global.add.s32 [%p0], 1; | ld.acquire.gpu.global.u32",
      "red.release.gpu.global.add.s32 [%p0], 1;                    | ld.acquire.gpu.global.u32",
      "st.release.gpu.global.u32 [%p0], 1;                         | ld.acquire.gpu.global.u32",
      "membar.gl; st.volatile.global.u32 [%p0], 1;                 | ld.volatile.global.u32",
      "st.relaxed.gpu.global.u32 [%p0], 1;                         | ld.relaxed.gpu.global.u32"})
  void aWriteThatWasSeenComesBeforeAPlainWriteBehindTheReadThatSawIt(String signal, String poll) {
    assertEquals(List.of(), findings(2, 1, handOver(signal, poll, "st.global.u32 [%p0], 0;")));
    // Another thread that knows of the read, by a barrier, may write as well.
    assertEquals(List.of(), findings(2, 64, handOver(signal, poll,
        "bar.sync 0; setp.eq.u32 %q3, %t, 40; @%q3 st.global.u32 [%p0], 0;")));
  }

  @Test
  void aThreadThatDoesNotKnowOfTheReadRaces() {
    requireRace(2, 64, handOver("st.release.gpu.global.u32 [%p0], 1;", "ld.acquire.gpu.global.u32",
        "setp.eq.u32 %q3, %t, 40; @%q3 st.global.u32 [%p0], 0;"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "st.global.u32 [%p0], 1;              | ld.acquire.gpu.global.u32",
      "st.release.cta.global.u32 [%p0], 1;  | ld.acquire.gpu.global.u32",
      "st.release.gpu.global.u32 [%p0], 1;  | ld.global.u32"})
  void aWriteThatIsPlainOrOutOfScopeOrSeenPlainlyRaces(String signal, String poll) {
    requireRace(2, 1, handOver(signal, poll, "st.global.u32 [%p0], 0;"));
  }

  @Test
  void aWriteBehindTheOneThatWasSeenRaces() {
    requireRace(2, 1, handOver("""
        st.release.gpu.global.u32 [%p0], 1;
        mov.u32 %r4, 0;
        DELAY: add.u32 %r4, %r4, 1;
        setp.lt.u32 %q3, %r4, 20000;
        @%q3 bra DELAY;
        st.relaxed.gpu.global.u32 [%p0], 1;""",
        "ld.acquire.gpu.global.u32", "st.global.u32 [%p0], 0;"));
  }

  @Test
  void aRelaxedWriteThatWasSeenMakesNothingElseKnown() {
    requireRace(2, 1, handOver("st.relaxed.gpu.global.u32 [%p0], 1;", "ld.acquire.gpu.global.u32",
        "ld.global.u32 %r3, [%p1];"));
    assertEquals(List.of(), findings(2, 1, handOver("st.release.gpu.global.u32 [%p0], 1;",
        "ld.acquire.gpu.global.u32", "ld.global.u32 %r3, [%p1];")));
  }

  /** Each lane reads the word of its own, something is exchanged, and a lane overwrites word 0. */
  private static String exchange(String between) {
    return """
        .shared .align 4 .b8 tile[128];
        mov.u32 %%r1, tile;
        mad.lo.u32 %%r2, %%t, 4, %%r1;
        st.shared.u32 [%%r2], %%t;
        bar.warp.sync -1;
        ld.shared.u32 %%r3, [%%r2];
        add.u32 %%r4, %%r3, 1;
        setp.gt.u32 %%q1, %%r3, 5;
        setp.eq.u32 %%q0, %%t, 9;
        %s
        @%%q0 st.shared.u32 [tile], %%r5;
        """.formatted(between);
  }

  @ParameterizedTest
  @ValueSource(strings = {"shfl.sync.bfly.b32 %r5, %r4, 1, 31, -1;", "shfl.sync.idx.b32 %r5, %r3, 0, 31, -1;",
      "vote.sync.ballot.b32 %r5, %q1, -1;", "redux.sync.add.u32 %r5, %r4, -1;", "match.any.sync.b32 %r5, %r3, -1;",
      "bar.warp.sync -1; mov.u32 %r5, %r3;"})
  void aReadWhoseValueIsExchangedComesBeforeAWriteBehindThat(String between) {
    assertEquals(List.of(), findings(1, 32, exchange(between)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mov.u32 %r5, %r3;", "shfl.sync.bfly.b32 %r5, %t, 1, 31, -1;", "activemask.b32 %r5;",
      "setp.gt.u32 %q2, %t, 5; vote.sync.ballot.b32 %r5, %q2, -1;",
      "setp.ge.u32 %q3, %t, 8; @%q3 shfl.sync.bfly.b32 %r5, %r4, 1, 31, 0xffffff00;"})
  void aReadWhoseValueIsNotExchangedWithTheWriterRaces(String between) {
    requireRace(1, 32, exchange(between));
  }

  @Test
  void anExchangeMakesNoWriteVisible() {
    requireRace(1, 32, """
        .shared .align 4 .b8 tile[128];
        mov.u32 %r1, tile;
        mad.lo.u32 %r2, %t, 4, %r1;
        ld.global.u32 %r3, [%p0];
        st.shared.u32 [%r2], %r3;
        shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1;
        xor.b32 %r5, %r2, 4;
        ld.shared.u32 %r6, [%r5];
        """);
  }

  @Test
  void aReadBehindTheExchangeRaces() {
    requireRace(1, 32, exchange("shfl.sync.idx.b32 %r5, %r3, 0, 31, -1; ld.shared.u32 %r6, [%r2];"));
  }
}
