package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.simulator.Exploration.Outcome;

/** Schedules of small kernels, explored until all are known. */
class ExplorationTest {
  private static final ExplorationLimits LIMITS = ExplorationLimits.of(10_000, Duration.ofMinutes(1));

  /** Warp 0 hands five numbers to warp 1 through one slot. */
  private static final String RING = """
      .shared .align 8 .b64 full;
      .shared .align 8 .b64 empty;
      .shared .align 4 .b32 slot;
      mov.u32 %r1, 0;
      mov.u32 %r6, 0;
      setp.ne.u32 %q0, %t, 0;
      @%q0 bra ready;
      mbarrier.init.shared.b64 [full], 32;
      mbarrier.init.shared.b64 [empty], 32;
      ready:
      bar.sync 0;
      setp.ge.u32 %q1, %t, 32;
      @%q1 bra consumer;
      producer:
      not.b32 %r3, %r1;
      and.b32 %r3, %r3, 1;
      free:
      mbarrier.try_wait.parity.shared.b64 %q2, [empty], %r3;
      @!%q2 bra free;
      @!%q0 st.shared.u32 [slot], %r1;
      mbarrier.arrive.shared.b64 %l1, [full];
      add.u32 %r1, %r1, 1;
      setp.lt.u32 %q3, %r1, 5;
      @%q3 bra producer;
      ret;
      consumer:
      and.b32 %r3, %r1, 1;
      filled:
      mbarrier.try_wait.parity.shared.b64 %q2, [full], %r3;
      @!%q2 bra filled;
      ld.shared.u32 %r5, [slot];
      add.u32 %r6, %r6, %r5;
      mbarrier.arrive.shared.b64 %l1, [empty];
      add.u32 %r1, %r1, 1;
      setp.lt.u32 %q3, %r1, 5;
      @%q3 bra consumer;
      st.global.u32 [%p0], %r6;
      """;

  /** One lane of each warp takes two tickets. */
  private static final String TICKETS = """
      and.b32 %r0, %t, 31;
      setp.ne.u32 %q0, %r0, 0;
      @%q0 ret;
      atom.global.add.u32 %r3, [%p0], 1;
      atom.global.add.u32 %r3, [%p0], 1;
      """;

  /** The warp that takes the second ticket writes its number. */
  private static final String WHO_IS_SECOND = TICKETS + """
      setp.ne.u32 %q1, %r3, 1;
      @%q1 ret;
      st.global.u32 [%p0+4], %t;
      """;

  /** One lane of each warp takes a lock, adds without an atomic operation, and gives the lock back. */
  private static final String LOCK = """
      and.b32 %r0, %t, 31;
      setp.ne.u32 %q0, %r0, 0;
      @%q0 ret;
      again:
      atom.acquire.gpu.global.cas.b32 %r1, [%p0], 0, 1;
      setp.ne.u32 %q1, %r1, 0;
      @%q1 bra again;
      ld.global.u32 %r2, [%p0+4];
      add.u32 %r2, %r2, 1;
      st.global.u32 [%p0+4], %r2;
      st.release.gpu.global.u32 [%p0], 0;
      """;

  private static Launch launch(String ptx, int threads) {
    return Kernels.launch(ptx, Dim3.ONE, Dim3.of(threads), 0, new int[4]);
  }

  private static Exploration explore(String body, int threads) {
    var ptx = Kernels.kernel("sm_90", 1, "", body);
    return Simulator.load(ptx).explore(launch(ptx, threads), Kernels.PLAIN, LIMITS);
  }

  @Test
  void aRingThatIsRightIsProved() {
    var exploration = explore(RING, 64);
    assertEquals(Outcome.PROVED, exploration.outcome());
    // Every order of the two warps is equivalent to every other one.
    assertEquals(1, exploration.schedules());
  }

  @ParameterizedTest
  @ValueSource(strings = {"mbarrier.arrive.shared.b64 %l1, [empty];", "mbarrier.arrive.shared.b64 %l1, [full];",
      "@!%q2 bra free;", "@!%q2 bra filled;", "bar.sync 0;"})
  void everyPieceOfItIsNeeded(String piece) {
    assertTrue(RING.contains(piece));
    assertEquals(Outcome.FOUND, explore(RING.replace(piece, ""), 64).outcome());
  }

  /** The schedules of n warps with two indistinguishable steps each: (2n)! / 2ⁿ. */
  @ParameterizedTest
  @CsvSource({"1, 1", "2, 6", "3, 90"})
  void orderedStepsAreTriedInEveryOrderOnce(int warps, int orders) {
    var exploration = explore(TICKETS, 32 * warps);
    assertEquals(Outcome.PROVED, exploration.outcome());
    assertEquals(orders, exploration.schedules());
  }

