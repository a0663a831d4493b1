package tilewright.simulator.compiler.arithmetic;

import java.lang.classfile.Opcode;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.ptx.PtxType;
import tilewright.simulator.arithmetic.Conversions;
import tilewright.simulator.arithmetic.FloatMath;
import tilewright.simulator.compiler.code.Flow;
import tilewright.simulator.compiler.code.LaneCode;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Lowering;

/** Arithmetic in f32: of pairs, and of halves that are widened first (PTX ISA, mixed precision instructions). */
final class SingleArithmetic {
  private static final Class<?> F = float.class;
  private static final Set<String> PAIRED = Set.of("add", "sub", "mul", "fma");
  /** Operations whose results may lie below the normal numbers and have more bits than an f32 has there. */
  private static final Set<String> FLUSHING = Set.of("mul", "fma");
  private static final Set<String> MIXED = Set.of("add", "sub", "fma");

  private SingleArithmetic() {}

  /** Emits an operation on what is on the stack; with {@code flush} subnormal results are still to be flushed. */
  static void emit(LaneCode code, String name, int mode, boolean flush) {
    int inputs = name.equals("fma") ? 3 : 2;
    boolean flushes = flush && FLUSHING.contains(name);
    if (mode != Conversions.NEAREST_EVEN) {
      var types = new Class<?>[inputs + 1];
      Arrays.fill(types, F);
      types[inputs] = int.class;
      code.b.loadConstant(mode);
      code.call(FloatMath.class, name + (flushes ? "Flush" : ""), F, types);
      return;
    }
    switch (name) {
      case "add" -> code.op(Opcode.FADD);
      case "sub" -> code.op(Opcode.FSUB);
      case "mul" -> {
        if (flushes) code.call(FloatMath.class, "mulFlush", F, F, F);
        else code.op(Opcode.FMUL);
      }
      default -> code.call(flushes ? FloatMath.class : Math.class, flushes ? "fmaFlush" : "fma", F, F, F, F);
    }
    canonical(code);
  }

  static void canonical(LaneCode code) {
    code.call(FloatMath.class, "canonical", F, F);
  }

  /** @param narrow the type of the operands that are widened; all but the last */
  static void lower(Instruction i, Lowering c, PtxType type, Optional<PtxType> narrow, Clamps clamps, int mode) {
    if (narrow.isEmpty()) {
      pairs(i, c, clamps, mode);
    } else {
      mixed(i, c, type, narrow.get(), clamps, mode);
    }
  }

  private static void require(Instruction i, boolean exists) {
    if (!exists) throw new Unsupported("there is no " + i.opcode() + "." + String.join(".", i.modifiers()));
  }

  private static void pairs(Instruction i, Lowering c, Clamps clamps, int mode) {
    require(i, PAIRED.contains(i.opcode()) && !clamps.saturate() && !clamps.relu());
    int inputs = i.opcode().equals("fma") ? 3 : 2;
    var operands = c.operands(i, inputs + 1);
    var sources = operands.subList(1, inputs + 1).stream().map(c::source).toList();
    var to = c.destination(operands.getFirst(), PtxType.B64);
    c.lane(sources, List.of(to), Flow.mixed(PtxType.F32X2), code -> {
      for (int shift : new int[] {32, 0}) {
        for (var source : sources) {
          code.push(source, PtxType.B64).b.loadConstant(shift).lushr().l2i();
          code.call(Float.class, "intBitsToFloat", F, int.class);
          clamps.input(code, PtxType.F32);
        }
        emit(code, i.opcode(), mode, clamps.flush());
        clamps.output(code, PtxType.F32);
      }
      code.call(FloatMath.class, "pair", long.class, F, F).pop(to, PtxType.B64);
    });
  }

  private static void mixed(Instruction i, Lowering c, PtxType type, PtxType narrow, Clamps clamps, int mode) {
    boolean half = narrow == PtxType.F16 || narrow == PtxType.BF16;
    require(i, MIXED.contains(i.opcode()) && type == PtxType.F32 && half && !clamps.flush() && !clamps.relu());
    int widened = i.opcode().equals("fma") ? 2 : 1;
    var operands = c.operands(i, widened + 2);
    var sources = operands.subList(1, widened + 2).stream().map(c::source).toList();
    var to = c.destination(operands.getFirst(), PtxType.F32);
    c.lane(sources, List.of(to), code -> {
      for (var source : sources.subList(0, widened)) {
        code.push(source, narrow);
        code.call(Conversions.class, narrow == PtxType.F16 ? "fromF16" : "fromBf16", F, int.class);
      }
      code.push(sources.getLast(), PtxType.F32);
      emit(code, i.opcode(), mode, false);
      clamps.output(code, PtxType.F32);
      code.pop(to, PtxType.F32);
    });
  }
}
