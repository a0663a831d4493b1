package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Unwritten bits may be loaded, moved and computed with, but they must decide nothing and leave no register. */
class UnwrittenValuesTest {
  /**
   * Lanes 0 to 15 write 16 bytes each of a tile of 512; %r11 is where the lane's own lie, %l9 where its result goes.
   * Predicate %q0 holds in the lanes that wrote, %q8 never, %q9 always.
   */
  private static final String TILE = """
      .shared .align 16 .b8 tile[512];
      mov.u32 %r10, tile;
      mad.lo.u32 %r11, %t, 16, %r10;
      add.s64 %l9, %p0, %t4;
      setp.lt.u32 %q0, %t, 16;
      setp.gt.u32 %q8, %t, 99;
      setp.lt.u32 %q9, %t, 99;
      @%q0 st.shared.v4.u32 [%r11], {%t, %t, %t, %t};
      bar.sync 0;
      """;

  private static List<Finding> findings(String body) {
    return Kernels.run(Kernels.kernel("sm_90", 1, "", TILE + body), 32, Kernels.SANITIZED, new int[64]).findings();
  }

  /** Loads what lanes 16 to 31 have not written, computes something, and stores {@code %r9}. */
  private static List<Finding> stored(String body) {
    return findings("ld.shared.u32 %r0, [%r11];\n" + body + "\nst.global.u32 [%l9], %r9;");
  }

