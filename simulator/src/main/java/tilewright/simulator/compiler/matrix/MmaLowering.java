package tilewright.simulator.compiler.matrix;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.compiler.arithmetic.FloatLowering;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;
import tilewright.simulator.core.Warp;
import tilewright.simulator.mma.MmaUnit;
import tilewright.simulator.mma.TensorCores;
import tilewright.simulator.tensorcore.MmaType;

/** {@code mma.sync}, {@code mma.sp} and {@code wmma.mma} (PTX ISA, Warp-level Matrix Multiply-Accumulate). */
public final class MmaLowering {
  private static final Pattern SHAPE = Pattern.compile("m(\\d+)n(\\d+)k(\\d+)");
  private static final Set<String> HALF_SHAPES = Set.of("m16n8k8", "m16n8k16");
  private static final Set<String> TF32_SHAPES = Set.of("m16n8k4", "m16n8k8");
  private static final Set<String> BYTE_SHAPES = Set.of("m8n8k16", "m16n8k16", "m16n8k32");
  private static final Set<String> SMALL_FLOAT_SHAPES = Set.of("m16n8k16", "m16n8k32");
  private static final Set<String> NIBBLE_SHAPES = Set.of("m8n8k32", "m16n8k32", "m16n8k64");
  private static final Set<String> BIT_SHAPES = Set.of("m8n8k128", "m16n8k128", "m16n8k256");
  private static final Set<String> DOUBLE_SHAPES = Set.of("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16");
  private static final Set<String> WMMA_SHAPES = Set.of("m16n16k16", "m32n8k16", "m8n32k16");

