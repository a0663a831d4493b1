package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code cp.async}, {@code cp.async.bulk} and mbarriers: when data arrives, and what is said when nobody waited. */
class AsyncCopiesTest {
  private static final String ADDRESSES = """
      .shared .align 16 .b8 tile[2048];
      mov.u32 %r10, tile;
      mad.lo.u32 %r11, %t, 16, %r10;
      mul.wide.u32 %l1, %t, 16;
      add.s64 %l1, %p0, %l1;
      """;
  private static final String STORE_OWN = "ld.shared.u32 %r0, [%r11];\n" + Instructions.store("u32", "%r0", 1, "%t4");
  private static final String STORE_OTHER = """
      xor.b32 %r12, %t, 32;
      mad.lo.u32 %r13, %r12, 16, %r10;
      ld.shared.u32 %r0, [%r13];
      """ + Instructions.store("u32", "%r0", 1, "%t4");

  private static SimulationResult run(String body, long seed, int[] out) {
    int[] in = IntStream.range(0, 256).map(i -> 7 * i).toArray();
    return Kernels.run(Kernels.kernel(2, ADDRESSES + body), 64, Kernels.SANITIZED.withSeed(seed), in, out);
  }

  @Test
  void aWaitedForCopyIsThere() {
    for (long seed = 0; seed < 8; seed++) {
      int[] out = new int[64];
      var result = run("""
          cp.async.cg.shared.global [%r11], [%l1], 16;
          cp.async.commit_group;
          cp.async.wait_group 0;
          bar.sync 0;
          """ + STORE_OTHER, seed, out);
      assertEquals(List.of(), result.findings());
      assertArrayEquals(IntStream.range(0, 64).map(t -> 28 * (t ^ 32)).toArray(), out);
    }
  }

  @Test
  void withoutAWaitTheReadIsFoundUnderEverySeedAndTheDataMayBeMissing() {
    var seen = new HashSet<Integer>();
    for (long seed = 0; seed < 16; seed++) {
      int[] out = new int[64];
      var result = run("cp.async.ca.shared.global [%r11], [%l1], 4;\ncp.async.commit_group;\n" + STORE_OWN, seed, out);
      assertTrue(Kernels.kinds(result).contains(Finding.Kind.PENDING_COPY_READ), result.findings().toString());
      seen.add(out[1]);
    }
    assertTrue(seen.contains(28), "some seed lands the copy early");
    assertTrue(seen.size() > 1, "some seed lands it late");
  }

  @Test
  void waitingForAllButTheNewestGroupLeavesTheNewestPending() {
    var body = """
        cp.async.ca.shared.global [%r11], [%l1], 4;
        cp.async.commit_group;
        cp.async.ca.shared.global [%r11+4], [%l1+4], 4;
        cp.async.commit_group;
        cp.async.wait_group 1;
        """;
    int[] out = new int[64];
    assertEquals(List.of(), run(body + STORE_OWN, 3, out).findings());
    assertEquals(28 * 5, out[5]);
    assertEquals(List.of(Finding.Kind.PENDING_COPY_READ),
        Kernels.kinds(run(body + STORE_OWN.replace("[%r11]", "[%r11+4]"), 3, out)));
  }

  @Test
  void waitAllNeedsNoCommit() {
    int[] out = new int[64];
    assertEquals(List.of(),
        run("cp.async.ca.shared.global [%r11], [%l1], 8;\ncp.async.wait_all;\n" + STORE_OWN, 1, out).findings());
    assertEquals(28 * 9, out[9]);
  }

  @Test
  void anotherWarpMayReadOnlyAfterTheBarrier() {
    int[] out = new int[64];
    var result = run("""
        cp.async.cg.shared.global [%r11], [%l1], 16;
        cp.async.commit_group;
        cp.async.wait_group 0;
        """ + STORE_OTHER, 0, out);
    assertTrue(Kernels.kinds(result).contains(Finding.Kind.RACE)
        || Kernels.kinds(result).contains(Finding.Kind.PENDING_COPY_READ), result.findings().toString());
    assertNotEquals(List.of(), result.findings());
  }

