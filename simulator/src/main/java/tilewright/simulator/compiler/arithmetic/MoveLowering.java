package tilewright.simulator.compiler.arithmetic;

import java.util.ArrayList;
import java.util.List;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.compiler.code.Flow;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;

/** Moves, packing and unpacking. */
public final class MoveLowering {
  private MoveLowering() {}

  public static void lower(Instruction i, Modifiers m, Lowering c) {
    var type = m.type();
    m.requireNone();
    if (type.bits() == 8) throw new Unsupported("mov has no 8-bit types: move 16 bits");
    var operands = c.operands(i, 2);
    if (type == PtxType.B128) {
      moveHalves(c.halves(operands.get(0)), c.halves(operands.get(1)), c);
      return;
    }
    switch (operands.get(0)) {
      case Operand.Vector(var parts) -> unpack(parts, c.source(operands.get(1)), type, c);
      case Operand to when operands.get(1) instanceof Operand.Vector(var parts) ->
          pack(c.destination(to, type), parts, type, c);
      case Operand to -> c.move(c.source(operands.get(1)), c.destination(to, type), type);
    }
  }

  private static void moveHalves(List<Operand> to, List<Operand> from, Lowering c) {
    // Either half may be the other's destination: read both first.
    var values = new ArrayList<Reg>();
    for (var half : from) {
      var value = c.temp(PtxType.B64);
      c.move(c.source(half), value, PtxType.B64);
      values.add(value);
    }
    for (int k = 0; k < 2; k++) {
      c.move(Source.of(values.get(k)), c.destination(to.get(k), PtxType.B64), PtxType.B64);
    }
  }

  private static PtxType part(PtxType whole, int parts) {
    return switch (whole.bits() / parts) {
      case 8 -> PtxType.B8;
      case 16 -> PtxType.B16;
      case 32 -> PtxType.B32;
      default -> throw new Unsupported("mov of " + whole.text() + " in " + parts + " parts");
    };
  }

  private static PtxType carrier(PtxType type) {
    return type.bits() == 16 ? PtxType.B16 : PtxType.B32;
  }

  private static void unpack(List<Operand> parts, Source from, PtxType type, Lowering c) {
    var element = part(type, parts.size());
    // The source may be one of the destinations: read it once.
    var whole = c.temp(type);
    c.move(from, whole, type);
    for (int k = 0; k < parts.size(); k++) {
      if (parts.get(k) instanceof Operand.Sink) continue;
      var to = c.destination(parts.get(k), element);
      int shift = k * element.bits();
      c.lane(List.of(Source.of(whole)), List.of(to), Flow.moved(), code -> {
        if (type.bits() == 64) {
          code.push(Source.of(whole), PtxType.B64).b.loadConstant(shift).lushr().l2i();
        } else {
          code.push(Source.of(whole), carrier(type)).b.loadConstant(shift).iushr();
        }
        code.pop(to, element);
      });
    }
  }

  private static void pack(Reg to, List<Operand> parts, PtxType type, Lowering c) {
    var element = part(type, parts.size());
    var sources = new ArrayList<Source>();
    for (var p : parts) sources.add(c.source(p));
    boolean wide = type.bits() == 64;
    c.lane(sources, List.of(to), Flow.moved(), code -> {
      for (int k = 0; k < sources.size(); k++) {
        code.push(sources.get(k), element);
        if (wide) {
          code.b.i2l();
          code.b.loadConstant(0xFFFF_FFFFL).land().loadConstant(k * element.bits()).lshl();
          if (k > 0) code.b.lor();
        } else {
          code.b.loadConstant(k * element.bits()).ishl();
          if (k > 0) code.b.ior();
        }
      }
      code.pop(to, wide ? PtxType.B64 : carrier(type));
    });
  }
}
