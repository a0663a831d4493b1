package tilewright.simulator.compiler.code;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Map;
import tilewright.ptx.PtxType;
import tilewright.simulator.core.Warp;

/** Emits the code of one lane: operands to the JVM's stack, work on it, results back to registers. */
public class LaneCode {
  static final ClassDesc WARP = ClassDesc.ofDescriptor(Warp.class.descriptorString());
  private static final ClassDesc FLOAT = ConstantDescs.CD_Float;
  private static final ClassDesc DOUBLE = ConstantDescs.CD_Double;
  private static final int WARP_SLOT = 0;

  public final CodeBuilder b;
  private final Map<Reg, Integer> locals;
  private final int lane;

  /** @param locals where this lane's copies of the registers are */
  LaneCode(CodeBuilder b, Map<Reg, Integer> locals, int lane) {
    this.b = b;
    this.locals = locals;
    this.lane = lane;
  }

  static TypeKind typeKind(Reg.Kind kind) {
    return switch (kind) {
      case INT, PREDICATE -> TypeKind.INT;
      case FLOAT -> TypeKind.FLOAT;
      case LONG -> TypeKind.LONG;
      case DOUBLE -> TypeKind.DOUBLE;
    };
  }

  /** Pushes an operand as the JVM type that stands for a PTX type; integers narrower than 32 bits are extended. */
  public LaneCode push(Source source, PtxType type) {
    switch (source) {
      case Source.Register(var reg) -> pushRegister(reg, type);
      case Source.Constant c -> pushConstant(c, type);
      case Source.Special(int code) -> {
        b.aload(WARP_SLOT).loadConstant(code).iload(lane);
        b.invokevirtual(WARP, "special",
            MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_int, ConstantDescs.CD_int));
        // %is_explicit_cluster is a predicate.
        if (type != PtxType.PRED) widen(type, "a special register");
        if (Reg.kindOf(type) == Reg.Kind.LONG) b.loadConstant(0xFFFF_FFFFL).land();
      }
      case Source.Shared(long offset) -> {
        b.aload(WARP_SLOT).getfield(WARP, "sharedBase", ConstantDescs.CD_int);
        b.loadConstant((int) offset).iadd();
        widen(type, "an address");
      }
      case Source.Clock() -> {
        b.aload(WARP_SLOT).invokevirtual(WARP, "clock", MethodTypeDesc.of(ConstantDescs.CD_long));
        switch (Reg.kindOf(type)) {
          case LONG -> {}
          case INT -> {
            b.l2i();
            extendFrom(64, type);
          }
          default -> throw new Unsupported("a special register where a " + type.text() + " is needed");
        }
      }
    }
    return this;
  }

  /** Makes 32 bits on the stack a value of an integer type. */
  private void widen(PtxType type, String what) {
    switch (Reg.kindOf(type)) {
      case LONG -> b.i2l();
      case INT -> extendFrom(32, type);
      default -> throw new Unsupported(what + " where a " + type.text() + " is needed");
    }
  }

  private void pushConstant(Source.Constant c, PtxType type) {
    boolean floating = c.type() == PtxType.F32 || c.type() == PtxType.F64;
    switch (Reg.kindOf(type)) {
      case INT -> b.loadConstant(extend((int) c.bits(), type));
      case LONG -> b.loadConstant(c.bits());
      case FLOAT -> {
        if (!floating) throw new Unsupported("an integer constant where a " + type.text() + " is needed");
        b.loadConstant(c.type() == PtxType.F32 ? Float.intBitsToFloat((int) c.bits())
            : (float) Double.longBitsToDouble(c.bits()));
      }
      case DOUBLE -> {
        if (!floating) throw new Unsupported("an integer constant where a " + type.text() + " is needed");
        b.loadConstant(c.type() == PtxType.F64 ? Double.longBitsToDouble(c.bits())
            : (double) Float.intBitsToFloat((int) c.bits()));
      }
      case PREDICATE -> b.loadConstant(c.bits() != 0 ? 1 : 0);
    }
  }

  private static int extend(int value, PtxType type) {
    return switch (type.bits()) {
      case 8 -> type == PtxType.S8 ? (byte) value : value & 0xFF;
      case 16 -> type == PtxType.S16 ? (short) value : value & 0xFFFF;
      default -> value;
    };
  }

  /** Pushes what a register holds. */
  void get(Reg reg) {
    b.loadLocal(typeKind(reg.kind), locals.get(reg));
  }

  /** Pops what a register is to hold. */
  void set(Reg reg) {
    b.storeLocal(typeKind(reg.kind), locals.get(reg));
  }

  private void pushRegister(Reg reg, PtxType type) {
    var wanted = Reg.kindOf(type);
    get(reg);
    if (reg.kind == wanted) {
      if (wanted == Reg.Kind.INT) extendFrom(reg.type.bits(), type);
    } else if (reg.kind == Reg.Kind.FLOAT && wanted == Reg.Kind.INT && type.bits() == 32) {
      b.invokestatic(FLOAT, "floatToRawIntBits", MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_float));
    } else if (reg.kind == Reg.Kind.INT && reg.type.bits() == 32 && wanted == Reg.Kind.FLOAT) {
      b.invokestatic(FLOAT, "intBitsToFloat", MethodTypeDesc.of(ConstantDescs.CD_float, ConstantDescs.CD_int));
    } else if (reg.kind == Reg.Kind.DOUBLE && wanted == Reg.Kind.LONG) {
      b.invokestatic(DOUBLE, "doubleToRawLongBits", MethodTypeDesc.of(ConstantDescs.CD_long, ConstantDescs.CD_double));
    } else if (reg.kind == Reg.Kind.LONG && wanted == Reg.Kind.DOUBLE) {
      b.invokestatic(DOUBLE, "longBitsToDouble", MethodTypeDesc.of(ConstantDescs.CD_double, ConstantDescs.CD_long));
    } else if (reg.kind == Reg.Kind.LONG && wanted == Reg.Kind.INT) {
      b.l2i();
      extendFrom(64, type);
    } else {
      throw new Unsupported("a register of type " + reg.type.text() + " where a " + type.text() + " is needed");
    }
  }

  private void extendFrom(int bits, PtxType type) {
    if (type.bits() > bits) throw new Unsupported("a " + bits + "-bit register where " + type.text() + " is needed");
    switch (type) {
      case S8 -> b.i2b();
      case U8, B8 -> b.loadConstant(0xFF).iand();
      case S16 -> b.i2s();
      default -> {
        if (type.bits() == 16 && bits > 16) b.i2c();
      }
    }
  }

  /** Pops a value of a PTX type into a register, extending it when the register is wider. */
  public LaneCode pop(Reg reg, PtxType type) {
    var have = Reg.kindOf(type);
    if (have == Reg.Kind.INT && type.bits() < 32) narrow(type, reg.type.bits());
    if (reg.kind != have) {
      if (reg.kind == Reg.Kind.LONG && have == Reg.Kind.INT) {
        b.i2l();
        if (!isSigned(type)) b.loadConstant(0xFFFF_FFFFL).land();
      } else if (reg.kind == Reg.Kind.FLOAT && have == Reg.Kind.INT && type.bits() == 32) {
        b.invokestatic(FLOAT, "intBitsToFloat", MethodTypeDesc.of(ConstantDescs.CD_float, ConstantDescs.CD_int));
      } else if (reg.kind == Reg.Kind.INT && reg.type.bits() == 32 && have == Reg.Kind.FLOAT) {
        b.invokestatic(FLOAT, "floatToRawIntBits", MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_float));
      } else if (reg.kind == Reg.Kind.DOUBLE && have == Reg.Kind.LONG) {
        b.invokestatic(DOUBLE, "longBitsToDouble", MethodTypeDesc.of(ConstantDescs.CD_double, ConstantDescs.CD_long));
      } else if (reg.kind == Reg.Kind.LONG && have == Reg.Kind.DOUBLE) {
        b.invokestatic(DOUBLE, "doubleToRawLongBits",
            MethodTypeDesc.of(ConstantDescs.CD_long, ConstantDescs.CD_double));
      } else {
        throw new Unsupported("a result of type " + type.text() + " into a register of type " + reg.type.text());
      }
    } else if (have == Reg.Kind.INT && type.bits() > reg.type.bits()) {
      throw new Unsupported("a result of type " + type.text() + " into a register of type " + reg.type.text());
    }
    set(reg);
    return this;
  }

  private void narrow(PtxType type, int registerBits) {
    switch (type) {
      case S8 -> b.i2b();
      case U8, B8 -> b.loadConstant(0xFF).iand();
      case S16 -> b.i2s();
      default -> b.i2c();
    }
    // A 16-bit register holds its bits without sign.
    if (registerBits == 16) b.i2c();
  }

  public static boolean isSigned(PtxType type) {
    return type == PtxType.S8 || type == PtxType.S16 || type == PtxType.S32 || type == PtxType.S64;
  }

  public LaneCode op(Opcode opcode) {
    b.with(OperatorInstruction.of(opcode));
    return this;
  }

  /** Calls a static method on what is on the stack. */
  public LaneCode call(Class<?> owner, String name, Class<?> result, Class<?>... parameters) {
    MachineMethod.require(owner, name, result, java.util.List.of(parameters));
    var types = java.util.Arrays.stream(parameters).map(c -> ClassDesc.ofDescriptor(c.descriptorString())).toList();
    b.invokestatic(ClassDesc.ofDescriptor(owner.descriptorString()), name,
        MethodTypeDesc.of(ClassDesc.ofDescriptor(result.descriptorString()), types));
    return this;
  }
}
