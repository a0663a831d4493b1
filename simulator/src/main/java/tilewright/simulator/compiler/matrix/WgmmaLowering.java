package tilewright.simulator.compiler.matrix;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Terminator;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;
import tilewright.simulator.tensorcore.MmaType;
import tilewright.simulator.wgmma.Wgmma;

/** {@code wgmma} (PTX ISA, Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions). */
public final class WgmmaLowering {
  private static final Pattern SHAPE = Pattern.compile("m64n(\\d+)k(\\d+)");
  private static final int ROW_BITS = 256;
  private static final int MOST_COLUMNS = 256;
  /** Integers have no larger extents that are odd multiples of eight. */
  private static final int MOST_ODD_COLUMNS = 24;
  private static final int A_REGISTERS = 4;

  private record Form(int columns, int depth, MmaType d, MmaType a, MmaType b, boolean sparse, boolean saturate) {}

  private WgmmaLowering() {}

  public static void lower(Instruction i, Modifiers m, Lowering c) {
    boolean multiplies = m.take("mma_async");
    boolean sparse = multiplies && m.take("sp");
    m.require("sync");
    m.require("aligned");
    var site = new Op.Argument.IntValue(c.site());
    if (multiplies) {
      c.together(Source.of(-1));
      multiply(i, form(m, sparse), c);
    } else if (m.take("fence")) {
      m.requireNone();
      c.together(Source.of(-1));
      c.warp(Wgmma.class, "fence", List.of(), List.of(), site);
    } else if (m.take("commit_group")) {
      m.requireNone();
      c.together(Source.of(-1));
      c.warp(Wgmma.class, "commit", List.of(), List.of(), site);
    } else {
      m.require("wait_group");
      m.requireNone();
      // A wait is tried again, so it must be the only thing in its block.
      c.together(Source.of(0));
      c.together(Source.of(-1));
      c.warp(Wgmma.class, "await", List.of(new Op.Argument.IntValue(constant(c.operands(i, 1).getFirst())), site),
          new Op.Result.Wait(), List.of(), List.of());
      c.end(new Terminator.Retry());
    }
  }

  private static Form form(Modifiers m, boolean sparse) {
    var shape = SHAPE.matcher(m.takeMatching(SHAPE).orElseThrow(() -> new Unsupported("wgmma without shape")));
    shape.matches();
    int columns = Integer.parseInt(shape.group(1));
    int depth = Integer.parseInt(shape.group(2));
    boolean saturate = m.take("satfinite");
    var d = MmaLowering.type(m);
    var a = MmaLowering.type(m);
    var b = MmaLowering.type(m);
    boolean bits = m.take("and");
    if (bits) m.require("popc");
    m.requireNone();
    boolean integers = a.isInteger();
    boolean types = switch (a) {
      case F16 -> b == a && (d == MmaType.F16 || d == MmaType.F32);
      case BF16, TF32 -> b == a && d == MmaType.F32;
      case E4M3, E5M2 -> (b == MmaType.E4M3 || b == MmaType.E5M2) && (d == MmaType.F16 || d == MmaType.F32);
      case S8, U8 -> (b == MmaType.S8 || b == MmaType.U8) && d == MmaType.S32;
      case B1 -> b == a && d == MmaType.S32 && !sparse && bits;
      default -> false;
    };
    boolean extents = columns >= 8 && columns <= MOST_COLUMNS && columns % 8 == 0
        && (!integers || columns <= MOST_ODD_COLUMNS || columns % 16 == 0)
        && depth == ROW_BITS / a.bits() * (sparse ? 2 : 1);
    if (!types || !extents || saturate && a.bits() != Byte.SIZE || saturate && !integers) {
      throw new Unsupported("wgmma m64n" + columns + "k" + depth + (sparse ? " sparse" : "") + " of " + a.text()
          + " and " + b.text() + " to " + d.text() + " does not exist");
    }
    return new Form(columns, depth, d, a, b, sparse, saturate);
  }

