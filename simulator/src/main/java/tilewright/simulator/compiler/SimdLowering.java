package tilewright.simulator.compiler;

import java.util.Locale;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.ptx.PtxType;
import tilewright.simulator.core.Simd;

/** SIMD video instructions on whole words: {@code vadd2} to {@code vset4}. */
final class SimdLowering {
  private static final Class<?> I = int.class;
  private static final Set<String> COMPARISONS = Set.of("eq", "ne", "lt", "le", "gt", "ge");

  private SimdLowering() {}

  static void lower(Instruction i, Modifiers m, Lowering c) {
    int bits = i.opcode().endsWith("4") ? Byte.SIZE : Short.SIZE;
    var name = i.opcode().substring(0, i.opcode().length() - 1);
    boolean compares = name.equals("vset");
    int flags = 0;
    if (!compares && LaneCode.isSigned(m.type())) flags |= Simd.SIGNED_RESULT;
    if (LaneCode.isSigned(m.type())) flags |= Simd.SIGNED_A;
    if (LaneCode.isSigned(m.type())) flags |= Simd.SIGNED_B;
    if (m.take("sat")) flags |= Simd.SATURATE;
    if (m.take("add")) flags |= Simd.ACCUMULATE;
    var operation = compares ? m.takeOne(COMPARISONS).orElseThrow(() -> new Unsupported("vset without comparison"))
        : name;
    m.requireNone();
    int code = Simd.Operation.valueOf(operation.toUpperCase(Locale.ROOT)).ordinal();
    int settings = flags;
    // Masks and selectors are part of the register's name, which then is not declared.
    Elementwise.same(i, c, PtxType.B32, 3, (lane, _) -> {
      lane.b.loadConstant(code).loadConstant(bits).loadConstant(settings);
      lane.call(Simd.class, "apply", I, I, I, I, I, I, I);
    });
  }
}
