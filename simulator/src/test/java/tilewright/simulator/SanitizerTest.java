package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each kind of finding on a minimal kernel, and its repaired counterpart without findings. */
class SanitizerTest {
  private static final String TILE = """
      .shared .align 16 .b8 tile[512];
      mov.u32 %r10, tile;
      mad.lo.u32 %r11, %t, 4, %r10;
      xor.b32 %r12, %t, 32;
      mad.lo.u32 %r13, %r12, 4, %r10;
      """;

  private static SimulationResult run(String body, SimulatorOptions options) {
    return Kernels.run(Kernels.kernel(1, TILE + body), 64, options, new int[64]);
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "st.shared.u32 [%r11], %t; HERE ld.shared.u32 %r0, [%r13];",
      "st.shared.u32 [%r11], %t; bar.sync 0; ld.shared.u32 %r0, [%r13]; HERE st.shared.u32 [%r11], %r0;",
      "st.shared.u32 [%r11], %t; HERE st.shared.u32 [%r13], %t;"})
  void unorderedConflictsOfTwoWarpsAreRaces(String body) {
    for (long seed = 0; seed < 6; seed++) {
      var options = Kernels.SANITIZED.withSeed(seed);
      var racy = run(body.replace("HERE", ""), options).findings();
      assertTrue(racy.stream().anyMatch(f -> f.kind() == Finding.Kind.RACE), "seed " + seed);
      assertEquals(List.of(), run(body.replace("HERE", "bar.sync 0;"), options).findings());
    }
  }

  @Test
  void withoutTheSanitizerOnlyFatalErrorsAreLookedFor() {
    assertEquals(List.of(), run("st.shared.u32 [%r11], %t;\nld.shared.u32 %r0, [%r13];\n", Kernels.PLAIN).findings());
  }

  @Test
  void aBarrierAmongOtherWarpsOrdersNothingHere() {
    // Warp 0 writes, warps 1 and 2 meet, warp 2 reads what warp 0 wrote.
    var body = """
        .shared .align 16 .b8 tile[512];
        setp.lt.u32 %q0, %t, 32;
        @%q0 bra WRITER;
        bar.sync 1, 64;
        ld.shared.u32 %r0, [tile];
        bra END;
        WRITER: setp.eq.u32 %q1, %t, 0;
        @%q1 st.shared.u32 [tile], %t;
        END:
        """;
    boolean found = false;
    for (long seed = 0; seed < 8; seed++) {
      found |= Kernels.kinds(Kernels.run(Kernels.kernel(0, body), 96, Kernels.SANITIZED.withSeed(seed)))
          .contains(Finding.Kind.RACE);
    }
    assertTrue(found);
  }

  @Test
  void neighbouringHalvesOfOneWordDoNotRace() {
    var body = """
        .shared .align 16 .b8 tile[512];
        mov.u32 %r10, tile;
        and.b32 %r1, %t, 31;
        shr.u32 %r2, %t, 5;
        shl.b32 %r3, %r1, 2;
        mad.lo.u32 %r4, %r2, 2, %r3;
        add.u32 %r5, %r10, %r4;
        cvt.u16.u32 %h0, %t;
        st.shared.u16 [%r5], %h0;
        ld.shared.u16 %h1, [%r5];
        """;
    for (long seed = 0; seed < 6; seed++) {
      assertEquals(List.of(), Kernels.run(Kernels.kernel(0, body), 64, Kernels.SANITIZED.withSeed(seed)).findings());
    }
  }

  @Test
  void atomicsOnOneWordDoNotRaceButPlainAccessesWithThemDo() {
    var atomics = """
        setp.eq.u32 %q0, %t, 0;
        mov.u32 %r1, 0;
        @%q0 st.shared.u32 [tile], %r1;
        bar.sync 0;
        atom.shared.add.u32 %r2, [tile], 1;
        """;
    assertEquals(List.of(), run(atomics, Kernels.SANITIZED).findings());
    boolean found = false;
    for (long seed = 0; seed < 8; seed++) {
      found |= Kernels.kinds(run(atomics + "ld.shared.u32 %r3, [tile];\n", Kernels.SANITIZED.withSeed(seed)))
          .contains(Finding.Kind.RACE);
    }
    assertTrue(found);
  }

  @Test
  void bytesNobodyWroteAreUninitialised() {
    var result = run("setp.lt.u32 %q0, %t, 5;\n@!%q0 st.shared.u32 [%r11], %t;\nld.shared.u32 %r0, [%r11];\n"
        + "st.shared.u32 [%r11], %r0;\n", Kernels.SANITIZED);
    assertEquals(List.of(Finding.Kind.UNINITIALIZED_READ), Kernels.kinds(result));
    assertEquals(5, result.findings().getFirst().count());
    assertEquals(0, result.findings().getFirst().thread().x());
    assertEquals(List.of(),
        run("st.shared.u32 [%r11], %t;\nld.shared.u32 %r0, [%r11];\n", Kernels.SANITIZED).findings());
  }

  @Test
  void partsOfAWordAreInitialisedSeparately() {
    var result = run("st.shared.u16 [%r11], %h0;\nld.shared.u32 %r0, [%r11];\n"
        + "st.shared.u32 [%r11], %r0;\n", Kernels.SANITIZED);
    assertEquals(List.of(Finding.Kind.UNINITIALIZED_READ), Kernels.kinds(result));
  }

  @Test
  void findingsNameTheSourceLineOfLoc() {
    var ptx = Kernels.kernel("sm_80", 1, ".file 1 \"src/Demo.java\"", ".loc 1 42 7\nld.global.u32 %r0, [%p0+4];\n");
    var finding = Kernels.run(ptx, 1, Kernels.PLAIN, new int[1]).findings().getFirst();
    assertEquals("Demo.java:42", finding.source());
    assertTrue(finding.toString().contains("Demo.java:42"));
  }

  @ParameterizedTest
  @CsvSource({"4,1,1", "8,2,1", "16,4,1", "64,16,1", "128,32,1", "12,1,1", "0,1,1", "132,1,1"})
  void wavefrontsOfWordAccessesFollowTheStride(int stride, int wavefronts, int ideal) {
    var ptx = Kernels.kernel(0, """
        .shared .align 16 .b8 tile[4608];
        mov.u32 %%r10, tile;
        mad.lo.u32 %%r11, %%t, %d, %%r10;
        st.shared.u32 [%%r11], %%t;
        """.formatted(stride));
    var conflicts = Kernels.run(ptx, 32, Kernels.SANITIZED).bankConflicts();
    assertEquals(1, conflicts.size());
    assertEquals(1, conflicts.getFirst().accesses());
    assertEquals(wavefronts, conflicts.getFirst().wavefronts());
    assertEquals(ideal, conflicts.getFirst().ideal());
  }

  @ParameterizedTest
  @CsvSource({"v2,8,2,2", "v4,16,4,4", "v4,32,8,4", "v2,16,4,2", "v4,128,32,4", "v4,144,4,4"})
  void wideAccessesGoByHalfAndQuarterWarps(String vector, int stride, int wavefronts, int ideal) {
    var registers = vector.equals("v2") ? "{%t,%t}" : "{%t,%t,%t,%t}";
    var ptx = Kernels.kernel(0, """
        .shared .align 16 .b8 tile[4608];
        mov.u32 %%r10, tile;
        mad.lo.u32 %%r11, %%t, %d, %%r10;
        st.shared.%s.u32 [%%r11], %s;
        """.formatted(stride, vector, registers));
    var conflicts = Kernels.run(ptx, 32, Kernels.SANITIZED).bankConflicts().getFirst();
    assertEquals(wavefronts, conflicts.wavefronts());
    assertEquals(ideal, conflicts.ideal());
    assertEquals(wavefronts - ideal, conflicts.conflicts());
  }
}
