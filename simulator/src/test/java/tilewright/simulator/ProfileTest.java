package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.ptx.Dim3;

/** Counts of small kernels, against counts by hand. */
class ProfileTest {
  private static final SimulatorOptions PROFILED = Kernels.PLAIN.withProfile(true);

  private static Profile profile(String body, int blocks, int threads) {
    var result = Kernels.run(Kernels.kernel(1, body), Dim3.of(blocks), Dim3.of(threads), 0, PROFILED, new int[4096]);
    assertEquals(List.of(), result.findings());
    return result.profile().orElseThrow();
  }

  private static Map<String, Long> threads(Profile p) {
    return p.classes().stream().collect(Collectors.toMap(Profile.ClassCount::name, Profile.ClassCount::threads));
  }

  @Test
  void instructionsAreCountedByClassWarpAndThread() {
    var p = profile("""
        setp.lt.u32 %q0, %t, 8;
        @!%q0 bra END;
        fma.rn.f32 %f0, %f1, %f2, %f3;
        fma.rn.f32 %f0, %f1, %f2, %f3;
        END:
        """, 2, 40);
    var count = threads(p);
    assertEquals(2 * 2 * 8, count.get("f32"));
    assertEquals(2 * 40, count.get("compare"));
    // The branch and the end of the kernel.
    assertEquals(2 * 2 * 40, count.get("control"));
    var f32 = p.classes().stream().filter(c -> c.name().equals("f32")).findFirst().orElseThrow();
    assertEquals(2 * 2, f32.warps());
  }

  @Test
  void everyInstructionIsCountedByLine() {
    var p = profile("""
        setp.lt.u32 %q0, %t, 8;
        @!%q0 bra END;
        ex2.approx.ftz.f32 %f0, %f1;
        END:
        """, 2, 40);
    var ex2 = p.executions().stream().filter(e -> e.instruction().startsWith("ex2")).toList();
    var setp = p.executions().stream().filter(e -> e.instruction().startsWith("setp")).toList();
    assertEquals(List.of(2L, 2L * 8), List.of(ex2.getFirst().warps(), ex2.getFirst().threads()));
    assertEquals(List.of(2L * 2, 2L * 40), List.of(setp.getFirst().warps(), setp.getFirst().threads()));
    assertEquals(setp.getFirst().line() + 2, ex2.getFirst().line());
  }

  @Test
  void bytesAreCountedBySpaceAndDirection() {
    var p = profile("""
        .shared .align 16 .b8 tile[512];
        .local .align 8 .b8 mine[8];
        add.s64 %l0, %p0, %t4;
        ld.global.u32 %r0, [%l0];
        mul.lo.u32 %r1, %t, 8;
        mov.u32 %r2, tile;
        add.u32 %r2, %r2, %r1;
        st.shared.v2.u32 [%r2], {%r0, %r0};
        st.local.u16 [mine], %h0;
        red.global.add.u32 [%l0], 1;
        """, 3, 32);
    var bytes = p.spaces().stream().collect(Collectors.toMap(Profile.SpaceTraffic::space, s -> s));
    assertEquals(3 * 32 * (4 + 4), bytes.get("global").bytesRead());
    assertEquals(3 * 32 * 4, bytes.get("global").bytesWritten());
    assertEquals(0, bytes.get("shared").bytesRead());
    assertEquals(3 * 32 * 8, bytes.get("shared").bytesWritten());
    assertEquals(3 * 32 * 2, bytes.get("local").bytesWritten());
  }

  /** 32 lanes of 4 bytes at a stride, from an offset: sectors are 32 bytes. */
  @ParameterizedTest
  @CsvSource({"4,0,4", "4,4,5", "4,16,5", "8,0,8", "32,0,32", "64,0,32", "0,0,1", "0,12,1", "-4,124,4"})
  void sectorsFollowStrideAndOffset(int stride, int offset, int sectors) {
    var p = profile("""
        mul.lo.s32 %%r1, %%t, %d;
        cvt.s64.s32 %%l1, %%r1;
        add.s64 %%l0, %%p0, %%l1;
        ld.global.u32 %%r0, [%%l0+%d];
        """.formatted(stride, offset), 2, 32);
    var load = p.globalAccesses().getFirst();
    assertEquals(1, p.globalAccesses().size());
    assertEquals(2, load.accesses());
    assertEquals(2 * sectors, load.sectors());
    assertEquals(2 * 4, load.ideal());
    assertTrue(load.instruction().startsWith("ld.global.u32"));
  }

