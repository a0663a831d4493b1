package tilewright.simulator.compiler.memory;

import java.util.List;
import tilewright.ptx.Instruction;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Addressing;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.ClusterAddresses;

/**
 * Lowers instructions that turn addresses into others or ask where they point (PTX ISA, cvta, isspacep, mapa,
 * getctarank).
 */
public final class AddressLowering {
  private AddressLowering() {}

  public static void lower(Instruction i, Modifiers m, Lowering c) {
    switch (i.opcode()) {
      case "cvta" -> convert(i, m, c);
      case "isspacep" -> isSpace(i, m, c);
      case "mapa" -> map(i, m, c);
      default -> rank(i, m, c);
    }
  }

  private static StateSpace space(Addressing.Window window) {
    return window.space().orElseThrow(() -> new Unsupported("no state space"));
  }

  private static void convert(Instruction i, Modifiers m, Lowering c) {
    boolean toSpace = m.take("to");
    long window = Lowering.window(space(Addressing.Window.of(m)));
    var type = m.type();
    m.requireNone();
    if (type != PtxType.U64) throw new Unsupported("32-bit generic addresses are not supported");
    var operands = c.operands(i, 2);
    var source = c.source(operands.get(1));
    var to = c.destination(operands.get(0), type);
    c.lane(List.of(source), List.of(to), code -> {
      code.push(source, PtxType.U64);
      if (window != 0) code.b.loadConstant(toSpace ? -window : window).ladd();
      code.pop(to, PtxType.U64);
    });
  }

  private static void isSpace(Instruction i, Modifiers m, Lowering c) {
    var window = Addressing.Window.of(m);
    var space = space(window);
    m.requireNone();
    var operands = c.operands(i, 2);
    var source = c.source(operands.get(1));
    var to = c.destination(operands.get(0), PtxType.PRED);
    boolean own = space == StateSpace.SHARED && !window.cluster();
    c.lane(List.of(source), List.of(to), code -> {
      code.push(source, PtxType.U64);
      code.push(own ? new Source.Shared(0) : Source.of(Lowering.window(space)), PtxType.U64);
      code.call(AddressSpace.class, own ? "isOwnShared" : "isWithin", boolean.class, long.class, long.class);
      code.pop(to, PtxType.PRED);
    });
  }

  private static void map(Instruction i, Modifiers m, Lowering c) {
    boolean generic = !m.take("shared::cluster");
    var type = address(m);
    var operands = c.operands(i, 3);
    var source = c.source(operands.get(1));
    if (generic && (type == PtxType.U32 || source instanceof Source.Shared)) {
      throw new Unsupported("mapa without .shared::cluster takes a 64-bit generic address in a register");
    }
    var rank = c.source(operands.get(2));
    var to = c.destination(operands.getFirst(), type);
    c.lane(List.of(source, rank), List.of(to), code -> {
      code.push(source, type);
      if (type == PtxType.U32) code.b.i2l();
      code.push(rank, PtxType.U32);
      code.call(ClusterAddresses.class, generic ? "mapGeneric" : "map", long.class, long.class, int.class);
      if (type == PtxType.U32) code.b.l2i();
      code.pop(to, type);
    });
  }

  private static void rank(Instruction i, Modifiers m, Lowering c) {
    m.take("shared::cluster");
    var type = address(m);
    var operands = c.operands(i, 2);
    var source = c.source(operands.get(1));
    var to = c.destination(operands.getFirst(), PtxType.U32);
    c.lane(List.of(source), List.of(to), code -> {
      code.push(source, type);
      if (type == PtxType.U32) code.b.i2l();
      code.call(ClusterAddresses.class, "rank", int.class, long.class).pop(to, PtxType.U32);
    });
  }

  private static PtxType address(Modifiers m) {
    var type = m.type();
    m.requireNone();
    if (type != PtxType.U32 && type != PtxType.U64) throw new Unsupported("an address of type " + type.text());
    return type;
  }
}
