package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.ptx.Dim3;

/** What waiting for bulk groups promises, and what it does not. */
class BulkGroupsTest {
  /** Blocks of code between which copies may land. */
  private static final String LOOP = """
      mov.u32 %r5, 0;
      LOOP: add.u32 %r5, %r5, 1;
      setp.lt.u32 %q1, %r5, 200;
      @%q1 bra LOOP;
      """;

  /** One thread stores 16 bytes in bulk and reads back the first word. */
  private static String kernel(String waits) {
    return Kernels.kernel("sm_90a", 2, ".shared .align 128 .b8 tile[256];", """
          mov.u32 %%r0, tile;
          setp.ne.u32 %%q0, %%t, 0;
          @%%q0 bra DONE;
          mov.u32 %%r1, 7;
          st.shared.u32 [%%r0], %%r1;
          st.shared.u32 [%%r0+4], %%r1;
          st.shared.u32 [%%r0+8], %%r1;
          st.shared.u32 [%%r0+12], %%r1;
          fence.proxy.async;
          cp.async.bulk.global.shared::cta.bulk_group [%%p0], [%%r0], 16;
          cp.async.bulk.commit_group;
          %s
          %s
          ld.global.u32 %%r2, [%%p0];
          st.global.u32 [%%p1], %%r2;
        DONE:
        """.formatted(waits, LOOP));
  }

  private static Set<Integer> outcomes(String waits, boolean inMemory) {
    var seen = new TreeSet<Integer>();
    for (int seed = 0; seed < 60; seed++) {
      int[] memory = {1, 1, 1, 1};
      int[] read = {0};
      Kernels.run(kernel(waits), 32, Kernels.PLAIN.withSeed(seed), memory, read);
      seen.add(inMemory ? memory[0] : read[0]);
    }
    return seen;
  }

  @Test
  void afterTheWaitTheDataIsThere() {
    assertEquals(Set.of(7), outcomes("cp.async.bulk.wait_group 0;", false));
  }

  @Test
  void afterTheWaitForReadingTheDataMayStillBeUnderWay() {
    assertEquals(Set.of(1, 7), outcomes("cp.async.bulk.wait_group.read 0;", false));
  }

  @Test
  void afterTheWaitForReadingTheSourceMayBeOverwritten() {
    assertEquals(Set.of(7), outcomes("cp.async.bulk.wait_group.read 0; st.shared.u32 [%r0], %t;", true));
  }

  @Test
  void withoutAWaitTheSourceMustNotBeOverwritten() {
    assertEquals(Set.of(0, 7), outcomes(LOOP.replace("LOOP", "DELAY") + "st.shared.u32 [%r0], %t;", true));
  }

  @Test
  void groupsThatMayBePendingAreNotWaitedFor() {
    assertEquals(Set.of(1, 7), outcomes("cp.async.bulk.wait_group 1;" + LOOP.replace("LOOP", "DELAY"), false));
  }

  /** Eight blocks each store 16 bytes of their own in bulk, and exit. */
  private static String leaving(String wait) {
    return Kernels.kernel("sm_90a", 1, ".shared .align 128 .b8 tile[256];", """
          mov.u32 %%r0, tile;
          mov.u32 %%r1, %%ctaid.x;
          add.u32 %%r2, %%r1, 100;
          st.shared.v4.u32 [%%r0], {%%r2, %%r2, %%r2, %%r2};
          fence.proxy.async;
          mul.wide.u32 %%l0, %%r1, 16;
          add.u64 %%l0, %%l0, %%p0;
          cp.async.bulk.global.shared::cta.bulk_group [%%l0], [%%r0], 16;
          cp.async.bulk.commit_group;
          %s
        """.formatted(wait));
  }

  @Test
  void aBlockThatExitsWhileItsCopyReadsIsReportedAndTheLaunchGoesOn() {
    boolean found = false;
    for (int seed = 0; seed < 60; seed++) {
      int[] memory = new int[32];
      var result = Kernels.run(leaving(""), Dim3.of(8), Dim3.of(1), 0, Kernels.SANITIZED.withSeed(seed), memory);
      assertTrue(Set.of(Finding.Kind.EARLY_EXIT).containsAll(Kernels.kinds(result)), result.findings().toString());
      found |= !result.ok();
      assertArrayEquals(IntStream.range(0, 32).map(i -> 100 + i / 4).toArray(), memory);
    }
    assertTrue(found);
  }

  @ParameterizedTest
  @ValueSource(strings = {".read 0", " 0"})
  void aBlockMayExitWhileItsCopyWrites(String wait) {
    for (int seed = 0; seed < 60; seed++) {
      int[] memory = new int[32];
      var ptx = leaving("cp.async.bulk.wait_group" + wait + ";");
      var result = Kernels.run(ptx, Dim3.of(8), Dim3.of(1), 0, Kernels.SANITIZED.withSeed(seed), memory);
      assertEquals(List.of(), result.findings());
      assertArrayEquals(IntStream.range(0, 32).map(i -> 100 + i / 4).toArray(), memory);
    }
  }

  @Test
  void aByteMaskSaysWhichOfSixteenBytesAreWritten() {
    var ptx = Kernels.kernel("sm_100a", 1, ".shared .align 128 .b8 tile[256];", """
          mov.u32 %r0, tile;
          shl.b32 %r2, %t, 2;
          add.u32 %r1, %r0, %r2;
          mov.u32 %r3, 0x04030201;
          st.shared.u32 [%r1], %r3;
          fence.proxy.async;
          bar.sync 0;
          setp.ne.u32 %q0, %t, 0;
          @%q0 bra DONE;
          mov.u16 %h0, 0x8421;
          cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%p0], [%r0], 32, %h0;
          cp.async.bulk.commit_group;
          cp.async.bulk.wait_group 0;
        DONE:
        """);
    int[] memory = new int[12];
    assertEquals(List.of(), Kernels.run(ptx, 32, Kernels.PLAIN, memory).findings());
    assertEquals(List.of(0x00000001, 0x00000200, 0x00030000, 0x04000000, 0x00000001, 0x00000200, 0x00030000, 0x04000000,
        0, 0, 0, 0), java.util.Arrays.stream(memory).boxed().toList());
  }
}
