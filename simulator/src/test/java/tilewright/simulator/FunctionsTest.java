package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Functions in PTX that no compiler of ours writes: aliases, target lists, addresses in initialisers, registers. */
class FunctionsTest {
  private static final String TWICE = """
      .func (.param .b32 r) twice(.param .b32 a)
      {
        .reg .b32 %v;
        ld.param.u32 %v, [a];
        add.u32 %v, %v, %v;
        st.param.b32 [r], %v;
        ret;
      }
      .func (.param .b32 r) thrice(.param .b32 a)
      {
        .reg .b32 %v;
        ld.param.u32 %v, [a];
        mul.lo.u32 %v, %v, 3;
        st.param.b32 [r], %v;
        ret;
      }
      .alias doubled, twice;
      """;

  private static int[] run(String items, String body) {
    int[] out = new int[8];
    var ptx = Kernels.kernel("sm_80", 1, items, body + Instructions.store("u32", "%r0", 0, "%t4"));
    assertEquals(List.of(), Kernels.run(ptx, 8, Kernels.SANITIZED, out).findings());
    return out;
  }

  private static final String CALL = """
      { .param .b32 p; .param .b32 q;
        st.param.b32 [p], %t;
        CALL
        ld.param.b32 %r0, [q]; }
      """;

  @Test
  void anAliasIsAnotherName() {
    var call = CALL.replace("CALL", "call (q), doubled, (p);");
    assertArrayEquals(new int[] {0, 2, 4, 6, 8, 10, 12, 14}, run(TWICE, call));
  }

  @ParameterizedTest
  @ValueSource(strings = {"ts: .calltargets twice, thrice; call (q), %l1, (p), ts;",
      "pr: .callprototype (.param .b32 _) _ (.param .b32 _); call (q), %l1, (p), pr;"})
  void calledThroughRegistersWithTargetsOrPrototypes(String call) {
    var choose = """
        setp.lt.u32 %q0, %t, 4;
        mov.u64 %l1, thrice;
        @%q0 mov.u64 %l1, doubled;
        """;
    assertArrayEquals(new int[] {0, 2, 4, 6, 12, 15, 18, 21}, run(TWICE, choose + CALL.replace("CALL", call)));
  }

  @Test
  void initialisersHoldAddressesWholeAndByBytes() {
    var items = TWICE + """
        .global .align 8 .u64 table[2] = {thrice, generic(number)};
        .global .align 4 .u32 number = 5;
        .global .align 8 .b8 bytes[8] = {0xFF(generic(number)), 0xFF00(generic(number)), 0xFF0000(generic(number)),
          0xFF000000(generic(number)), 0xFF00000000(generic(number)), 0xFF0000000000(generic(number)),
          0xFF000000000000(generic(number)), 0xFF00000000000000(generic(number))};
        """;
    var body = "ld.global.u64 %l1, [table];\n" + CALL.replace("CALL",
        "pr: .callprototype (.param .b32 _) _ (.param .b32 _); call (q), %l1, (p), pr;") + """
        ld.global.u64 %l2, [table+8];
        ld.u32 %r1, [%l2];
        ld.global.u64 %l3, [bytes];
        ld.u32 %r2, [%l3];
        add.u32 %r0, %r0, %r1;
        add.u32 %r0, %r0, %r2;
        """;
    assertArrayEquals(new int[] {10, 13, 16, 19, 22, 25, 28, 31}, run(items, body));
  }

  @Test
  void guardedCallsAreOnlyMadeByLanesWhoseGuardHolds() {
    var body = "mov.u32 %r0, 100;\nsetp.gt.u32 %q0, %t, 5;\n" + CALL.replace("CALL",
        "st.param.b32 [q], 7; @%q0 call (q), twice, (p);");
    assertArrayEquals(new int[] {7, 7, 7, 7, 7, 7, 12, 14}, run(TWICE, body));
  }

  @Test
  void parametersInRegistersAreInlined() {
    var items = """
        .func (.reg .b32 r) plus(.reg .b32 a, .reg .b32 b)
        {
          add.u32 r, a, b;
          ret;
        }
        """;
    assertArrayEquals(new int[] {9, 10, 11, 12, 13, 14, 15, 16}, run(items, "call (%r0), plus, (%t, 9);\n"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"call missing, (p);", "call (q), %l1, (p);", "call (q), twice, (p, p);",
      "call vprintf, (p);"})
  void callsThatCannotBeMadeAreRefusedWithLineAndText(String call) {
    var items = TWICE + ".extern .func missing(.param .b32 a);\n.extern .func vprintf(.param .b32 a);\n";
    var ptx = Kernels.kernel("sm_80", 1, items, CALL.replace("CALL", call));
    var refusal = assertThrows(UnsupportedPtxException.class, () -> Simulator.load(ptx));
    var problem = refusal.problems().getFirst();
    assertEquals(call.split(";")[0] + ";", problem.text());
    assertTrue(ptx.lines().toList().get(problem.line() - 1).contains(call));
  }
}
