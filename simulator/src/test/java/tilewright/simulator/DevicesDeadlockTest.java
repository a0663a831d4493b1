package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Waits of several devices that never end, and their neighbours that do. */
class DevicesDeadlockTest {
  private static final int SEEDS = 3;

  @Test
  void devicesThatWaitForEachOtherAreADeadlock() {
    var wait = """
        POLL: ld.acquire.sys.global.u32 %%r2, [%%p%d];
        setp.eq.u32 %%q1, %%r2, 0;
        @%%q1 bra POLL;
        bar.sync 0;
        st.release.sys.global.u32 [%%p%d], 1;
        """;
    for (int seed = 0; seed < SEEDS; seed++) {
      var result = Devices.of(1, 32, wait.formatted(0, 2), wait.formatted(2, 0)).run(seed);
      for (int device = 0; device < 2; device++) {
        var found = result.devices().get(device).findings();
        assertEquals(1, found.size());
        assertEquals(Finding.Kind.DEADLOCK, found.getFirst().kind());
        assertEquals("ld.acquire.sys.global.u32 %r2, [%p" + 2 * device + "]", found.getFirst().text());
        assertTrue(found.getFirst().message().contains("of device " + device + " asks again and again at line"),
            found.getFirst().message());
        assertTrue(found.getFirst().message().contains("for 'flags" + device + "' + 0 (now 0x0)"),
            found.getFirst().message());
      }
    }
  }

  @Test
  void aWaitThatNobodyEndsIsADeadlockThoughTheOtherDeviceIsDone() {
    var devices = DevicesTest.handOver("st.release.sys.global.u32 [%p2], 2;", "ld.acquire.sys.global.u32");
    var found = devices.run(3).findings();
    assertEquals(List.of(Finding.Kind.DEADLOCK), found.stream().map(Finding::kind).toList());
    assertTrue(found.getFirst().message().contains("(now 0x2)"), found.getFirst().message());
    assertTrue(found.getFirst().message().contains("warp 1 waits at line"), found.getFirst().message());
  }

  @Test
  void aDeadlockOfOneBlockIsFoundWhileAnotherDeviceWaitsForIt() {
    var stuck = """
        setp.eq.u32 %q0, %t, 0;
        @%q0 bar.sync 1, 64;
        """;
    for (int seed = 0; seed < SEEDS; seed++) {
      for (var other : List.of("", "POLL: ld.acquire.sys.global.u32 %r2, [%p2];\nbra POLL;")) {
        var found = Devices.of(1, 32, stuck, other).run(seed).devices().get(0).findings();
        assertEquals(List.of(Finding.Kind.DEADLOCK), found.stream().map(Finding::kind).toList());
        assertTrue(found.getFirst().text().contains("bar.sync 1"), found.toString());
      }
    }
  }

  @Test
  void aLongLoopIsNoDeadlock() {
    var devices = DevicesTest.handOver("""
        mov.u32 %r5, 0;
        LOOP: add.u32 %r5, %r5, 1;
        setp.lt.u32 %q3, %r5, 50000;
        @%q3 bra LOOP;
        st.release.sys.global.u32 [%p2], 1;""", "ld.acquire.sys.global.u32");
    assertEquals(List.of(), devices.findings(2));
  }

  @Test
  void anErrorWhileDevicesAreProbedForAStandstillIsFound() {
    var late = """
        mov.u32 %r5, 0;
        LOOP: add.u32 %r5, %r5, 1;
        setp.lt.u32 %q3, %r5, 50000;
        @%q3 bra LOOP;
        st.global.u32 [%p1 + 256], 1;
        """;
    for (int seed = 0; seed < SEEDS; seed++) {
      assertEquals(List.of(Finding.Kind.OUT_OF_BOUNDS),
          Devices.of(1, 1, late, "").run(seed).findings().stream().map(Finding::kind).toList());
    }
  }
}
