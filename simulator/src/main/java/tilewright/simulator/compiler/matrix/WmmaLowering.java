package tilewright.simulator.compiler.matrix;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Addressing;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;
import tilewright.simulator.mma.WmmaTransfer;
import tilewright.simulator.tensorcore.MmaType;

/** {@code wmma}: fragments to and from memory (PTX ISA, wmma.load, wmma.store), and their multiplication. */
public final class WmmaLowering {
  private static final Set<String> MATRICES = Set.of("a", "b", "c", "d");

  /** A matrix as {@link WmmaTransfer} walks it. */
  private record Walk(int outer, int inner, boolean contiguous) {
    static Walk of(String matrix, MmaLowering.Shape s, boolean rowMajor) {
      return switch (matrix) {
        case "a" -> new Walk(s.m(), s.k(), rowMajor);
        case "b" -> new Walk(s.n(), s.k(), !rowMajor);
        default -> new Walk(s.m(), s.n(), rowMajor);
      };
    }

    int defaultStride() {
      return contiguous ? inner : outer;
    }
  }

  /**
   * Where a matrix lies in memory.
   *
   * @param check how {@link WmmaTransfer} checks the address
   */
  private record Place(Reg address, long displacement, Reg stride, int check) {
    static Place of(Operand address, Reg stride, Optional<StateSpace> space, Lowering c) {
      var place = Addressing.of(address, space, c);
      var wide = place.reg().kind == Reg.Kind.LONG ? place.reg() : widened(place.reg(), c);
      return new Place(wide, place.displacement(), stride, switch (place.check()) {
        case "shared" -> WmmaTransfer.SHARED;
        case "global" -> WmmaTransfer.GLOBAL;
        case "generic" -> WmmaTransfer.GENERIC;
        default -> throw new Unsupported("wmma reads and writes global and shared memory only");
      });
    }

    void transfer(String method, Walk walk, MmaType type, Lowering c) {
      c.warp(WmmaTransfer.class, method, List.of(address, stride), List.of(), new Op.Argument.Lanes(address),
          new Op.Argument.LongValue(displacement), new Op.Argument.Lanes(stride), new Op.Argument.IntValue(check),
          new Op.Argument.IntValue(walk.outer()), new Op.Argument.IntValue(walk.inner()),
          new Op.Argument.IntValue(walk.contiguous() ? 1 : 0), new Op.Argument.IntValue(type.ordinal()),
          new Op.Argument.IntValue(c.site()));
    }
  }

  private WmmaLowering() {}

  public static void lower(Instruction i, Modifiers m, Lowering c) {
    if (m.take("load")) {
      load(i, m, c);
    } else if (m.take("store")) {
      store(i, m, c);
    } else {
      MmaLowering.lower(i, m, c);
    }
  }

  private static void load(Instruction i, Modifiers m, Lowering c) {
    var matrix = matrix(m);
    var walk = walk(matrix, m);
    var space = Addressing.space(m);
    var type = MmaLowering.type(m);
    m.requireNone();
    var operands = c.operands(i, 2, 3);
    boolean operand = !matrix.equals("c");
    int count = MmaLowering.registers(type, walk.outer() * walk.inner(), operand);
    var results = c.elements(operands.getFirst(), count);
    var place = Place.of(operands.get(1), stride(operands, walk, c), space, c);
    c.together(Source.of(-1));
    place.transfer("load", walk, type, c);
    var carrier = MmaLowering.carrier(type);
    for (int k = 0; k < count; k++) {
      var to = c.destination(results.get(k), carrier);
      var landing = to.kind == Reg.kindOf(carrier) ? to : c.temp(carrier);
      c.warp(WmmaTransfer.class, "loaded", List.of(), List.of(landing), new Op.Argument.IntValue(k),
          new Op.Argument.Lanes(landing));
      if (landing != to) c.move(Source.of(landing), to, carrier);
    }
  }

  private static void store(Instruction i, Modifiers m, Lowering c) {
    var matrix = matrix(m);
    var walk = walk(matrix, m);
    var space = Addressing.space(m);
    var type = MmaLowering.type(m);
    m.requireNone();
    var operands = c.operands(i, 2, 3);
    int count = MmaLowering.registers(type, walk.outer() * walk.inner(), false);
    var values = MmaLowering.inputs(operands.get(1), type, count, c);
    var place = Place.of(operands.getFirst(), stride(operands, walk, c), space, c);
    c.together(Source.of(-1));
    for (int k = 0; k < count; k++) {
      c.warp(WmmaTransfer.class, "stored", List.of(values.get(k)), List.of(), new Op.Argument.IntValue(k),
          new Op.Argument.Lanes(values.get(k)));
    }
    place.transfer("store", walk, type, c);
  }

  private static String matrix(Modifiers m) {
    var matrix = m.takeOne(MATRICES).orElseThrow(() -> new Unsupported("the instruction names no matrix"));
    m.require("sync");
    m.require("aligned");
    return matrix;
  }

  private static Walk walk(String matrix, Modifiers m) {
    boolean rowMajor = m.take("row");
    if (!rowMajor) m.require("col");
    return Walk.of(matrix, MmaLowering.Shape.take(m), rowMajor);
  }

  private static Reg stride(List<Operand> operands, Walk walk, Lowering c) {
    var stride = operands.size() == 3 ? c.source(operands.get(2)) : Source.of(walk.defaultStride());
    return c.inRegister(stride, PtxType.B32);
  }

  private static Reg widened(Reg narrow, Lowering c) {
    var wide = c.temp(PtxType.U64);
    c.move(Source.of(narrow), wide, PtxType.U32);
    return wide;
  }
}
