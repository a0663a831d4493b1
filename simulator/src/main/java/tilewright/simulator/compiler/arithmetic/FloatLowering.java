package tilewright.simulator.compiler.arithmetic;

import java.lang.classfile.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.ptx.PtxType;
import tilewright.simulator.arithmetic.Approximations;
import tilewright.simulator.arithmetic.Conversions;
import tilewright.simulator.arithmetic.DirectedMath;
import tilewright.simulator.arithmetic.DoubleNans;
import tilewright.simulator.arithmetic.FloatMath;
import tilewright.simulator.arithmetic.HalfFunctions;
import tilewright.simulator.arithmetic.HalfMath;
import tilewright.simulator.arithmetic.OutOfBounds;
import tilewright.simulator.arithmetic.SignedExtrema;
import tilewright.simulator.arithmetic.SpecialFunctions;
import tilewright.simulator.compiler.code.Flow;
import tilewright.simulator.compiler.code.LaneCode;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;

/** Floating-point arithmetic: f32, f64, f16, bf16 and their pairs. */
public final class FloatLowering {
  private static final Map<String, Integer> DIRECTED =
      Map.of("rz", Conversions.ZERO, "rm", Conversions.DOWN, "rp", Conversions.UP);

  private FloatLowering() {}

  /** Whether a type is arithmetic of this class rather than integers. */
  public static boolean isFloat(PtxType type) {
    return switch (type) {
      case F16, BF16, F32, F64, F16X2, BF16X2, F32X2 -> true;
      default -> false;
    };
  }

  /** Takes the rounding of a floating-point result; to nearest even unless another is named. */
  public static int rounding(Modifiers m) {
    m.take("rn");
    return m.takeOne(DIRECTED.keySet()).map(DIRECTED::get).orElse(Conversions.NEAREST_EVEN);
  }