  /** Extents of A (m,k), B (k,n) and C (m,n). */
  record Shape(int m, int n, int k) {
    static Shape take(Modifiers m) {
      return m.takeMatching(SHAPE).map(s -> {
        var matcher = SHAPE.matcher(s);
        matcher.matches();
        return new Shape(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)),
            Integer.parseInt(matcher.group(3)));
      }).orElseThrow(() -> new Unsupported("the instruction names no shape"));
    }

    @Override
    public String toString() {
      return "m" + m + "n" + n + "k" + k;
    }
  }

  record Form(Shape shape, MmaType a, MmaType b, MmaType c, MmaType d, int flags, boolean sparse) {
    /** Elements in a row of A that registers hold. */
    int depthOfA() {
      return sparse ? shape.k() / 2 : shape.k();
    }

    boolean wmma() {
      return (flags & MmaUnit.WMMA) != 0;
    }
  }

  private MmaLowering() {}

  public static void lower(Instruction i, Modifiers m, Lowering c) {
    m.require("sync");
    m.require("aligned");
    if (i.opcode().equals("wmma")) {
      wmma(i, m, c);
    } else {
      mma(i, m, c);
    }
  }

  private static void mma(Instruction i, Modifiers m, Lowering c) {
    boolean sparse = m.take("sp") | m.take("sp::ordered_metadata");
    var kind = m.takeMatching(MmaKindLowering.KIND);
    if (kind.isPresent() && !sparse) {
      MmaKindLowering.lower(kind.get(), i, m, c);
      return;
    }
    var shape = Shape.take(m);
    var layoutA = layout(m);
    var layoutB = layout(m);
    int flags = flags(m);
    var d = type(m);
    var a = type(m);
    var b = type(m);
    var accumulator = type(m);
    m.requireNone();
    var form = new Form(shape, a, b, accumulator, d, flags(flags, d), sparse);
    if (QuadPairLowering.takes(form)) {
      QuadPairLowering.lower(i, form, layoutA.equals("row"), layoutB.equals("row"), c);
      return;
    }
    if (!layoutA.equals("row") || !layoutB.equals("col")) {
      throw new Unsupported("only the form with .row.col is supported");
    }
    requireRounding(form);
    // A sparse A is twice as deep as what is stored of it.
    require(sparse ? new Shape(shape.m(), shape.n(), shape.k() / 2) : shape, a, b, d, accumulator, false);
    multiply(i, form, c);
  }

  private static String layout(Modifiers m) {
    return m.takeOne(Set.of("row", "col")).orElseThrow(() -> new Unsupported("the instruction names no layout"));
  }

  private static void wmma(Instruction i, Modifiers m, Lowering c) {
    m.require("mma");
    m.takeOne(Set.of("row", "col"));
    m.takeOne(Set.of("row", "col"));
    var shape = Shape.take(m);
    int flags = flags(m) | MmaUnit.WMMA;
    var d = type(m);
    var second = type(m);
    // The form for f16 operands names only the accumulators.
    boolean half = !m.any();
    var a = half ? MmaType.F16 : second;
    var b = half ? MmaType.F16 : type(m);
    var accumulator = half ? second : type(m);
    m.requireNone();
    require(shape, a, b, d, accumulator, true);
    var form = new Form(shape, a, b, accumulator, d, flags(flags, d), false);
    requireRounding(form);
    multiply(i, form, c);
  }

  private static int flags(Modifiers m) {
    int mode = FloatLowering.rounding(m);
    int flags = mode << MmaUnit.ROUNDING | (m.take("satfinite") ? MmaUnit.SATURATE : 0);
    if (m.take("xor")) flags |= MmaUnit.XOR;
    m.take("and");
    m.take("popc");
    return flags;
  }

  private static void requireRounding(Form form) {
    if (form.flags() >> MmaUnit.ROUNDING != 0 && form.a() != MmaType.F64) {
      throw new Unsupported("only mma of f64 names a rounding");
    }
  }

  private static int flags(int flags, MmaType result) {
    return result == MmaType.F16 ? flags | MmaUnit.HALF_RESULT : flags;
  }

  static MmaType type(Modifiers m) {
    return m.takeFirst(MmaType::parse).orElseThrow(() -> new Unsupported("the instruction names no type"));
  }

  private static void require(Shape shape, MmaType a, MmaType b, MmaType d, MmaType accumulator, boolean wmma) {
    var accumulators = switch (a) {
      case F16, E4M3, E5M2 -> Set.of(MmaType.F16, MmaType.F32);
      case BF16, TF32 -> Set.of(MmaType.F32);
      case F64 -> Set.of(MmaType.F64);
      case S8, U8, S4, U4, B1 -> Set.of(MmaType.S32);
      default -> Set.<MmaType>of();
    };
    boolean sameKind = a == b || a.isInteger() == b.isInteger() && a.bits() == b.bits() && a.bits() <= Byte.SIZE;
    // Only wmma takes sums in one format and gives them in another.
    boolean known = sameKind && (d == accumulator || wmma) && accumulators.containsAll(List.of(d, accumulator))
        && (wmma ? wmmaShapes(a) : mmaShapes(a)).contains(shape.toString());
    if (!known) {
      throw new Unsupported((wmma ? "wmma " : "mma ") + shape + " of " + a.text() + " and " + b.text() + " to "
          + d.text() + " with " + accumulator.text() + " is not supported");
    }
  }

  private static Set<String> mmaShapes(MmaType type) {
    return switch (type) {
      case F16, BF16 -> HALF_SHAPES;
      case TF32 -> TF32_SHAPES;
      case S8, U8 -> BYTE_SHAPES;
      case E4M3, E5M2 -> SMALL_FLOAT_SHAPES;
      case S4, U4 -> NIBBLE_SHAPES;
      case B1 -> BIT_SHAPES;
      case F64 -> DOUBLE_SHAPES;
      default -> Set.of();
    };
  }

  static Set<String> wmmaShapes(MmaType type) {
    return switch (type) {
      case F16, BF16, S8, U8 -> WMMA_SHAPES;
      case TF32 -> Set.of("m16n16k8");
      case S4, U4 -> Set.of("m8n8k32");
      case B1 -> Set.of("m8n8k128");
      case F64 -> Set.of("m8n8k4");
      default -> Set.of();
    };
  }

  /** Registers of a fragment with so many elements in all lanes; f16 operands of wmma hold every element twice. */
  static int registers(MmaType type, int elements, boolean wmmaOperand) {
    return wmmaOperand && type == MmaType.F16 ? 8 : Math.max(1, elements / Warp.LANES / type.perRegister());
  }

  /** The PTX type of a fragment's registers. */
  static PtxType carrier(MmaType type) {
    return switch (type) {
      case F32 -> PtxType.F32;
      case F64 -> PtxType.F64;
      default -> PtxType.B32;
    };
  }

  private static void multiply(Instruction i, Form form, Lowering c) {
    var shape = form.shape();
    var operands = c.operands(i, form.sparse() ? 6 : 4);
    var a = inputs(operands.get(1), form.a(), registers(form.a(), shape.m() * form.depthOfA(), form.wmma()), c);
    var b = inputs(operands.get(2), form.b(), registers(form.b(), shape.n() * shape.k(), form.wmma()), c);
    int outputs = shape.m() * shape.n();
    var type = carrier(form.d());
    var sums = inputs(operands.get(3), form.c(), registers(form.c(), outputs, false), c);
    var results = c.elements(operands.getFirst(), registers(form.d(), outputs, false)).stream()
        .map(e -> c.destination(e, type)).toList();
    var landings = results.stream().map(to -> to.kind == Reg.kindOf(type) ? to : c.temp(type)).toList();
    c.together(Source.of(-1));
    if (form.sparse()) {
      staged(form, a, b, sums, landings, "multiplySparse", metadata(operands, c), c);
    } else if (!form.wmma() && (form.a() == MmaType.F16 || form.a() == MmaType.BF16)) {
      fused(form, a, b, sums, landings, c);
    } else {
      staged(form, a, b, sums, landings, "multiply", List.of(), c);
    }
    land(landings, results, type, c);
  }

  /** Moves what is not where it belongs. */
  static void land(List<Reg> landings, List<Reg> results, PtxType type, Lowering c) {
    for (int k = 0; k < results.size(); k++) {
      if (landings.get(k) != results.get(k)) c.move(Source.of(landings.get(k)), results.get(k), type);
    }
  }

  /** The arguments that tell the stored elements of a sparse A, and the lanes that hold them. */
  private static List<Op.Argument> metadata(List<Operand> operands, Lowering c) {
    if (!(operands.get(5) instanceof Operand.Integer(long selector))) {
      throw new Unsupported("the sparsity selector must be a constant");
    }
    if (selector < 0 || selector > 3) throw new Unsupported("sparsity selector " + selector + "; possible is 0 to 3");
    return List.of(new Op.Argument.Lanes(c.inRegister(operands.get(4), PtxType.B32)),
        new Op.Argument.IntValue((int) selector));
  }

  /** 16-bit factors, the bulk of all work, in one call. */
  private static void fused(Form form, List<Reg> a, List<Reg> b, List<Reg> sums, List<Reg> landings, Lowering c) {
    var arguments = new ArrayList<Op.Argument>();
    var reads = new ArrayList<Reg>();
    for (var group : List.of(a, b, sums)) reads.addAll(group);
    for (var r : reads) arguments.add(new Op.Argument.Lanes(r));
    for (var r : landings) arguments.add(new Op.Argument.Lanes(r));
    arguments.add(new Op.Argument.IntValue(form.a() == MmaType.BF16 ? 1 : 0));
    c.warp(TensorCores.class, form.shape().toString(), arguments, new Op.Result.Nothing(), reads, landings);
  }

  static void staged(Form form, List<Reg> a, List<Reg> b, List<Reg> sums, List<Reg> landings, String method,
      List<Op.Argument> more, Lowering c) {
    for (int k = 0; k < a.size(); k++) port("a", k, a.get(k), c);
    for (int k = 0; k < b.size(); k++) port("b", k, b.get(k), c);
    for (int k = 0; k < sums.size(); k++) port("c", k, sums.get(k), c);
    var shape = form.shape();
    var arguments = new ArrayList<Op.Argument>();
    for (int value : new int[] {shape.m(), shape.n(), shape.k(), form.a().ordinal(), form.b().ordinal(),
        form.c().ordinal(), form.flags()}) {
      arguments.add(new Op.Argument.IntValue(value));
    }
    arguments.addAll(more);
    var reads = more.stream().filter(Op.Argument.Lanes.class::isInstance)
        .map(argument -> ((Op.Argument.Lanes) argument).reg()).toList();
    c.warp(MmaUnit.class, method, arguments, new Op.Result.Nothing(), reads, List.of());
    for (int k = 0; k < landings.size(); k++) {
      c.warp(MmaUnit.class, "d", List.of(), List.of(landings.get(k)), new Op.Argument.IntValue(k),
          new Op.Argument.IntValue(form.d().ordinal()), new Op.Argument.Lanes(landings.get(k)));
    }
  }

  private static void port(String name, int index, Reg register, Lowering c) {
    c.warp(MmaUnit.class, name, List.of(register), List.of(), new Op.Argument.IntValue(index),
        new Op.Argument.Lanes(register));
  }

  static List<Reg> inputs(Operand operand, MmaType type, int count, Lowering c) {
    return c.elements(operand, count).stream().map(e -> c.inRegister(e, carrier(type))).toList();
  }
}
