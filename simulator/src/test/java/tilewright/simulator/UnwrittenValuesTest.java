package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A value that nobody has written may be loaded, moved and left out by a select, but not used. */
class UnwrittenValuesTest {
  /** Lanes 0 to 15 write 16 bytes each of a tile of 512; %r11 is where the lane's own lie. */
  private static final String TILE = """
      .shared .align 16 .b8 tile[512];
      mov.u32 %r10, tile;
      mad.lo.u32 %r11, %t, 16, %r10;
      setp.lt.u32 %q0, %t, 16;
      @%q0 st.shared.v4.u32 [%r11], {%t, %t, %t, %t};
      bar.sync 0;
      """;

  private static List<Finding> findings(String body) {
    return Kernels.run(Kernels.kernel(1, TILE + body), 32, Kernels.SANITIZED, new int[64]).findings();
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "ld.shared.u32 %r0, [%r11];",
      "ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%r11];\nmov.u32 %r4, %r0;\nmov.b64 %l0, {%r1, %r2};",
      "ld.shared.u32 %r0, [%r11];\n@%q0 add.u32 %r1, %r0, 1;",
      "ld.shared.u32 %r0, [%r11];\nselp.b32 %r1, %r0, 0, %q0;\nadd.u32 %r2, %r1, 1;",
      "ld.shared.u32 %r0, [%r11];\nselp.b32 %r0, %r0, 0, %q0;\nadd.u32 %r2, %r0, 1;",
      "ld.shared.u32 %r0, [%r11];\n@!%q0 mov.u32 %r0, 7;\nadd.u32 %r2, %r0, 1;",
      "ld.shared.u32 %r0, [%r11];\nmul.lo.u32 %r0, %t, 7;\nadd.u32 %r2, %r0, 1;",
      "ld.shared.u32 %r0, [%r11];\nld.shared.u32 %r0, [%r10];\nadd.u32 %r2, %r0, 1;",
      "ld.shared.u32 %r0, [%r11];\n@!%q0 bra END;\nadd.u32 %r1, %r0, 1;\nEND:",
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%r11];\nadd.u32 %r4, %r1, %r0;",
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r0, %r1, %r2, %r3}, [%r11];\nadd.u32 %r4, %r1, %r0;"})
  void whatIsNotUsedIsNoFault(String body) {
    assertEquals(List.of(), findings(body));
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "ld.shared.u32 %r0, [%r11];\nadd.u32 %r1, %r0, 1;",
      "ld.shared.u32 %r0, [%r11];\nadd.s64 %l2, %p0, %t4;\nst.global.u32 [%l2], %r0;",
      "ld.shared.u32 %r0, [%r11];\nsetp.eq.u32 %q1, %r0, 0;",
      "ld.shared.u32 %r0, [%r11];\nand.b32 %r0, %r0, 0;\nmov.u32 %r1, %r0;",
      "ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%r11];\nadd.u32 %r4, %r3, 1;",
      "ld.shared.u32 %r0, [%r11];\nmov.u32 %r1, %r0;\nmov.b64 %l0, {%t, %r1};\nadd.u64 %l1, %l0, 1;",
      "ld.shared.u32 %r0, [%r11];\nselp.b32 %r1, 0, %r0, %q0;\nadd.u32 %r2, %r1, 1;",
      "ld.shared.f32 %f0, [%r11];\nadd.f32 %f1, %f0, %f0;",
      "ld.shared.u16 %h0, [%r11];\ncvt.u32.u16 %r0, %h0;",
      "ld.shared.u32 %r0, [%r11];\nmov.u32 %r1, 0;\nAGAIN: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %q1, %r1, 3;\n"
          + "@%q1 bra AGAIN;\nadd.u32 %r2, %r0, 1;",
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%r11];\nadd.u32 %r4, %r2, %r0;",
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r0, %r1, %r2, %r3}, [%r11];\nadd.u32 %r4, %r3, %r0;",
      "atom.shared.add.u32 %r0, [%r11], 1;"})
  void whatIsUsedIs(String body) {
    var found = findings(body);
    assertEquals(List.of(Finding.Kind.UNINITIALIZED_READ), found.stream().map(Finding::kind).toList(),
        found.toString());
  }

  @Test
  void theReportNamesTheUseAndTheLoad() {
    var found = findings("ld.shared.v2.u32 {%r0, %r1}, [%r11+8];\nmov.u32 %r2, %r1;\nxor.b32 %r3, %r2, 5;").getFirst();
    assertEquals("xor.b32 %r3, %r2, 5", found.text());
    assertEquals(found.line() - 2, found.other().orElseThrow().line());
    assertEquals(16, found.thread().x());
    assertEquals(16, found.count());
    assertTrue(found.message().contains("at line " + (found.line() - 2)), found.message());
    assertTrue(found.message().contains("shared 'tile' + 268"), found.message());
  }
}
