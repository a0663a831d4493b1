package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.PtxType;

/** Loads, stores and atomics in every space, and the checks that are always on. */
class MemoryTest {
  @ParameterizedTest
  @CsvSource({"v4.u32,'{%r0,%r1,%r2,%r3}',16", "v2.f32,'{%f0,%f1}',8", "v2.u64,'{%l0,%l1}',16", "u64,%l0,8",
      "f64,%d0,8", "u16,%h0,2",
      "u8,%h0,1", "s8,%r0,1", "v4.u8,'{%h0,%h1,%h2,%h3}',4", "v8.b32,'{%r0,%r1,%r2,%r3,%f0,%f1,%f2,%f3}',32",
      "v4.b64,'{%l0,%l1,%d0,%d1}',32", "v2.b16,'{%h0,%h1}',4"})
  void copiesThroughRegistersKeepEveryBit(String type, String registers, int bytes) {
    var from = new byte[64 * bytes];
    new Random(1).nextBytes(from);
    for (var space : List.of("global", "shared", "local", "")) {
      var to = new byte[from.length];
      var dot = space.isEmpty() ? "" : "." + space;
      // Through the space under test and back, by way of global memory on both sides.
      var through = switch (space) {
        case "global" -> "";
        case "local" -> "mov.u64 %l8, depot;\nst.local." + type + " [%l8], " + registers + ";\nld.local." + type + " "
            + registers
            + ", [%l8];\n";
        case "shared" -> "mov.u32 %r8, tile;\nmad.lo.u32 %r8, %t, " + bytes + ", %r8;\nst.shared." + type + " [%r8], "
            + registers
            + ";\nld.shared." + type + " " + registers + ", [%r8];\n";
        default -> "mov.u64 %l8, depot;\ncvta.local.u64 %l8, %l8;\nst." + type + " [%l8], " + registers + ";\nld."
            + type + " "
            + registers + ", [%l8];\n";
      };
      var ptx = Kernels.kernel("sm_100", 2, "", """
          .shared .align 32 .b8 tile[2048];
          .local .align 32 .b8 depot[32];
          mul.wide.u32 %%l5, %%t, %d;
          add.s64 %%l6, %%p0, %%l5;
          add.s64 %%l7, %%p1, %%l5;
          ld.global.%s %s, [%%l6];
          %s
          st.global.%s [%%l7], %s;
          """.formatted(bytes, type, registers, through, type, registers));
      var result = Kernels.run(ptx, 64, Kernels.SANITIZED, from, to);
      assertEquals(List.of(), result.findings(), dot);
      assertArrayEquals(from, to, dot);
    }
  }

  @Test
  void genericAddressesReachSharedAndGlobalMemoryFromOneInstruction() {
    int[] out = new int[32];
    int[] in = IntStream.range(0, 32).map(i -> 1000 + i).toArray();
    var result = Kernels.run(Kernels.kernel(2, """
        .shared .align 4 .b8 tile[128];
        mov.u32 %r0, tile;
        shl.b32 %r1, %t, 2;
        add.u32 %r0, %r0, %r1;
        st.shared.u32 [%r0], %t;
        mov.u64 %l0, tile;
        cvta.shared.u64 %l0, %l0;
        setp.lt.u32 %q0, %t, 16;
        selp.b64 %l0, %l0, %p0, %q0;
        add.s64 %l0, %l0, %t4;
        ld.u32 %r2, [%l0];
        """ + Instructions.store("u32", "%r2", 1, "%t4")), 32, Kernels.SANITIZED, in, out);
    assertEquals(List.of(), result.findings());
    assertArrayEquals(IntStream.range(0, 32).map(t -> t < 16 ? t : 1000 + t).toArray(), out);
  }

  @Test
  void moduleVariablesHaveTheirInitialValuesInEveryLaunch() {
    var items = """
        .const .align 4 .b32 table[4] = {10, 20, 30, 40};
        .global .align 4 .u32 counter = 5;
        .global .u64 where = counter;
        """;
    var ptx = Kernels.kernel("sm_80", 1, items, """
        and.b32 %r0, %t, 3;
        mul.wide.u32 %l0, %r0, 4;
        mov.u64 %l1, table;
        add.s64 %l1, %l1, %l0;
        ld.const.u32 %r1, [%l1];
        ld.const.u32 %r2, [table+4];
        ld.global.u64 %l2, [where];
        atom.global.add.u32 %r3, [%l2], 0;
        add.u32 %r1, %r1, %r2;
        add.u32 %r1, %r1, %r3;
        """ + Instructions.store("u32", "%r1", 0, "%t4"));
    for (int launch = 0; launch < 2; launch++) {
      int[] out = new int[8];
      assertEquals(List.of(), Kernels.run(ptx, 8, Kernels.PLAIN, out).findings());
      assertArrayEquals(IntStream.range(0, 8).map(t -> 10 * (t % 4 + 1) + 25).toArray(), out);
    }
  }