  @Test
  void aResultThatDependsOnTheOrderIsFound() {
    var exploration = explore(WHO_IS_SECOND, 64);
    assertEquals(Outcome.DIFFERENT_RESULTS, exploration.outcome());
    assertTrue(exploration.difference().startsWith("buffer 'arg0' differs at byte 4"), exploration.difference());
  }

  @Test
  void warpsThatSpinForALockAreProved() {
    assertEquals(Outcome.PROVED, explore(LOCK, 96).outcome());
    assertEquals(Outcome.FOUND, explore(LOCK.replace("@%q1 bra again;", ""), 96).outcome());
  }

  @Test
  void aLimitIsNoProof() {
    var ptx = Kernels.kernel(1, TICKETS);
    var exploration = Simulator.load(ptx).explore(launch(ptx, 64), Kernels.PLAIN,
        ExplorationLimits.of(5, Duration.ofMinutes(1)));
    assertEquals(Outcome.LIMITED, exploration.outcome());
    assertEquals(5, exploration.schedules());
  }

  @ParameterizedTest
  @MethodSource("missed")
  void whatAThousandSeedsMissIsFoundAndReplayed(String body) {
    var ptx = Kernels.kernel("sm_90", 1, "", body);
    var program = Simulator.load(ptx);
    for (int seed = 0; seed < 1000; seed++) {
      var result = program.run(launch(ptx, 64), Kernels.PLAIN.withSeed(seed));
      assertEquals(List.of(), result.findings(), "seed " + seed);
    }
    var exploration = program.explore(launch(ptx, 64), Kernels.PLAIN, LIMITS);
    assertEquals(Outcome.FOUND, exploration.outcome());
    var again = program.replay(launch(ptx, 64), Kernels.PLAIN, Schedule.parse(exploration.schedule().text()));
    assertEquals(exploration.findings(), again.findings());
    assertEquals(List.of(Finding.Kind.DEADLOCK), Kernels.kinds(again));
  }

  static Stream<String> missed() {
    return Stream.of(MissedPhases.afterIdling(100), MissedPhases.ofCopies(4));
  }

  @Test
  void aScheduleNamesTheLinesOfTheSource() {
    var ptx = Kernels.kernel("sm_90", 1, ".file 1 \"src/copy.cu\"", """
        .shared .align 8 .b64 full;
        .shared .align 16 .b8 tile[16];
        setp.ne.u32 %q0, %t, 0;
        @%q0 bra meet;
        mbarrier.init.shared.b64 [full], 1;
        fence.mbarrier_init.release.cluster;
        mbarrier.arrive.expect_tx.shared.b64 _, [full], 32;
        .loc 1 5 0
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%p0], 16, [full];
        meet:
        .loc 1 6 0
        bar.sync 0;
        .loc 1 7 0
        wait:
        mbarrier.try_wait.parity.shared.b64 %q2, [full], 0;
        @!%q2 bra wait;
        ld.shared.u32 %r4, [tile];
        """);
    var schedule = Simulator.load(ptx).explore(launch(ptx, 64), Kernels.PLAIN, LIMITS).schedule();
    var text = schedule.text();
    // A warp stops where it meets others; the copy is of the line that began it.
    assertTrue(text.contains(" to copy.cu:6\n") && text.contains("0/0#0 of copy.cu:5\n"), text);
    // Only 16 of the 32 bytes that are awaited come.
    assertTrue(text.endsWith(" to copy.cu:7\n"), text);
    assertEquals(schedule.steps(), Schedule.parse(text).steps());
  }

  @Test
  void aScheduleOfAnotherLaunchIsRefused() {
    var ptx = Kernels.kernel(1, TICKETS);
    var schedule = new Schedule(List.of("0/7"));
    var refusal = assertThrows(IllegalArgumentException.class,
        () -> Simulator.load(ptx).replay(launch(ptx, 64), Kernels.PLAIN, schedule));
    assertTrue(refusal.getMessage().contains("step 1, '0/7'"), refusal.getMessage());
  }

  @Test
  void aLaunchOfManyWarpsIsRefused() {
    var ptx = Kernels.kernel(1, TICKETS);
    var large = Kernels.launch(ptx, Dim3.of(65), Dim3.of(32), 0, new int[4]);
    var refusal = assertThrows(IllegalArgumentException.class,
        () -> Simulator.load(ptx).explore(large, Kernels.PLAIN, LIMITS));
    assertTrue(refusal.getMessage().contains("65 blocks"), refusal.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0/1", "tilewright schedule 1\n0/1 x", "tilewright schedule 1\n0/1 x99999999999",
      "tilewright schedule 1\nwarp 1", "tilewright schedule 1\n0/1 x0"})
  void whatIsNoScheduleIsRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> Schedule.parse(text));
  }
}
