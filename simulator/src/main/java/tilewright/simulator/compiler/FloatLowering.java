package tilewright.simulator.compiler;

import java.lang.classfile.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.ptx.PtxType;
import tilewright.simulator.core.Approximations;
import tilewright.simulator.core.Conversions;
import tilewright.simulator.core.DirectedMath;
import tilewright.simulator.core.DoubleNans;
import tilewright.simulator.core.FloatMath;
import tilewright.simulator.core.HalfFunctions;
import tilewright.simulator.core.HalfMath;
import tilewright.simulator.core.SignedExtrema;

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
    boolean flush = m.take("ftz") && !(i.opcode().equals("ex2") && i.type().orElseThrow().text().startsWith("bf16"));
    boolean saturate = m.take("sat");
    boolean relu = m.take("relu");
    boolean propagate = m.take("NaN");
    boolean signed = m.take("xorsign") && m.take("abs");
    boolean approximate = m.take("approx") | m.take("full");
    // Correctly rounded results are within every documented error of the approximate forms.
    m.take("rn");
    m.take("noftz");
    var directed = m.takeOne(DIRECTED.keySet());
    var type = m.type();
    m.requireNone();
    int mode = directed.map(DIRECTED::get).orElse(Conversions.NEAREST_EVEN);
    var form = new Form(i, c, type, new Clamps(flush, saturate, relu), propagate, signed, approximate, mode);
    if (directed.isPresent() && type != PtxType.F32 && type != PtxType.F64) {
      throw new Unsupported("." + directed.get() + " of " + type.text());
    }
    switch (i.opcode()) {
      case "add", "sub", "mul", "fma", "mad" -> form.arithmetic();
      case "min", "max" -> form.extremum();
      case "neg", "abs" -> form.sign();
      case "div" -> form.divide();
      case "copysign" -> form.binary("copysign");
      case "rcp", "sqrt", "rsqrt" -> form.root();
      case "ex2", "lg2", "sin", "cos", "tanh" -> {
        if (!approximate) throw new Unsupported(i.opcode() + " without .approx");
        form.function();
      }
      default -> throw new Unsupported("unknown instruction");
    }
  }

  /** One instruction with its modifiers read. */
  private record Form(Instruction i, Lowering c, PtxType type, Clamps clamps, boolean propagate, boolean signed,
      boolean approximate, int mode) {

    void arithmetic() {
      int inputs = i.opcode().equals("fma") || i.opcode().equals("mad") ? 3 : 2;
      var name = inputs == 3 ? "fma" : i.opcode();
      emit(inputs, code -> {
        switch (type) {
          case F32 -> {
            if (mode == Conversions.NEAREST_EVEN) {
              single(code, name);
            } else {
              directed(code, FloatMath.class, name, inputs);
            }
          }
          case F64 -> {
            if (mode == Conversions.NEAREST_EVEN) {
              code.call(DoubleNans.class, name, double.class, same(double.class, inputs));
            } else {
              directed(code, DirectedMath.class, name, inputs);
            }
          }
          case F32X2 -> code.call(FloatMath.class, name + "2", long.class, same(long.class, inputs));
          default -> {
            boolean early = clamps.flush() && Set.of("mul", "fma").contains(name);
            code.call(HalfMath.class, name + (early ? "Flush" : "") + half(), int.class, same(int.class, inputs));
          }
        }
      });
    }

    private static void single(LaneCode code, String name) {
      switch (name) {
        case "add" -> code.op(Opcode.FADD);
        case "sub" -> code.op(Opcode.FSUB);
        case "mul" -> code.op(Opcode.FMUL);
        default -> code.call(Math.class, "fma", float.class, same(float.class, 3));
      }
      canonical(code);
    }

    private static void canonical(LaneCode code) {
      code.call(FloatMath.class, "canonical", float.class, float.class);
    }

    private void directed(LaneCode code, Class<?> owner, String name, int inputs) {
      Class<?> j = jvmType();
      var types = new ArrayList<Class<?>>(List.of(same(j, inputs)));
      types.add(int.class);
      code.b.loadConstant(mode);
      code.call(owner, name, j, types.toArray(Class<?>[]::new));
    }

    private String half() {
      return Clamps.half(type);
    }

    private static Class<?>[] same(Class<?> type, int count) {
      return java.util.Collections.nCopies(count, type).toArray(Class<?>[]::new);
    }

    void extremum() {
      emit(2, code -> {
        if (signed) {
          Class<?> j = type == PtxType.F32 ? float.class : int.class;
          code.b.loadConstant(i.opcode().equals("max") ? 1 : 0).loadConstant(propagate ? 1 : 0);
          code.call(SignedExtrema.class, type.text(), j, j, j, boolean.class, boolean.class);
          return;
        }
        switch (type) {
          case F32 -> code.call(FloatMath.class, i.opcode() + (propagate ? "NaN" : ""), float.class, float.class,
              float.class);
          case F64 -> code.call(FloatMath.class, i.opcode(), double.class, double.class, double.class);
          default -> {
            var owner = propagate ? HalfFunctions.class : HalfMath.class;
            code.call(owner, i.opcode() + (propagate ? "NaN" : "") + half(), int.class, int.class, int.class);
          }
        }
      });
    }

    void sign() {
      emit(1, code -> {
        switch (type) {
          case F32 -> code.call(FloatMath.class, i.opcode(), float.class, float.class);
          case F64 -> code.call(DoubleNans.class, i.opcode(), double.class, double.class);
          case F32X2 -> throw new Unsupported(i.opcode() + " of f32x2");
          default -> code.call(HalfFunctions.class, i.opcode() + half(), int.class, int.class);
        }
      });
    }

    void divide() {
      jvmType();
      emit(2, code -> {
        if (mode == Conversions.NEAREST_EVEN) {
          if (type == PtxType.F32) {
            code.op(Opcode.FDIV);
            canonical(code);
          } else {
            code.call(DoubleNans.class, "div", double.class, double.class, double.class);
          }
        } else {
          directed(code, DirectedMath.class, "div", 2);
        }
      });
    }

    void binary(String name) {
      Class<?> j = jvmType();
      emit(2, code -> code.call(FloatMath.class, name, j, j, j));
    }

    void root() {
      Class<?> j = jvmType();
      emit(1, code -> {
        if (mode == Conversions.NEAREST_EVEN) {
          var owner = approximate && type == PtxType.F32 ? Approximations.class : FloatMath.class;
          code.call(owner, i.opcode(), j, j);
        } else {
          boolean early = clamps.flush() && type == PtxType.F32 && i.opcode().equals("rcp");
          directed(code, DirectedMath.class, i.opcode() + (early ? "Flush" : ""), 1);
        }
        // The gross approximations have no more than the upper word.
        if (type == PtxType.F64 && approximate && clamps.flush()) {
          code.call(FloatMath.class, "upperWord", double.class, double.class);
        }
      });
    }

    void function() {
      emit(1, code -> {
        if (type == PtxType.F32) {
          boolean early = clamps.flush() && i.opcode().equals("ex2");
          code.call(Approximations.class, i.opcode() + (early ? "Flush" : ""), float.class, float.class);
        } else if (type.bits() <= 32 && Set.of("ex2", "tanh").contains(i.opcode())) {
          code.call(HalfFunctions.class, i.opcode() + half(), int.class, int.class);
        } else {
          throw new Unsupported(i.opcode() + " of " + type.text());
        }
      });
    }

    private Class<?> jvmType() {
      return switch (type) {
        case F32 -> float.class;
        case F64 -> double.class;
        default -> throw new Unsupported(i.opcode() + " of " + type.text());
      };
    }

    private void emit(int inputs, Op.LaneBody operation) {
      clamps.require(type);
      var operands = c.operands(i, inputs + 1);
      var sources = operands.subList(1, inputs + 1).stream().map(c::source).toList();
      var to = c.destination(operands.getFirst(), type);
      c.lane(sources, List.of(to), code -> {
        for (var s : sources) {
          code.push(s, type);
          clamps.input(code, type);
        }
        operation.emit(code);
        clamps.output(code, type);
        code.pop(to, type);
      });
    }
  }
}