  @Test
  void argumentsOfEveryKindArriveAtTheirOffsets() {
    var ptx = """
        .version 8.0
        .target sm_80
        .address_size 64
        .visible .entry k(.param .u8 a, .param .f32 b, .param .align 8 .b8 s[24], .param .u64 out)
        {
          .reg .b32 %r<9>; .reg .b64 %l<9>;
          ld.param.u64 %l0, [out];
          ld.param.u8 %r0, [a];
          ld.param.b32 %r1, [b];
          ld.param.u32 %r2, [s+8];
          ld.param.u64 %l1, [s+16];
          ld.global.u32 %r3, [%l1];
          st.global.v4.u32 [%l0], {%r0, %r1, %r2, %r3};
          ret;
        }
        """;
    try (var arena = Arena.ofConfined()) {
      var out = arena.allocate(16, 16);
      var data = arena.allocateFrom(ValueLayout.JAVA_INT, 77, 88);
      var struct = new Launch.Argument.Struct(24, List.of(new Launch.Argument.Field(8, Launch.Argument.u32(42)),
          new Launch.Argument.Field(16, new Launch.Argument.Buffer("data", 4))));
      var launch = new Launch(ptx, "k", Dim3.ONE, Dim3.ONE, Dim3.ONE, 0, Map.of("out", out, "data", data),
          List.of(new Launch.Argument.Scalar(PtxType.U8, 200), Launch.Argument.f32(1.5f), struct,
              new Launch.Argument.Buffer("out")));
      assertEquals(List.of(), Simulator.load(ptx).run(launch, Kernels.PLAIN).findings());
      assertArrayEquals(new int[] {200, Float.floatToRawIntBits(1.5f), 42, 88}, out.toArray(ValueLayout.JAVA_INT));
    }
  }

  @ParameterizedTest
  @CsvSource({"add.u32", "min.s32", "min.u32", "max.s32", "max.u32", "and.b32", "or.b32", "xor.b32", "exch.b32",
      "inc.u32", "dec.u32"})
  void atomicsUpdateMemoryAndReturnWhatWasThere(String operation) {
    var random = new Random(3);
    int[] in = random.ints(64).toArray();
    int[] before = random.ints(64).toArray();
    for (int i = 0; i < 64; i += 8) before[i] = in[i];
    for (var space : List.of("global", "shared")) {
      int[] memory = before.clone();
      int[] old = new int[64];
      var body = Instructions.load("u32", "%r0", 0, "%t4")
          + (space.equals("global") ? "add.s64 %l0, %p1, %t4;\natom.global."
          + operation + " %r1, [%l0], %r0;\n"
              : ".shared .align 4 .b8 tile[256];\nmov.u32 %r2, tile;\nmad.lo.u32 %r2, %t, 4, %r2;\n"
          + Instructions.load("u32", "%r3", 1, "%t4") + "st.shared.u32 [%r2], %r3;\natom.shared." + operation
          + " %r1, [%r2], %r0;\nld.shared.u32 %r3, [%r2];\n" + Instructions.store("u32", "%r3", 1, "%t4"))
          + Instructions.store("u32", "%r1", 2, "%t4");
      assertEquals(List.of(), Kernels.run(Kernels.kernel(3, body), 64, Kernels.SANITIZED, in, memory, old).findings());
      assertArrayEquals(before, old);
      for (int i = 0; i < 64; i++) {
        long a = before[i];
        long b = in[i];
        int order = Integer.compareUnsigned(before[i], in[i]);
        long want = switch (operation) {
          case "add.u32" -> a + b;
          case "min.s32" -> Math.min(a, b);
          case "min.u32" -> order < 0 ? a : b;
          case "max.s32" -> Math.max(a, b);
          case "max.u32" -> order > 0 ? a : b;
          case "and.b32" -> a & b;
          case "or.b32" -> a | b;
          case "xor.b32" -> a ^ b;
          case "exch.b32" -> b;
          case "inc.u32" -> order >= 0 ? 0 : a + 1;
          default -> a == 0 || order > 0 ? b : a - 1;
        };
        assertEquals((int) want, memory[i], operation + " " + a + " " + b);
      }
    }
  }

  @Test
  void atomicsOfAllBlocksAddUp() {
    var ptx = Kernels.kernel(3, """
        red.global.add.u32 [%p0], 1;
        red.global.add.f32 [%p1], 0f3F000000;
        mov.u64 %l0, 3;
        atom.global.add.u64 %l1, [%p2], %l0;
        """);
    int[] count = {0};
    float[] sum = {0};
    long[] wide = {1L << 40};
    Kernels.run(ptx, Dim3.of(20), Dim3.of(100), 0, Kernels.PLAIN.withThreads(2), count, sum, wide);
    assertEquals(2000, count[0]);
    assertEquals(1000f, sum[0]);
    assertEquals((1L << 40) + 6000, wide[0]);
  }