  @Test
  void shortSourcesAreFilledUpWithZerosAndEmptyOnesAreNotRead() {
    int[] out = new int[64];
    // Odd threads copy eight of sixteen bytes, thread 0 nothing, from an address outside every buffer.
    var result = run("""
        and.b32 %r1, %t, 1;
        setp.eq.u32 %q0, %r1, 1;
        selp.b32 %r2, 8, 16, %q0;
        setp.eq.u32 %q1, %t, 0;
        selp.b32 %r2, 0, %r2, %q1;
        selp.b64 %l1, 0, %l1, %q1;
        cp.async.cg.shared.global.L2::128B [%r11], [%l1], 16, %r2;
        cp.async.wait_all;
        """ + STORE_OWN.replace("[%r11]", "[%r11+8]"), 0, out);
    assertEquals(List.of(), result.findings());
    assertArrayEquals(IntStream.range(0, 64).map(t -> t % 2 == 1 || t == 0 ? 0 : 7 * (4 * t + 2)).toArray(), out);
  }

  @Test
  void ignoredSourcesGiveZeros() {
    int[] out = new int[64];
    assertEquals(List.of(), run("""
        setp.lt.u32 %q0, %t, 10;
        cp.async.ca.shared.global [%r11], [%l1], 4, %q0;
        cp.async.wait_all;
        """ + STORE_OWN, 0, out).findings());
    assertArrayEquals(IntStream.range(0, 64).map(t -> t < 10 ? 0 : 28 * t).toArray(), out);
  }

  @Test
  void copiesAreBoundedLikeAnyAccess() {
    var result = run("cp.async.cg.shared.global [%r11], [%l1+16], 16;\n", 0, new int[64]);
    assertEquals(List.of(Finding.Kind.OUT_OF_BOUNDS), Kernels.kinds(result));
    assertEquals(63, result.findings().getFirst().thread().x());
  }

  private static final String BULK = """
      .shared .align 16 .b8 tile[1024];
      .shared .align 8 .b64 full;
      mov.u32 %r10, tile;
      mov.u32 %r11, full;
      setp.eq.u32 %q0, %t, 0;
      @%q0 mbarrier.init.shared::cta.b64 [%r11], 1;
      fence.mbarrier_init.release.cluster;
      bar.sync 0;
      @%q0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r11], EXPECTED;
      @%q0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%p0], 1024, [%r11];
      """;
  private static final String WAIT = """
      WAIT: mbarrier.try_wait.parity.shared::cta.b64 %q1, [%r11], 0;
      @!%q1 bra WAIT;
      """;
  private static final String READ = """
      mad.lo.u32 %r12, %t, 4, %r10;
      ld.shared.u32 %r0, [%r12];
      """ + Instructions.store("u32", "%r0", 1, "%t4");

  private static SimulationResult bulk(String expected, String rest, long seed, int[] out) {
    int[] in = IntStream.range(0, 256).map(i -> 3 * i).toArray();
    var ptx = Kernels.kernel("sm_90", 2, "", BULK.replace("EXPECTED", expected) + rest);
    return Kernels.run(ptx, 256, Kernels.SANITIZED.withSeed(seed), in, out);
  }

  @Test
  void waitersOfAnMbarrierSeeTheBulkCopy() {
    for (long seed = 0; seed < 8; seed++) {
      int[] out = new int[256];
      assertEquals(List.of(), bulk("1024", WAIT + READ, seed, out).findings());
      assertArrayEquals(IntStream.range(0, 256).map(t -> 3 * t).toArray(), out);
    }
  }

  @Test
  void readingABulkCopyWithoutWaitingIsFound() {
    for (long seed = 0; seed < 8; seed++) {
      var kinds = Kernels.kinds(bulk("1024", READ, seed, new int[256]));
      assertTrue(kinds.contains(Finding.Kind.RACE) || kinds.contains(Finding.Kind.PENDING_COPY_READ), "seed " + seed
          + " " + kinds);
    }
  }

  @Test
  void expectingOtherBytesThanAreCopiedIsADeadlockWithTheBalance() {
    var result = bulk("2048", WAIT + READ, 0, new int[256]);
    assertEquals(List.of(Finding.Kind.DEADLOCK), Kernels.kinds(result));
    var message = result.findings().getFirst().message();
    assertTrue(message.contains("phase 0, 0 of 1 arrivals pending, transaction count 1024"), message);
  }

