package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What reports of deadlocks say: who waits where, for what, and who could still bring it. */
class DeadlockTest {
  /** q0: is thread 0; q1: is of warp 0; q4: is of the lower half of its warp. */
  private static final String START = """
      .shared .align 8 .b64 bar;
      setp.eq.u32 %q0, %t, 0;
      setp.lt.u32 %q1, %t, 32;
      and.b32 %r1, %t, 31;
      setp.lt.u32 %q4, %r1, 16;
      @%q0 mbarrier.init.shared.b64 [bar], 2;
      bar.sync 0;
      """;
  private static final String AWAIT =
      "W: mbarrier.try_wait.parity.shared.b64 %q2, [bar], 0;\n@!%q2 bra W;\n";

  private static Finding stuck(Finding.Kind kind, String body, int threads) {
    var result = Kernels.run(Kernels.kernel("sm_90a", 1, "", START + body), threads, Kernels.PLAIN, new int[64]);
    assertEquals(List.of(kind), Kernels.kinds(result), result.findings().toString());
    return result.findings().getFirst();
  }

  private static void says(Finding found, String... parts) {
    for (var part : parts) assertTrue(found.message().contains(part), "no '" + part + "' in: " + found.message());
  }

  @Test
  void lanesThatAwaitOthersWhichWaitForAnMbarrierAreADeadlockAtTheMbarrier() {
    var found = stuck(Finding.Kind.DEADLOCK, """
        @%q0 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 48;
        @!%q1 bra MEET;
        @!%q4 bra MEET;
        """ + AWAIT + "MEET: bar.sync 0;\n", 64);
    assertTrue(found.text().contains("mbarrier.try_wait"), found.toString());
    says(found, "warp 0 lanes 0-15 waits at line", "warp 0 lanes 16-31 waits at line",
        "mbarrier shared 'bar' + 0: phase 0, 1 of 2 arrivals pending, transaction count 48",
        "arrived in this phase: warp 0", "could still arrive: warp 1",
        "barrier 0 expects all threads, arrived: warps 1, missing: warps 0");
  }

  @Test
  void whenAllOthersHaveExitedNobodyCouldArriveAnyMore() {
    says(stuck(Finding.Kind.DEADLOCK, "@!%q1 exit;\n" + AWAIT, 64),
        "2 of 2 arrivals pending, transaction count 0, no warp could still arrive");
    says(stuck(Finding.Kind.DEADLOCK, "@%q0 mbarrier.arrive.shared.b64 _, [bar];\n@!%q1 exit;\n" + AWAIT, 64),
        "1 of 2 arrivals pending", "arrived in this phase: warp 0, no warp could still arrive");
  }

  @Test
  void aCountedBarrierTellsWhoCouldStillArrive() {
    says(stuck(Finding.Kind.DEADLOCK, "@%q1 bra A;\nbar.sync 1, 96;\nA: bar.sync 2, 128;\n", 96),
        "barrier 1 expects 96, arrived: warps 1-2, missing: 32 threads, could still arrive: warps 0",
        "barrier 2 expects 128, arrived: warps 0, missing: 96 threads, could still arrive: warps 1-2");
    says(stuck(Finding.Kind.DEADLOCK, "@%q1 exit;\nbar.sync 1, 96;\n", 96),
        "arrived: warps 1-2, missing: 32 threads, no warp could still arrive");
  }

  @Test
  void aWarpWhoseLanesAllWaitForEachOtherIsDiverged() {
    var found = stuck(Finding.Kind.BARRIER_DIVERGENCE, "@!%q1 bra MEET;\n@%q4 bra MEET;\nbar.sync 1, 64;\n"
        + "bra END;\nMEET: bar.sync 2, 64;\nEND:\n", 64);
    says(found, "warp 0 lanes 0-15 waits at line", "warp 0 lanes 16-31 waits at line",
        "barrier 2 expects 64, arrived: warps 1, missing: 32 threads, could still arrive: warps 0");
  }
}