  @Test
  void packedHalfAtomicsAddBothHalves() {
    int[] pair = {0x3C00_4000};
    Kernels.run(Kernels.kernel(1, "mov.b32 %r0, 0x3C003C00;\nred.global.add.noftz.f16x2 [%p0], %r0;\n"), 1,
        Kernels.PLAIN, pair);
    assertEquals(0x4000_4200, pair[0]);
  }

  @Test
  void anIndexBeyondItsBufferStopsTheLaunchAndIsNamed() {
    var ptx = Kernels.kernel(2, Instructions.load("u32", "%r0", 0, "%t4") + Instructions.store("u32", "%r0", 1, "%t4"));
    int[] out = new int[64];
    var result = Kernels.run(ptx, 64, Kernels.PLAIN, new int[40], out);
    assertEquals(1, result.findings().size());
    var finding = result.findings().getFirst();
    assertEquals(Finding.Kind.OUT_OF_BOUNDS, finding.kind());
    assertEquals(new Dim3(40, 0, 0), finding.thread());
    assertEquals(160, finding.address());
    assertEquals(ptx.lines().toList().indexOf("ld.global.u32 %r0, [%l20];") + 1, finding.line());
    assertTrue(finding.message().contains("buffer 'arg0' of 160 bytes, offset 160"), finding.message());
    assertEquals(0, out[63]);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"sub.s64 %l0, %p0, 4; ld.global.u32 %r0, [%l0]|buffer 'arg0', offset -4",
      "mov.u64 %l0, 0; ld.global.u32 %r0, [%l0]|in no buffer", "ld.global.v4.u32 {%r0,%r1,%r2,%r3}, [%p0+240]|",
      "ld.shared.u32 %r0, [tile+32]|the CTA has 32 bytes", "ld.local.u32 %r0, [depot+16]|a thread has 16 bytes",
      "st.shared.u32 [tile+32], %t|writes 4 bytes", "atom.global.add.u32 %r0, [%p0+256], 1|updates 4 bytes"})
  void everySpaceHasItsBounds(String instruction, String text) {
    var result = Kernels.run(Kernels.kernel(1, ".shared .align 16 .b8 tile[32];\n.local .align 16 .b8 depot[16];\n"
        + instruction + ";\n"),
        1, Kernels.PLAIN, new int[63]);
    assertEquals(List.of(Finding.Kind.OUT_OF_BOUNDS), Kernels.kinds(result));
    assertTrue(text == null || result.findings().getFirst().message().contains(text), result.findings().toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"ld.global.u32 %r0, [%p0+2]", "ld.global.v2.u32 {%r0,%r1}, [%p0+4]",
      "st.shared.u16 [tile+1], %h0",
      "ld.local.u64 %l0, [depot+4]"})
  void everySpaceHasItsAlignment(String instruction) {
    var result = Kernels.run(Kernels.kernel(1, ".shared .align 16 .b8 tile[32];\n.local .align 16 .b8 depot[16];\n"
        + instruction + ";\n"), 1, Kernels.PLAIN, new int[64]);
    assertEquals(List.of(Finding.Kind.MISALIGNED), Kernels.kinds(result));
  }

  @Test
  void launchesThatDoNotFitTheKernelAreRefused() {
    var ptx = Kernels.kernel(1, "");
    var program = Simulator.load(ptx);
    var tooMany = Kernels.launch(ptx, Dim3.ONE, Dim3.of(2000), 0, new int[1]);
    var tooFew = Kernels.launch(ptx, Dim3.ONE, Dim3.ONE, 0);
    var unknown = new Launch(ptx, "other", Dim3.ONE, Dim3.ONE, Dim3.ONE, 0, Map.of(), List.of());
    var narrow = new Launch(ptx, "k", Dim3.ONE, Dim3.ONE, Dim3.ONE, 0, Map.of(), List.of(Launch.Argument.u32(1)));
    for (var launch : List.of(tooMany, tooFew, unknown, narrow)) {
      assertThrows(IllegalArgumentException.class, () -> program.run(launch, Kernels.PLAIN));
    }
  }

  @Test
  void registersOf128BitsMoveAsOne() {
    long[] in = {1, 2, 3, 4};
    long[] out = new long[4];
    var ptx = Kernels.kernel(2, """
        .reg .b128 %x<3>;
        ld.global.b128 %x0, [%p0];
        mov.b128 {%l0, %l1}, %x0;
        mov.b128 %x1, {%l1, %l0};
        mov.b128 %x2, %x1;
        st.global.b128 [%p1], %x2;
        ld.global.b128 %x0, [%p0+16];
        st.global.b128 [%p1+16], %x0;
        """);
    assertEquals(List.of(), Kernels.run(ptx, 1, Kernels.SANITIZED, in, out).findings());
    assertArrayEquals(new long[] {2, 1, 3, 4}, out);
  }

  @Test
  void aMoveHasNoTypesOfEightBits() {
    var ptx = Kernels.kernel(1, "mov.b8 %h0, 0;");
    var problem = assertThrows(UnsupportedPtxException.class, () -> Simulator.load(ptx)).problems().getFirst();
    assertEquals("mov.b8 %h0, 0;", problem.text());
  }
}
