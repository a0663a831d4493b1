package tilewright.simulator.compiler;

import java.util.ArrayList;
import java.util.List;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.simulator.core.AddressSpace;

/** Moves, packing and unpacking, and address conversions. */
final class MoveLowering {
  private MoveLowering() {}

  static void lower(Instruction i, Modifiers m, Lowering c) {
    switch (i.opcode()) {
      case "mov" -> move(i, m, c);
      case "cvta" -> convertAddress(i, m, c);
      default -> isSpace(i, m, c);
    }
  }

  private static void move(Instruction i, Modifiers m, Lowering c) {
    var type = m.type();
    m.requireNone();
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

  private static void unpack(List<Operand> parts, Source from, PtxType type, Lowering c) {
    var element = part(type, parts.size());
    // The source may be one of the destinations: read it once.
    var whole = c.temp(type);
    c.move(from, whole, type);
    for (int k = 0; k < parts.size(); k++) {
      if (parts.get(k) instanceof Operand.Sink) continue;
      var to = c.destination(parts.get(k), element);
      int shift = k * element.bits();
      c.lane(List.of(Source.of(whole)), List.of(to), code -> {
        if (type.bits() == 64) {
          code.push(Source.of(whole), PtxType.B64).b.loadConstant(shift).lushr().l2i();
        } else {
          code.push(Source.of(whole), PtxType.B32).b.loadConstant(shift).iushr();
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
    c.lane(sources, List.of(to), code -> {
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
      code.pop(to, wide ? PtxType.B64 : PtxType.B32);
    });
  }

  private static StateSpace space(Modifiers m) {
    for (var space : List.of(StateSpace.GLOBAL, StateSpace.SHARED, StateSpace.LOCAL, StateSpace.PARAM,
        StateSpace.CONST)) {
      if (m.take(space.text())) return space;
    }
    if (m.take("shared::cta") || m.take("shared::cluster")) return StateSpace.SHARED;
    throw new Unsupported("no state space");
  }

  private static void convertAddress(Instruction i, Modifiers m, Lowering c) {
    boolean toSpace = m.take("to");
    var space = space(m);
    var type = m.type();
    m.requireNone();
    if (type != PtxType.U64) throw new Unsupported("32-bit generic addresses are not supported");
    var operands = c.operands(i, 2);
    var source = c.source(operands.get(1));
    var to = c.destination(operands.get(0), type);
    long window = Lowering.window(space);
    c.lane(List.of(source), List.of(to), code -> {
      code.push(source, PtxType.U64);
      if (window != 0) code.b.loadConstant(toSpace ? -window : window).ladd();
      code.pop(to, PtxType.U64);
    });
  }

  private static void isSpace(Instruction i, Modifiers m, Lowering c) {
    var space = space(m);
    m.requireNone();
    var operands = c.operands(i, 2);
    var source = c.source(operands.get(1));
    var to = c.destination(operands.get(0), PtxType.PRED);
    c.lane(List.of(source), List.of(to), code -> {
      code.push(source, PtxType.U64).b.loadConstant(Lowering.window(space));
      code.call(AddressSpace.class, "isWithin", boolean.class, long.class, long.class).pop(to, PtxType.PRED);
    });
  }
}