  private static void assertOne(List<Finding> found) {
    assertEquals(List.of(Finding.Kind.UNINITIALIZED_READ), found.stream().map(Finding::kind).toList(),
        found.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "ld.shared.u32 %r0, [%r11];",
      "ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%r11];\nmov.u32 %r4, %r0;\nmov.b64 %l0, {%r1, %r2};",
      "ld.shared.u32 %r0, [%r11];\n@%q0 st.global.u32 [%l9], %r0;",
      "ld.shared.u32 %r0, [%r11];\nadd.u32 %r1, %r0, 1;\nsetp.eq.u32 %q1, %r1, 0;",
      "ld.shared.u32 %r0, [%r11];\n@!%q0 bra END;\nst.global.u32 [%l9], %r0;\nEND:",
      "ld.shared.u32 %r0, [%r11];\n@!%q0 mov.u32 %r0, 7;\nst.global.u32 [%l9], %r0;",
      "ld.shared.u32 %r0, [%r11];\nld.shared.u32 %r0, [%r10];\nst.global.u32 [%l9], %r0;",
      "ld.shared.u32 %r0, [%r11];\nmul.lo.u32 %r0, %t, 7;\nst.global.u32 [%l9], %r0;",
      "ld.shared.u32 %r0, [%r11];\natom.global.add.u32 %r0, [%p0], 1;\nst.global.u32 [%l9+4], %r0;",
      // A written half of a word.
      "st.shared.u16 [%r11], %h0;\nld.shared.u32 %r0, [%r11];\nst.global.u16 [%l9], %r0;",
      "st.shared.u16 [%r11+2], %h0;\nld.shared.u32 %r0, [%r11];\nshr.u32 %r1, %r0, 16;\nst.global.u32 [%l9], %r1;",
      "st.shared.u8 [%r11+1], %h0;\nld.shared.s8 %r0, [%r11+1];\nst.global.u32 [%l9], %r0;",
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%r11];\nst.shared.u32 [%r11], %r1;",
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r0, %r1, %r2, %r3}, [%r11];\nst.shared.u32 [%r11], %r1;"})
  void whatDecidesNothingIsNoFault(String body) {
    assertEquals(List.of(), findings(body));
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "selp.b32 %r9, %r0, 0, %q0;",
      "selp.b32 %r0, %r0, 0, %q0;\nmov.u32 %r9, %r0;",
      "and.b32 %r9, %r0, 0;",
      "and.b32 %r1, %r0, 0xFF00;\nshl.b32 %r9, %r1, 24;",
      "or.b32 %r9, %r0, -1;",
      "not.b32 %r1, %r0;\nand.b32 %r9, %r1, 0;",
      "lop3.b32 %r9, %r0, %t, 0, 0x88;",
      "prmt.b32 %r9, %r0, %t, 0x7654;",
      "mov.b64 %l0, {%t, %r0};\nmov.b64 {%r9, %r1}, %l0;",
      "cvt.u64.u32 %l0, %r0;\nshr.u64 %l0, %l0, 32;\ncvt.u32.u64 %r9, %l0;",
      "bfi.b32 %r1, %r0, %t, 16, 8;\nbfe.u32 %r9, %r1, 0, 16;",
      "shf.r.wrap.b32 %r9, %r0, %t, 32;\nshf.l.clamp.b32 %r9, %r0, %t, 0;",
      // A comparison of which nothing is left: CUB reduces a part of a block so.
      "setp.le.u32 %q1, %t, %r0;\nand.pred %q2, %q8, %q1;\nselp.b32 %r9, %r0, %t, %q2;",
      "setp.le.u32 %q1, %t, %r0;\nand.pred %q2, %q0, %q1;\nselp.b32 %r9, %r0, %t, %q2;",
      "setp.le.and.u32 %q1, %t, %r0, %q8;\nselp.b32 %r9, %r0, %t, %q1;",
      "setp.le.and.u32 %q1|%q2, %t, %r0, %q0;\n@%q2 mov.u32 %r9, 1;\n@%q1 bra END;\nEND: mov.u32 %r9, 0;",
      "setp.eq.u32 %q1, %t, %r0;\nor.pred %q1, %q1, %q9;\n@%q1 mov.u32 %r9, 5;",
      "setp.eq.u32 %q1, %t, %r0;\nselp.b32 %r9, 5, 5, %q1;",
      "lop3.or.b32 %r1|%q1, %r0, %t, 0, 0xC0, %q9;\n@!%q1 bra END;\nEND: mov.u32 %r9, 1;",
      "@!%q9 add.u32 %t, %r0, 1;\nmov.u32 %r9, %t;"})
  void whatIsMaskedIsDefined(String body) {
    assertEquals(List.of(), stored(body));
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "mov.u32 %r9, %r0;",
      "add.u32 %r9, %r0, 1;",
      "mul.wide.u32 %l0, %r0, 2;\ncvt.u32.u64 %r9, %l0;",
      "mov.b64 %l0, {%t, %r0};\nadd.u64 %l1, %l0, 1;\ncvt.u32.u64 %r9, %l1;",
      "mov.b64 %l0, {%t, %r0};\nmov.b64 {%r1, %r9}, %l0;",
      "selp.b32 %r9, 0, %r0, %q0;",
      "and.b32 %r9, %r0, 1;",
      "or.b32 %r9, %r0, 1;",
      "xor.b32 %r9, %r0, 5;",
      "not.b32 %r9, %r0;",
      "and.b32 %r1, %r0, 0xFF00;\nshl.b32 %r9, %r1, 15;",
      "lop3.b32 %r9, %r0, %t, 0, 0x3C;",
      "prmt.b32 %r9, %r0, %t, 0x7652;",
      "shl.b32 %r9, 1, %r0;",
      "bfi.b32 %r1, %r0, %t, 16, 8;\nbfe.u32 %r9, %r1, 0, 17;",
      "cvt.rn.f32.u32 %f0, %r0;\nfma.rn.f32 %f0, %f0, %f1, %f1;\nmov.b32 %r9, %f0;",
      "popc.b32 %r9, %r0;",
      // A predicate decides, or a number made of one.
      "setp.eq.u32 %q1, %t, %r0;\nselp.b32 %r9, 1, 0, %q1;",
      "setp.eq.u32 %q1, %t, %r0;\nand.pred %q1, %q1, %q9;\nselp.b32 %r9, 1, 0, %q1;",
      "setp.eq.u32 %q1, %t, %r0;\nor.pred %q1, %q1, %q8;\nselp.b32 %r9, 1, 0, %q1;",
      "setp.eq.u32 %q1, %t, %r0;\nselp.b32 %r1, 1, 0, %q1;\nsetp.ne.u32 %q2, %r1, 0;\nselp.b32 %r9, 3, 4, %q2;",
      "setp.eq.u32 %q1, %t, %r0;\nmov.u32 %r9, 1;\n@%q1 mov.u32 %r9, 2;",
      "setp.eq.u32 %q1, %t, %r0;\nmov.u32 %r9, 1;\n@%q1 bra END;\nEND:",
      "setp.eq.u32 %q1, %t, %r0;\nnot.pred %q2, %q1;\nxor.pred %q2, %q2, %q9;\nmov.u32 %r9, 1;\n@!%q2 bra END;\nEND:",
      "setp.eq.and.u32 %q1, %t, %r0, %q9;\nmov.u32 %r9, 1;\n@%q1 bra END;\nEND:",
      "setp.eq.and.u32 %q1|%q2, %t, %r0, %q9;\nmov.u32 %r9, 1;\n@%q2 bra END;\nEND:",
      "setp.eq.u32 %q1, %t, %r0;\nmov.u32 %r9, 1;\n@%q1 st.global.u32 [%l9+4], 1;",
      "setp.eq.u32 %q1, %t, %r0;\nmov.u32 %r9, 1;\n@%q1 ld.global.u32 %r1, [%l9];",
      "setp.eq.u32 %q1, %t, %r0;\nmov.u32 %r9, 1;\n@%q1 exit;",
      "and.b32 %r1, %r0, 4;\nadd.u32 %r1, %r1, %r10;\nld.shared.u32 %r2, [%r1];\nmov.u32 %r9, 1;",
      "mov.u32 %r1, 0;\nAGAIN: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %q1, %r1, 3;\n@%q1 bra AGAIN;\nadd.u32 %r9, %r0, 1;",
      "shfl.sync.bfly.b32 %r9, %r0, 1, 31, -1;",
      "mov.u32 %r9, 1;\nred.global.add.u32 [%p0+200], %r0;"})
  void whatDecidesIs(String body) {
    assertOne(stored(body));
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%r11];\nst.global.u32 [%l9], %r3;",
      "ld.shared.f32 %f0, [%r11];\nadd.f32 %f1, %f0, %f0;\nst.global.f32 [%l9], %f1;",
      "ld.shared.u16 %h0, [%r11];\ncvt.u32.u16 %r0, %h0;\nst.global.u32 [%l9], %r0;",
      "st.shared.u16 [%r11], %h0;\nld.shared.u32 %r0, [%r11];\nst.global.u32 [%l9], %r0;",
      "ld.shared.s8 %r0, [%r11];\nshr.s32 %r0, %r0, 31;\nst.global.u32 [%l9], %r0;",
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%r11];\nst.shared.u32 [%r11], %r2;",
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r0, %r1, %r2, %r3}, [%r11];\nst.shared.u32 [%r11], %r3;",
      "atom.shared.add.u32 %r0, [%r11], 1;"})
  void everyLoadIsFollowed(String body) {
    assertOne(findings(body));
  }

  @Test
  void theReportNamesTheUseAndTheLoad() {
    var found = findings("ld.shared.v2.u32 {%r0, %r1}, [%r11+8];\nmov.u32 %r2, %r1;\nxor.b32 %r3, %r2, 5;\n"
        + "st.global.u32 [%l9], %r3;").getFirst();
    assertEquals("st.global.u32 [%l9], %r3", found.text());
    assertEquals(found.line() - 3, found.other().orElseThrow().line());
    assertEquals(16, found.thread().x());
    assertEquals(16, found.count());
    assertTrue(found.message().contains("uses what it reads at line " + (found.line() - 3)), found.message());
    assertTrue(found.message().contains("shared 'tile' + 268"), found.message());
  }

  @Test
  void theReportOfABranchNamesIt() {
    var found = findings("ld.shared.u32 %r0, [%r11];\nsetp.eq.u32 %q1, %r0, 3;\n@%q1 bra END;\nEND:").getFirst();
    assertEquals("@%q1 bra END", found.text());
    assertEquals(16, found.count());
    assertTrue(found.message().contains("decides by what it reads at line " + (found.line() - 2)), found.message());
  }
}
