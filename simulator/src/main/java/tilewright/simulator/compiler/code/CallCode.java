package tilewright.simulator.compiler.code;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;

/** Emits calls into the machine, and access to the warp's registers. */
final class CallCode {
  private static final ClassDesc INTS = ConstantDescs.CD_int.arrayType();

  private CallCode() {}

  static String field(Reg.Kind kind) {
    return switch (kind) {
      case INT -> "i";
      case FLOAT -> "f";
      case LONG -> "l";
      case DOUBLE -> "d";
      case PREDICATE -> "p";
    };
  }

  static ClassDesc array(Reg.Kind kind) {
    return switch (kind) {
      case INT, PREDICATE -> INTS;
      case FLOAT -> ConstantDescs.CD_float.arrayType();
      case LONG -> ConstantDescs.CD_long.arrayType();
      case DOUBLE -> ConstantDescs.CD_double.arrayType();
    };
  }

  /** Pushes a register's array of lanes. */
  static void lanes(CodeBuilder c, Reg reg) {
    c.aload(0).getfield(LaneCode.WARP, field(reg.kind), array(reg.kind).arrayType()).loadConstant(reg.slot()).aaload();
  }

  /** Pushes a predicate's bits. */
  static void bits(CodeBuilder c, Reg predicate) {
    c.aload(0).getfield(LaneCode.WARP, "p", INTS).loadConstant(predicate.slot()).iaload();
  }

  /** Pushes the lanes for which a guard holds. */
  static void predicate(CodeBuilder c, Op.Guard guard) {
    bits(c, guard.predicate());
    if (guard.negated()) c.iconst_m1().ixor();
  }

  static void emit(CodeBuilder code, Op.Warp op) {
    // Whether to wait is what the block returns; such a call has no guard.
    if (op.result() instanceof Op.Result.Wait) {
      code.aload(0).iload(1);
      invoke(code, op);
      return;
    }
    code.block(c -> {
      int mask = 1;
      if (op.guard().isPresent()) {
        mask = c.allocateLocal(TypeKind.INT);
        predicate(c, op.guard().get());
        c.iload(1).iand().dup().istore(mask).ifeq(c.breakLabel());
      }
      if (op.result() instanceof Op.Result.Predicate(var to)) {
        c.aload(0).getfield(LaneCode.WARP, "p", INTS).loadConstant(to.slot());
        c.aload(0).iload(mask);
        invoke(c, op);
        c.iload(mask).iand();
        bits(c, to);
        c.iload(mask).iconst_m1().ixor().iand().ior().iastore();
      } else {
        c.aload(0).iload(mask);
        invoke(c, op);
      }
    });
  }

  private static void invoke(CodeBuilder c, Op.Warp op) {
    var types = new ArrayList<ClassDesc>();
    types.add(LaneCode.WARP);
    types.add(ConstantDescs.CD_int);
    for (var argument : op.arguments()) {
      switch (argument) {
        case Op.Argument.Lanes(var reg) -> {
          lanes(c, reg);
          types.add(array(reg.kind));
        }
        case Op.Argument.IntValue(int value) -> {
          c.loadConstant(value);
          types.add(ConstantDescs.CD_int);
        }
        case Op.Argument.LongValue(long value) -> {
          c.loadConstant(value);
          types.add(ConstantDescs.CD_long);
        }
        case Op.Argument.Slot(var predicate) -> {
          c.loadConstant(predicate.slot());
          types.add(ConstantDescs.CD_int);
        }
      }
    }
    var result = op.result() instanceof Op.Result.Nothing ? ConstantDescs.CD_void : ConstantDescs.CD_int;
    c.invokestatic(ClassDesc.ofDescriptor(op.owner().descriptorString()), op.method(),
        MethodTypeDesc.of(result, types));
  }
}