  @Test
  void phasesAlternateBetweenParities() {
    // Every thread arrives eight times and waits for each phase by its parity, or by its token.
    var parity = """
        and.b32 %r2, %r1, 1;
        mbarrier.arrive.shared::cta.b64 %l0, [%r11];
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %q1, [%r11], %r2;
        @!%q1 bra WAIT;
        """;
    var token = """
        mbarrier.arrive.shared::cta.b64 %l0, [%r11];
        WAIT: mbarrier.test_wait.shared::cta.b64 %q1, [%r11], %l0;
        @!%q1 bra WAIT;
        """;
    for (var wait : List.of(parity, token)) {
      var ptx = Kernels.kernel("sm_90", 1, "", """
          .shared .align 8 .b64 bar;
          .shared .align 4 .b32 count;
          mov.u32 %r11, bar;
          setp.ne.u32 %q0, %t, 0;
          @%q0 bra READY;
          mbarrier.init.shared::cta.b64 [%r11], 96;
          mov.u32 %r0, 0;
          st.shared.u32 [count], %r0;
          READY: bar.sync 0;
          mov.u32 %r1, 0;
          NEXT: atom.shared.add.u32 %r3, [count], 1;
          """ + wait + """
          ld.shared.u32 %r4, [count];
          add.u32 %r1, %r1, 1;
          mul.lo.u32 %r5, %r1, 96;
          setp.lt.u32 %q2, %r4, %r5;
          @%q2 trap;
          setp.lt.u32 %q3, %r1, 8;
          @%q3 bra NEXT;
          """);
      for (long seed = 0; seed < 4; seed++) {
        var kinds = Kernels.kinds(Kernels.run(ptx, 96, Kernels.PLAIN.withSeed(seed), new int[1]));
        assertEquals(List.of(), kinds);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mbarrier.arrive.shared::cta.b64 %l0, [tile];", "mbarrier.init.shared::cta.b64 [tile], 0;",
      "mbarrier.init.shared::cta.b64 [tile], 1; mbarrier.arrive.shared::cta.b64 %l0, [tile], 2;",
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%p0], 16, [tile];"})
  void misusedMbarriersAreReported(String body) {
    var ptx = Kernels.kernel("sm_90", 1, "", ".shared .align 16 .b8 tile[64];\n" + body + "\n");
    assertEquals(List.of(Finding.Kind.INVALID_OPERATION),
        Kernels.kinds(Kernels.run(ptx, 1, Kernels.PLAIN, new int[64])));
  }

  @Test
  void bulkStoresReadTheirSourceUntilTheWait() {
    var store = """
        .shared .align 16 .b8 tile[256];
        mov.u32 %r10, tile;
        mad.lo.u32 %r11, %t, 4, %r10;
        st.shared.u32 [%r11], %t;
        fence.proxy.async.shared::cta;
        bar.sync 0;
        setp.eq.u32 %q0, %t, 0;
        @%q0 cp.async.bulk.global.shared::cta.bulk_group [%p0], [%r10], 256;
        @%q0 cp.async.bulk.commit_group;
        WAIT
        bar.sync 0;
        mov.u32 %r1, 9;
        st.shared.u32 [%r11], %r1;
        """;
    int[] out = new int[64];
    var clean = Kernels.kernel("sm_90", 1, "", store.replace("WAIT", "@%q0 cp.async.bulk.wait_group.read 0;"));
    assertEquals(List.of(), Kernels.run(clean, 64, Kernels.SANITIZED, out).findings());
    assertArrayEquals(IntStream.range(0, 64).toArray(), out);
    var hasty = Kernels.kernel("sm_90", 1, "", store.replace("WAIT", ""));
    boolean found = false;
    for (long seed = 0; seed < 8; seed++) {
      found |= Kernels.kinds(Kernels.run(hasty, 64, Kernels.SANITIZED.withSeed(seed), out)).contains(Finding.Kind.RACE);
    }
    assertTrue(found, "some schedule overwrites the source before it is read");
  }

  @Test
  void whatABulkStoreWritesIsInitialisedAndNothingElse() {
    var body = ADDRESSES + """
        st.shared.u32 [%r11], %t;
        st.shared.u32 [%r11+4], %t;
        st.shared.u32 [%r11+8], %t;
        st.shared.u32 [%r11+12], %t;
        fence.proxy.async;
        bar.sync 0;
        setp.eq.u32 %q0, %t, 0;
        @%q0 cp.async.bulk.global.shared::cta.bulk_group [%p1], [%r10], 512;
        @%q0 cp.async.bulk.commit_group;
        @%q0 cp.async.bulk.wait_group 0;
        bar.sync 0;
        ld.global.u32 %r0, [%p1+508];
        @%q0 st.global.u32 [%p0], %r0;
        """;
    var options = Kernels.SANITIZED.withUninitialized(Set.of("arg1"));
    assertEquals(List.of(), Kernels.run(Kernels.kernel("sm_90", 2, "", body), 64, options, new int[256], new int[256])
        .findings());
    var beyond = Kernels.kernel("sm_90", 2, "", body.replace("+508", "+512"));
    assertEquals(List.of(Finding.Kind.UNINITIALIZED_READ),
        Kernels.kinds(Kernels.run(beyond, 64, options, new int[256], new int[256])));
  }
}