  private static void multiply(Instruction i, Form form, Lowering c) {
    boolean halves = form.a().bits() == 16;
    boolean scaled = !form.a().isInteger();
    boolean registers = c.operands(i, 4, 10).get(1) instanceof Operand.Vector;
    int trailing = (scaled ? 2 : 0) + (halves ? registers ? 1 : 2 : 0);
    int metadata = form.sparse() ? 2 : 0;
    var operands = c.operands(i, 4 + metadata + trailing);
    int flags = flags(form, registers) | immediates(operands.subList(4 + metadata, operands.size()), halves, registers);
    int count = form.columns() / (form.d() == MmaType.F16 ? 4 : 2);
    var sums = c.elements(operands.getFirst(), count).stream().map(e -> c.destination(e, PtxType.B32)).toList();
    var a = registers ? MmaLowering.inputs(operands.get(1), MmaType.S32, A_REGISTERS, c)
        : List.of(c.inRegister(operands.get(1), PtxType.B64));
    var b = c.inRegister(operands.get(2), PtxType.B64);
    var scale = c.inRegister(operands.get(3 + metadata), PtxType.PRED);

    c.warp(Wgmma.class, "begin", List.of(), List.of(), new Op.Argument.IntValue(count));
    for (int k = 0; k < count; k++) {
      c.warp(Wgmma.class, "d", List.of(sums.get(k)), List.of(sums.get(k)), new Op.Argument.IntValue(k),
          new Op.Argument.Lanes(sums.get(k)));
    }
    for (int k = 0; registers && k < A_REGISTERS; k++) {
      c.warp(Wgmma.class, "a", List.of(a.get(k)), List.of(), new Op.Argument.IntValue(k),
          new Op.Argument.Lanes(a.get(k)));
    }
    int selector = 0;
    if (form.sparse()) {
      var lanes = c.inRegister(operands.get(3), PtxType.B32);
      selector = constant(operands.get(4));
      c.warp(Wgmma.class, "metadata", List.of(lanes), List.of(), new Op.Argument.Lanes(lanes));
    }
    var arguments = new ArrayList<Op.Argument>();
    if (!registers) arguments.add(new Op.Argument.Lanes(a.getFirst()));
    arguments.add(new Op.Argument.Lanes(b));
    arguments.add(new Op.Argument.Slot(scale));
    for (int value : new int[] {form.columns(), form.depth(), form.a().ordinal(), form.b().ordinal(),
        form.d().ordinal(), selector, flags, c.site()}) {
      arguments.add(new Op.Argument.IntValue(value));
    }
    var reads = new ArrayList<>(registers ? List.of(b, scale) : List.of(a.getFirst(), b, scale));
    c.warp(Wgmma.class, "issue", arguments, new Op.Result.Nothing(), reads, List.of());
  }

  private static int flags(Form form, boolean registers) {
    return (registers ? Wgmma.A_IN_REGISTERS : 0) | (form.sparse() ? Wgmma.SPARSE : 0)
        | (form.saturate() ? Wgmma.SATURATE : 0);
  }

  /** Reads the operands after scale-d as flags: the signs of A and B, and whether they lie transposed. */
  private static int immediates(List<Operand> operands, boolean halves, boolean registers) {
    int flags = 0;
    for (int k = 0; k < Math.min(2, operands.size()); k++) {
      int sign = constant(operands.get(k));
      if (Math.abs(sign) != 1) throw new Unsupported("imm-scale must be 1 or -1, and is " + sign);
      if (sign < 0) flags ^= Wgmma.NEGATE;
    }
    if (!halves) return flags;
    if (!registers && transposed(operands.get(2))) flags |= Wgmma.TRANSPOSE_A;
    return transposed(operands.getLast()) ? flags | Wgmma.TRANSPOSE_B : flags;
  }

  private static boolean transposed(Operand operand) {
    int value = constant(operand);
    if (value != 0 && value != 1) throw new Unsupported("imm-trans must be 0 or 1, and is " + value);
    return value == 1;
  }

  private static int constant(Operand operand) {
    if (operand instanceof Operand.Integer(long value)) return (int) value;
    throw new Unsupported("operand " + operand.text() + " must be a constant");
  }
}
