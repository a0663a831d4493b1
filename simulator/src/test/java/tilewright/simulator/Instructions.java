package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import tilewright.ptx.Dim3;

/** Applies one instruction to arrays of operands, a thread an element. */
final class Instructions {
  private static final int BLOCK = 128;

  private Instructions() {}

  /** {@code name %r3, %r0, %r1, %r2} on 32-bit registers. */
  static int[] on32(String name, int[] a, int[] b, int[] c, int operands) {
    var arguments = String.join(", ", List.of("%r0", "%r1", "%r2").subList(0, operands));
    var body = load("u32", "%r0", 0, "%t4") + load("u32", "%r1", 1, "%t4") + load("u32", "%r2", 2, "%t4")
        + name + " %r3, " + arguments + ";\n" + store("u32", "%r3", 3, "%t4");
    var out = new int[a.length];
    run(body, a.length, a, b, c, out);
    return out;
  }

  /** {@code name %l3, %l0, %l1, %l2} on 64-bit registers. */
  static long[] on64(String name, long[] a, long[] b, long[] c, int operands) {
    var arguments = String.join(", ", List.of("%l0", "%l1", "%l2").subList(0, operands));
    var body = load("u64", "%l0", 0, "%t8") + load("u64", "%l1", 1, "%t8") + load("u64", "%l2", 2, "%t8")
        + name + " %l3, " + arguments + ";\n" + store("u64", "%l3", 3, "%t8");
    var out = new long[a.length];
    run(body, a.length, a, b, c, out);
    return out;
  }

  /** Body text between loading {@code %r0}, {@code %r1} and storing {@code %r3}. */
  static int[] body32(String middle, int[] a, int[] b) {
    var out = new int[a.length];
    run(load("u32", "%r0", 0, "%t4") + load("u32", "%r1", 1, "%t4") + middle + store("u32", "%r3", 2, "%t4"), a.length,
        a, b, out);
    return out;
  }

  static String load(String type, String register, int buffer, String offset) {
    return "add.s64 %l20, %p" + buffer + ", " + offset + ";\nld.global." + type + " " + register + ", [%l20];\n";
  }

  static String store(String type, String register, int buffer, String offset) {
    return "add.s64 %l20, %p" + buffer + ", " + offset + ";\nst.global." + type + " [%l20], " + register + ";\n";
  }

  private static void run(String body, int n, Object... arrays) {
    var global = """
          mov.u32 %%r60, %%ctaid.x;
          mad.lo.u32 %%t, %%r60, %d, %%t;
          setp.ge.u32 %%q15, %%t, %d;
          @%%q15 ret;
          mul.wide.u32 %%t4, %%t, 4;
          mul.wide.u32 %%t8, %%t, 8;
        """.formatted(BLOCK, n);
    var ptx = Kernels.kernel("sm_100", arrays.length, "", global + body);
    var result = Kernels.run(ptx, Dim3.of((n + BLOCK - 1) / BLOCK), Dim3.of(BLOCK), 0, Kernels.PLAIN, arrays);
    assertEquals(List.of(), result.findings());
  }
}