  public static void lower(Instruction i, Modifiers m, Lowering c) {
    boolean halves = i.type().filter(t -> t == PtxType.BF16 || t == PtxType.BF16X2).isPresent();
    boolean flush = m.take("ftz") && !(i.opcode().equals("ex2") && halves);
    boolean saturate = m.take("sat");
    boolean relu = m.take("relu");
    boolean propagate = m.take("NaN");
    boolean signed = m.take("xorsign");
    boolean magnitudes = m.take("abs") && !signed;
    boolean full = m.take("full");
    boolean approximate = m.take("approx") || full;
    m.take("noftz");
    boolean zeroing = m.take("oob");
    int mode = rounding(m);
    var type = m.type();
    var narrow = m.typeIfAny();
    m.requireNone();
    var clamps = new Clamps(flush, saturate, relu);
    if (type == PtxType.F32X2 || narrow.isPresent()) {
      SingleArithmetic.lower(i, c, type, narrow, clamps, mode);
      return;
    }
    var form = new Form(i, c, type, clamps, propagate, signed, magnitudes, approximate, mode);
    if (mode != Conversions.NEAREST_EVEN && type != PtxType.F32 && type != PtxType.F64) {
      throw new Unsupported("a directed rounding of " + type.text());
    }
    if (zeroing) {
      form.zeroing();
      return;
    }
    switch (i.opcode()) {
      case "add", "sub", "mul", "fma", "mad" -> form.arithmetic();
      case "min", "max" -> form.extremum();
      case "neg", "abs" -> form.sign();
      case "div" -> {
        if (approximate) form.quotient(full ? "divFull" : "div");
        else form.divide();
      }
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
      boolean magnitudes, boolean approximate, int mode) {

    void arithmetic() {
      int inputs = i.opcode().equals("fma") || i.opcode().equals("mad") ? 3 : 2;
      var name = inputs == 3 ? "fma" : i.opcode();
      emit(inputs, code -> {
        switch (type) {
          case F32 -> SingleArithmetic.emit(code, name, mode, clamps.flush());
          case F64 -> {
            if (mode == Conversions.NEAREST_EVEN) {
              code.call(DoubleNans.class, name, double.class, same(double.class, inputs));
            } else {
              directed(code, name, inputs);
            }
          }
          default -> {
            boolean early = clamps.flush() && Set.of("mul", "fma").contains(name);
            code.call(HalfMath.class, name + (early ? "Flush" : "") + half(), int.class, same(int.class, inputs));
          }
        }
      });
    }

    private void directed(LaneCode code, String name, int inputs) {
      Class<?> j = jvmType();
      var types = new ArrayList<Class<?>>(List.of(same(j, inputs)));
      types.add(int.class);
      code.b.loadConstant(mode);
      code.call(DirectedMath.class, name, j, types.toArray(Class<?>[]::new));
    }

    /** {@code fma.oob}: what lies outside a tensor counts as nothing. */
    void zeroing() {
      if (!i.opcode().equals("fma") || clamps.flush()) throw new Unsupported(".oob of " + i.opcode());
      emit(3, code -> code.call(OutOfBounds.class, "fma" + half(), int.class, same(int.class, 3)));
    }

    private String half() {
      return Clamps.half(type);
    }

    private static Class<?>[] same(Class<?> type, int count) {
      return java.util.Collections.nCopies(count, type).toArray(Class<?>[]::new);
    }

    /** Lowers the minimum and maximum of two operands or, in f32, three. */
    void extremum() {
      int inputs = type == PtxType.F32 && !signed && i.operands().size() == 4 ? 3 : 2;
      if (magnitudes && inputs == 2) throw new Unsupported(".abs without .xorsign of two operands");
      emit(inputs, code -> {
        if (signed) {
          Class<?> j = type == PtxType.F32 ? float.class : int.class;
          code.b.loadConstant(i.opcode().equals("max") ? 1 : 0).loadConstant(propagate ? 1 : 0);
          code.call(SignedExtrema.class, type.text(), j, j, j, boolean.class, boolean.class);
          return;
        }
        switch (type) {
          case F32 -> {
            var name = i.opcode() + (propagate ? "NaN" : "");
            for (int k = 1; k < inputs; k++) {
              code.call(FloatMath.class, name, float.class, float.class, float.class);
            }
          }
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
          default -> code.call(HalfFunctions.class, i.opcode() + half(), int.class, int.class);
        }
      });
    }

    void divide() {
      jvmType();
      emit(2, code -> {
        if (mode == Conversions.NEAREST_EVEN && !flushes()) {
          if (type == PtxType.F32) {
            code.op(Opcode.FDIV);
            SingleArithmetic.canonical(code);
          } else {
            code.call(DoubleNans.class, "div", double.class, double.class, double.class);
          }
        } else {
          directed(code, flushes() ? "divFlush" : "div", 2);
        }
      });
    }

    private boolean flushes() {
      return clamps.flush() && type == PtxType.F32;
    }

    /** An approximate quotient. */
    void quotient(String name) {
      if (type != PtxType.F32) throw new Unsupported("approximate division of " + type.text());
      emit(2, code -> code.call(Approximations.class, name + (clamps.flush() ? "Flush" : ""), float.class, float.class,
          float.class));
    }

    void binary(String name) {
      Class<?> j = jvmType();
      emit(2, code -> code.call(FloatMath.class, name, j, j, j));
    }

    void root() {
      Class<?> j = jvmType();
      emit(1, code -> {
        if (mode == Conversions.NEAREST_EVEN) {
          code.call(approximate ? special() : FloatMath.class, i.opcode(), j, j);
        } else {
          boolean early = flushes() && i.opcode().equals("rcp");
          directed(code, i.opcode() + (early ? "Flush" : ""), 1);
        }
      });
    }

    void function() {
      emit(1, code -> {
        if (type == PtxType.F32) {
          code.call(special(), i.opcode(), float.class, float.class);
        } else if (type.bits() <= 32 && Set.of("ex2", "tanh").contains(i.opcode())) {
          code.call(HalfFunctions.class, i.opcode() + half(), int.class, int.class);
        } else {
          throw new Unsupported(i.opcode() + " of " + type.text());
        }
      });
    }

    /** The class of an approximate function: what needs no steps around it is the unit's own. */
    private Class<?> special() {
      boolean bare = clamps.flush() || Set.of("sin", "cos", "tanh").contains(i.opcode());
      return bare ? SpecialFunctions.class : Approximations.class;
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
      c.lane(sources, List.of(to), Flow.mixed(type), code -> {
        for (var s : sources) {
          code.push(s, type);
          clamps.input(code, type);
          if (magnitudes) code.call(FloatMath.class, "abs", float.class, float.class);
        }
        operation.emit(code);
        clamps.output(code, type);
        code.pop(to, type);
      });
    }
  }
}
