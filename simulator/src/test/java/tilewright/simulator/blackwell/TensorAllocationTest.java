package tilewright.simulator.blackwell;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.simulator.Finding;
import tilewright.simulator.Kernels;
import tilewright.simulator.SimulationResult;

/** The rules of allocation: sizes, order, blocking, pairs of CTAs, and that everything is freed. */
class TensorAllocationTest {
  private static SimulationResult run(int threads, String body) {
    return Blackwell.run(Blackwell.kernel(1, "", body), 1, 1, threads, 64, Blackwell.PLAIN, new int[64]);
  }

  private static void finds(Finding.Kind kind, String part, SimulationResult result) {
    assertEquals(List.of(kind), Kernels.kinds(result));
    var message = result.findings().getFirst().message();
    assertTrue(message.contains(part), message);
  }

  private static String allocate(String columns) {
    return "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%sm], " + columns + ";\n";
  }

  private static String free(String address, int columns) {
    return "tcgen05.dealloc.cta_group::1.sync.aligned.b32 " + address + ", " + columns + ";\n";
  }

  @Test
  void theFirstAllocationBeginsAtColumnZeroAndTheNextFollows() {
    var out = new int[4];
    var ptx = Blackwell.kernel(1, "", allocate("64") + "ld.shared.b32 %r1, [%sm];\n" + allocate("32")
        + "ld.shared.b32 %r2, [%sm];\n" + free("%r1", 64) + allocate("32") + "ld.shared.b32 %r3, [%sm];\n"
        + free("%r3", 32) + free("%r2", 32) + "st.global.v4.b32 [%p0], {%r1, %r2, %r3, %r3};\n");
    assertEquals(List.of(), Blackwell.run(ptx, 1, 1, 32, 64, Blackwell.PLAIN, out).findings());
    assertArrayEquals(new int[] {0, 64, 0, 0}, out);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "16", "33", "96", "1024"})
  void sizesArePowersOfTwo(String columns) {
    finds(Finding.Kind.INVALID_OPERATION, "power of two from 32 to 512",
        run(32, "mov.u32 %r1, " + columns + ";\n" + allocate("%r1")));
  }

  @Test
  void sizesMustNotGrow() {
    var body = allocate("32") + "ld.shared.b32 %r1, [%sm];\n" + free("%r1", 32) + allocate("64");
    finds(Finding.Kind.INVALID_OPERATION, "sizes must not grow", run(32, body));
  }

  @Test
  void nobodyAllocatesAfterRelinquishing() {
    var body = "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n" + allocate("32");
    finds(Finding.Kind.INVALID_OPERATION, "after relinquish_alloc_permit", run(32, body));
  }

  @Test
  void onlyWholeAllocationsAreFreed() {
    var body = allocate("64") + "ld.shared.b32 %r1, [%sm];\n";
    finds(Finding.Kind.INVALID_OPERATION, "no allocation of that size begins", run(32, body + free("%r1", 32)));
    finds(Finding.Kind.INVALID_OPERATION, "columns 0 to 63 are allocated",
        run(32, body + "add.u32 %r1, %r1, 32;\n" + free("%r1", 32)));
  }

  @Test
  void whatIsNotFreedIsReported() {
    var result = run(32, allocate("128"));
    finds(Finding.Kind.TENSOR_MEMORY_LEAK, "128 columns of tensor memory allocated, from column 0 on", result);
    assertTrue(result.findings().getFirst().text().startsWith("tcgen05.alloc"), result.findings().toString());
  }

  @Test
  void instructionsOfOneAndOfTwoCtasDoNotMix() {
    var body = allocate("32") + "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;\n";
    var ptx = Blackwell.kernel(1, "", body);
    finds(Finding.Kind.INVALID_OPERATION, "must name the same",
        Blackwell.runUnassembled(ptx, 1, 1, 32, 64, Blackwell.PLAIN, new int[1]));
  }

  @Test
  void aPairNeedsACluster() {
    var body = "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%sm], 32;\n";
    finds(Finding.Kind.INVALID_OPERATION, "even number of CTAs", run(32, body));
  }

  /** Four warps take turns at all columns: three wait each time. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2, 3, 4, 5})
  void warpsWaitUntilThereIsRoom(long seed) {
    var out = new int[4];
    var ptx = Blackwell.kernel(1, "", """
          shl.b32 %r3, %w, 2;
          add.u32 %r3, %r3, %sm;
          tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], 512;
          ld.shared.b32 %r1, [%r3];
          shl.b32 %r4, %w, 21;
          add.u32 %r4, %r4, %r1;
          tcgen05.st.sync.aligned.32x32b.x1.b32 [%r4], {%w};
          tcgen05.wait::st.sync.aligned;
          tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r5}, [%r4];
          tcgen05.wait::ld.sync.aligned;
          mul.wide.u32 %l1, %w, 4;
          add.u64 %l1, %l1, %p0;
          st.global.b32 [%l1], %r5;
          tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 512;
        """);
    assertEquals(List.of(), Blackwell.run(ptx, 1, 1, 128, 64, Blackwell.PLAIN.withSeed(seed), out).findings());
    assertArrayEquals(new int[] {0, 1, 2, 3}, out);
  }

  @Test
  void waitingForRoomThatNobodyMakesIsADeadlock() {
    finds(Finding.Kind.DEADLOCK, "wants 512 columns of tensor memory, of which columns 0 to 511 are allocated",
        run(32, allocate("512") + allocate("512")));
  }

  private static String pair(String first, String second) {
    return Blackwell.kernel(1, ".explicitcluster .reqnctapercluster 2,1,1", """
          mov.u32 %%r9, %%cluster_ctarank;
          setp.ne.u32 %%q1, %%r9, 0;
          tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%%sm], 256;
          ld.shared.b32 %%r1, [%%sm];
          add.u32 %%r2, %%r1, 7;
          mul.wide.u32 %%l1, %%r9, 4;
          add.u64 %%l1, %%l1, %%p0;
          st.global.b32 [%%l1], %%r2;
          @%%q1 bra SECOND;
          %s
          bra END;
        SECOND:
          %s
        END:
          tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;
        """.formatted(first, second));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2, 3})
  void bothCtasOfAPairAllocateAndFreeTogether(long seed) {
    var out = new int[] {-1, -1};
    var free = "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r1, 256;";
    assertEquals(List.of(),
        Blackwell.run(pair(free, free), 2, 2, 32, 64, Blackwell.PLAIN.withSeed(seed), out).findings());
    assertArrayEquals(new int[] {7, 7}, out);
  }

  @Test
  void freeingWithoutThePeerIsADeadlock() {
    var free = "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r1, 256;";
    var result = Blackwell.run(pair(free, ""), 2, 2, 32, 64, Blackwell.PLAIN, new int[2]);
    finds(Finding.Kind.DEADLOCK, "wants to free tensor memory together with the peer CTA", result);
  }

  @ParameterizedTest
  @CsvSource({"0, 32, columns 32 to 32", "0, 31, columns 31 to 32"})
  void columnsThatAreNotAllocatedAreOutOfBounds(int lane, int column, String part) {
    int repeats = column == 31 ? 2 : 1;
    var body = Blackwell.allocate(32) + "add.u32 %r2, %tm, " + (lane << 16 | column)
        + ";\ntcgen05.ld.sync.aligned.32x32b.x" + repeats + ".b32 " + Blackwell.vector("%v", repeats) + ", [%r2];\n"
        + Blackwell.free(32);
    finds(Finding.Kind.OUT_OF_BOUNDS, part, run(32, body));
  }

  @Test
  void theDestinationMayBeAGenericAddressOfSharedMemory() {
    var out = new int[] {-1};
    var generic = "cvt.u64.u32 %l1, %sm;\ncvta.shared.u64 %l1, %l1;\n" + allocate("64").replace("%sm", "%l1");
    var ptx = Blackwell.kernel(1, "", generic + "ld.shared.b32 %r1, [%sm];\nst.global.b32 [%p0], %r1;\n"
        + free("%r1", 64));
    assertEquals(List.of(), Blackwell.run(ptx, 1, 1, 32, 64, Blackwell.PLAIN, out).findings());
    assertEquals(0, out[0]);
  }

  @Test
  void lanesOfThePairsSecondBlockMayBeCountedFromOneHundredAndTwentyEight() {
    var body = Blackwell.allocate(32) + "add.u32 %r2, %tm, " + (128 << 16)
        + ";\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%v0}, [%r2];\n" + Blackwell.free(32);
    assertEquals(List.of(), run(32, body).findings());
  }

  @ParameterizedTest
  @CsvSource({"32x32b, 32", "32x32b, 16", "16x64b, 8", "16x64b, 112", "32x32b, 160"})
  void lanesOfOtherWarpsAreOutOfReach(String shape, int lane) {
    var body = Blackwell.allocate(32) + "add.u32 %r2, %tm, " + (lane << 16) + ";\ntcgen05.ld.sync.aligned." + shape
        + ".x1.b32 {%v0}, [%r2];\n" + Blackwell.free(32);
    finds(Finding.Kind.INVALID_OPERATION, "warp 0 reaches lanes 0 to 31", run(32, body));
  }

  @Test
  void theLanesOfAWarpNameOneAddress() {
    var body = Blackwell.allocate(32) + "add.u32 %r2, %tm, %t;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%v0}, [%r2];\n"
        + Blackwell.free(32);
    finds(Finding.Kind.INVALID_OPERATION, "their addresses differ", run(32, body));
  }
}
