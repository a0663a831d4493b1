package tilewright.simulator.core;

import java.util.Locale;
import tilewright.ptx.Instruction;
import tilewright.ptx.PtxType;

/** The kind of work of an instruction, as a profile counts it: by the unit of an SM that does most of it. */
public enum InstructionClass {
  INTEGER, F16, F32, F64, SPECIAL_FUNCTION, CONVERT, COMPARE, MOVE, TENSOR, TENSOR_MEMORY, GLOBAL, SHARED, LOCAL,
  GENERIC, CONSTANT, ATOMIC, ASYNC_COPY, WARP, SYNCHRONISE, CONTROL;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  static InstructionClass of(Instruction i) {
    return switch (i.opcode()) {
      case "ld", "ldu", "st" -> space(i);
      case "ldmatrix", "stmatrix" -> SHARED;
      case "atom", "red" -> ATOMIC;
      case "cp", "prefetch", "prefetchu" -> ASYNC_COPY;
      case "mma", "wmma", "wgmma" -> TENSOR;
      case "tcgen05" -> tensor(i);
      case "shfl", "vote", "match", "redux", "elect", "activemask", "movmatrix" -> WARP;
      case "bar", "barrier", "membar", "fence", "mbarrier", "nanosleep" -> SYNCHRONISE;
      case "bra", "brx", "ret", "exit", "call", "trap" -> CONTROL;
      case "setp", "set", "selp", "slct" -> COMPARE;
      case "mov", "cvta", "isspacep", "prmt" -> MOVE;
      case "cvt" -> CONVERT;
      case "rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh" -> SPECIAL_FUNCTION;
      default -> i.type().map(InstructionClass::arithmetic).orElse(INTEGER);
    };
  }

  private static InstructionClass tensor(Instruction i) {
    return switch (i.modifiers().isEmpty() ? "" : i.modifiers().getFirst()) {
      case "mma" -> TENSOR;
      case "ld", "st", "cp", "shift" -> TENSOR_MEMORY;
      default -> SYNCHRONISE;
    };
  }

  private static InstructionClass space(Instruction i) {
    if (i.has("global")) return GLOBAL;
    if (i.modifiers().stream().anyMatch(m -> m.startsWith("shared"))) return SHARED;
    if (i.has("local")) return LOCAL;
    boolean constant = i.has("const") || i.modifiers().stream().anyMatch(m -> m.startsWith("param"));
    return constant ? CONSTANT : GENERIC;
  }

  private static InstructionClass arithmetic(PtxType type) {
    return switch (type) {
      case F16, F16X2, BF16, BF16X2 -> F16;
      case F32, F32X2 -> F32;
      case F64 -> F64;
      default -> INTEGER;
    };
  }
}
