package tilewright.simulator.compiler.arithmetic;

import java.util.Locale;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.ptx.PtxType;
import tilewright.simulator.arithmetic.Simd;
import tilewright.simulator.compiler.code.LaneCode;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Elementwise;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;

/** SIMD video instructions on whole words: {@code vadd2} to {@code vset4}. */
public final class SimdLowering {
  private static final Class<?> I = int.class;
  private static final Set<String> COMPARISONS = Set.of("eq", "ne", "lt", "le", "gt", "ge");

  private SimdLowering() {}

  public static void lower(Instruction i, Modifiers m, Lowering c) {
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

  /** {@code add}, {@code min} and {@code max} of two 16-bit integers in a word. */
  static void shorts(Instruction i, Modifiers m, Lowering c) {
    boolean signed = !m.take("u16x2");
    m.take("s16x2");
    boolean relu = m.take("relu");
    m.requireNone();
    boolean exists = i.opcode().equals("add") ? !relu : Set.of("min", "max").contains(i.opcode()) && (signed || !relu);
    if (!exists) throw new Unsupported("there is no " + i.opcode() + "." + String.join(".", i.modifiers()));
    var operation = Simd.Operation.valueOf("V" + i.opcode().toUpperCase(Locale.ROOT));
    Elementwise.same(i, c, PtxType.B32, 2, (lane, _) -> {
      apply(lane, operation, signed);
      if (relu) {
        lane.b.iconst_0();
        apply(lane, Simd.Operation.VMAX, true);
      }
    });
  }

  private static void apply(LaneCode lane, Simd.Operation operation, boolean signed) {
    lane.b.iconst_0().loadConstant(operation.ordinal()).loadConstant(Short.SIZE);
    lane.b.loadConstant(signed ? Simd.SIGNED_A | Simd.SIGNED_B | Simd.SIGNED_RESULT : 0);
    lane.call(Simd.class, "apply", I, I, I, I, I, I, I);
  }
}
