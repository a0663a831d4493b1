package tilewright.simulator.compiler;

import java.lang.classfile.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.ptx.PtxType;
import tilewright.simulator.core.Conversions;
import tilewright.simulator.core.FloatMath;
import tilewright.simulator.core.HalfMath;

/** Floating-point arithmetic: f32, f64, f16, bf16 and their pairs. */
final class FloatLowering {
  private static final Map<String, Integer> DIRECTED =
      Map.of("rz", Conversions.ZERO, "rm", Conversions.DOWN, "rp", Conversions.UP);

  private FloatLowering() {}

  /** Whether a type is arithmetic of this class rather than integers. */
  static boolean isFloat(PtxType type) {
    return switch (type) {
      case F16, BF16, F32, F64, F16X2, BF16X2, F32X2 -> true;
      default -> false;
    };
  }

  static void lower(Instruction i, Modifiers m, Lowering c) {
    boolean flush = m.take("ftz");
    boolean saturate = m.take("sat");
    boolean propagate = m.take("NaN");
    boolean approximate = m.take("approx") | m.take("full");
    // Correctly rounded results are within every documented error of the approximate forms.
    m.take("rn");
    m.take("noftz");
    var directed = m.takeOne(DIRECTED.keySet());
    var type = m.type();
    m.requireNone();
    int mode = directed.map(DIRECTED::get).orElse(Conversions.NEAREST_EVEN);
    var form = new Form(i, c, type, flush, saturate, propagate, mode);
    if (directed.isPresent()
        && (type != PtxType.F32 || !Set.of("add", "sub", "mul", "fma", "mad").contains(i.opcode()))) {
      throw new Unsupported("." + directed.get() + " of " + i.opcode() + " on " + type.text());
    }
    switch (i.opcode()) {
      case "add", "sub", "mul", "fma", "mad" -> form.arithmetic();
      case "min", "max" -> form.extremum();
      case "neg" -> form.sign(true);
      case "abs" -> form.sign(false);
      case "div" -> form.divide();
      case "copysign" -> form.binary("copysign");
      case "rcp", "sqrt", "rsqrt" -> form.unary(i.opcode(), Set.of(PtxType.F32, PtxType.F64));
      case "ex2", "lg2", "sin", "cos", "tanh" -> {
        if (!approximate) throw new Unsupported(i.opcode() + " without .approx");
        form.unary(i.opcode(), Set.of(PtxType.F32));
      }
      default -> throw new Unsupported("unknown instruction");
    }
  }

  /** One instruction with its modifiers read. */
  private record Form(Instruction i, Lowering c, PtxType type, boolean flush, boolean saturate, boolean propagate,
      int mode) {

    void arithmetic() {
      int inputs = i.opcode().equals("fma") || i.opcode().equals("mad") ? 3 : 2;
      var name = inputs == 3 ? "fma" : i.opcode();
      emit(inputs, code -> {
        switch (type) {
          case F32 -> {
            if (mode == Conversions.NEAREST_EVEN) {
              scalar(code, name, Opcode.FADD, Opcode.FSUB, Opcode.FMUL, float.class);
            } else {
              directed(code, name, inputs);
            }
          }
          case F64 -> scalar(code, name, Opcode.DADD, Opcode.DSUB, Opcode.DMUL, double.class);
          case F32X2 -> code.call(FloatMath.class, name + "2", long.class, same(long.class, inputs));
          default -> code.call(HalfMath.class, name + half(), int.class, same(int.class, inputs));
        }
      });
    }

    private static void scalar(LaneCode code, String name, Opcode add, Opcode sub, Opcode mul, Class<?> j) {
      switch (name) {
        case "add" -> code.op(add);
        case "sub" -> code.op(sub);
        case "mul" -> code.op(mul);
        default -> code.call(Math.class, "fma", j, j, j, j);
      }
    }

    private void directed(LaneCode code, String name, int inputs) {
      var types = new ArrayList<Class<?>>(List.of(same(float.class, inputs)));
      types.add(int.class);
      code.b.loadConstant(mode);
      code.call(FloatMath.class, name, float.class, types.toArray(Class<?>[]::new));
    }

    private String half() {
      return switch (type) {
        case F16 -> "F16";
        case BF16 -> "Bf16";
        case F16X2 -> "F16x2";
        default -> "Bf16x2";
      };
    }

    private static Class<?>[] same(Class<?> type, int count) {
      return java.util.Collections.nCopies(count, type).toArray(Class<?>[]::new);
    }

    void extremum() {
      emit(2, code -> {
        switch (type) {
          case F32 -> code.call(FloatMath.class, i.opcode() + (propagate ? "NaN" : ""), float.class, float.class,
              float.class);
          case F64 -> code.call(FloatMath.class, i.opcode(), double.class, double.class, double.class);
          default -> {
            if (propagate) throw new Unsupported(".NaN of " + type.text());
            code.call(HalfMath.class, i.opcode() + half(), int.class, int.class, int.class);
          }
        }
      });
    }

    void sign(boolean negate) {
      emit(1, code -> {
        switch (type) {
          case F32 -> code.call(negate ? FloatMath.class : Math.class, i.opcode(), float.class, float.class);
          case F64 -> code.call(negate ? FloatMath.class : Math.class, i.opcode(), double.class, double.class);
          case F32X2 -> throw new Unsupported(i.opcode() + " of f32x2");
          default -> {
            int signs = type.bits() == 16 ? 0x8000 : 0x8000_8000;
            code.b.loadConstant(negate ? signs : ~signs);
            code.op(negate ? Opcode.IXOR : Opcode.IAND);
          }
        }
      });
    }

    void divide() {
      switch (type) {
        case F32 -> emit(2, code -> code.op(Opcode.FDIV));
        case F64 -> emit(2, code -> code.op(Opcode.DDIV));
        default -> throw new Unsupported("div of " + type.text());
      }
    }

    void binary(String name) {
      Class<?> j = jvmType(Set.of(PtxType.F32, PtxType.F64));
      emit(2, code -> code.call(FloatMath.class, name, j, j, j));
    }

    void unary(String name, Set<PtxType> types) {
      Class<?> j = jvmType(types);
      emit(1, code -> code.call(FloatMath.class, name, j, j));
    }

    private Class<?> jvmType(Set<PtxType> types) {
      if (!types.contains(type)) throw new Unsupported(i.opcode() + " of " + type.text());
      return type == PtxType.F32 ? float.class : double.class;
    }

    private void emit(int inputs, Op.LaneBody operation) {
      if (saturate && type != PtxType.F32 && type != PtxType.F64) throw new Unsupported(".sat of " + type.text());
      if (flush && type != PtxType.F32) throw new Unsupported(".ftz of " + type.text());
      var operands = c.operands(i, inputs + 1);
      var sources = operands.subList(1, inputs + 1).stream().map(c::source).toList();
      var to = c.destination(operands.getFirst(), type);
      c.lane(sources, List.of(to), code -> {
        for (var s : sources) {
          code.push(s, type);
          flush(code);
        }
        operation.emit(code);
        flush(code);
        if (saturate) {
          Class<?> j = type == PtxType.F32 ? float.class : double.class;
          code.call(FloatMath.class, "saturate", j, j);
        }
        code.pop(to, type);
      });
    }

    private void flush(LaneCode code) {
      if (flush) code.call(FloatMath.class, "flush", float.class, float.class);
    }
  }
}