  @Test
  void aWarpThatWaitsAtABarrierIsInTheTimeline() {
    var p = profile("""
        setp.lt.u32 %q0, %t, 32;
        @%q0 bra MEET;
        mov.u32 %r0, 0;
        LOOP: add.u32 %r0, %r0, 1;
        setp.lt.u32 %q1, %r0, 50;
        @%q1 bra LOOP;
        MEET: bar.sync 0;
        """, 1, 64);
    var waits = p.timeline().stream().filter(s -> s.what().startsWith("bar.sync")).toList();
    assertTrue(waits.stream().anyMatch(s -> s.warp() == 0), p.timeline().toString());
    for (int warp = 0; warp < 2; warp++) {
      int w = warp;
      var slices = p.timeline().stream().filter(s -> s.warp() == w).toList();
      for (int i = 1; i < slices.size(); i++) assertEquals(slices.get(i - 1).end(), slices.get(i).begin());
    }
  }

  @Test
  void equalSeedsGiveEqualProfiles() {
    var body = "st.global.u32 [%p0], %t;\nbar.sync 0;\nld.global.u32 %r0, [%p0];\n";
    assertEquals(profile(body, 4, 128), profile(body, 4, 128));
  }

  @Test
  void nothingIsCountedUnasked() {
    var result = Kernels.run(Kernels.kernel(1, "st.global.u32 [%p0], %t;\n"), 32, Kernels.PLAIN, new int[1]);
    assertTrue(result.profile().isEmpty());
    assertEquals(List.of(), result.globalTraffic());
  }

  /** Limits by hand: 65536 registers, 64 warps (48 on 8.6), 164 kB (100 kB) of shared memory, 32 (16) CTAs. */
  @ParameterizedTest
  @CsvSource({
      "80, 24, 0, 256, 8, threads", "80, 64, 0, 256, 4, registers", "80, 40, 0, 1024, 1, registers",
      "80, 16, 49152, 128, 3, shared memory", "80, 16, 0, 32, 32, CTAs", "86, 16, 0, 256, 6, threads",
      "86, 16, 0, 32, 16, CTAs", "90, 16, 49152, 128, 4, shared memory"})
  void theScarcestResourceLimitsOccupancy(int target, int registers, int shared, int threads, int ctas, String limit) {
    var occupancy = Occupancy.of(target, registers, shared, threads);
    assertEquals(ctas, occupancy.ctas());
    assertEquals(limit, occupancy.limit());
    assertEquals(ctas * threads / 32, occupancy.warps());
  }

  @Test
  void gapsThatNoticeOverrunsDoNotCountAsSharedMemory() {
    var p = profile("""
        .shared .align 4 .b8 first[100];
        .shared .align 16 .b8 second[64];
        mov.u32 %r1, first;
        mov.u32 %r2, second;
        st.shared.u32 [%r1], %t;
        st.shared.u32 [%r2], %t;
        """, 1, 1);
    assertEquals(112 + 64, p.occupancy().sharedBytes());
  }

  @Test
  void registersThatAreNeededTogetherAreCounted() {
    var p = profile("""
        ld.global.u32 %r1, [%p0];
        ld.global.u32 %r2, [%p0+4];
        ld.global.u64 %l1, [%p0+8];
        cvt.u64.u32 %l2, %r1;
        cvt.u64.u32 %l3, %r2;
        add.u64 %l1, %l1, %l2;
        add.u64 %l1, %l1, %l3;
        st.global.u64 [%p0], %l1;
        """, 1, 1);
    // The pointer, the 64-bit sum, one converted and the other still 32 bits wide; the most are at the conversions.
    assertTrue(p.occupancy().registers() >= 7 && p.occupancy().registers() <= 8, p.occupancy().toString());
  }
}
