package tilewright.simulator.compiler.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.simulator.async.AsyncStores;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Addressing;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;
import tilewright.simulator.core.Access;
import tilewright.simulator.memory.AtomicOp;

/** {@code st.async} and {@code red.async}. */
public final class AsyncStoreLowering {
  private static final int NO_REDUCTION = -1;
  private static final Set<PtxType> STORED = Set.of(PtxType.B32, PtxType.U32, PtxType.S32, PtxType.F32, PtxType.B64,
      PtxType.U64, PtxType.S64, PtxType.F64);
  private static final Set<String> REDUCTIONS = Set.of("add", "inc", "dec", "min", "max", "and", "or", "xor");

  private AsyncStoreLowering() {}

  public static boolean handles(Instruction i) {
    return (i.opcode().equals("st") || i.opcode().equals("red")) && i.has("async");
  }

  public static void lower(Instruction i, Modifiers m, Lowering c) {
    m.require("async");
    m.ignore(Set.of("weak", "mmio", "relaxed", "release"));
    m.ignore(SyncLowering.SCOPES);
    boolean completes = m.take("mbarrier::complete_tx::bytes");
    var window = Addressing.Window.of(m);
    int count = m.take("v2") ? 2 : m.take("v4") ? 4 : 1;
    var operator = i.opcode().equals("red") ? m.takeOne(REDUCTIONS) : Optional.<String>empty();
    if (i.opcode().equals("red") && operator.isEmpty()) throw new Unsupported("no supported operation");
    var type = m.type();
    m.requireNone();
    int reduction = operator.map(name -> reduction(name, type)).orElse(NO_REDUCTION);
    if (!STORED.contains(type) || type.bytes() * count > 16) {
      throw new Unsupported(count + " elements of type " + type.text());
    }
    var operands = c.operands(i, completes ? 3 : 2);
    elements(operands.get(1), type, count, c);
    var to = Addressing.of(operands.get(0), window, c);
    var bytes = new Op.Argument.IntValue(type.bytes());
    var operation = new Op.Argument.IntValue(reduction);
    var site = new Op.Argument.IntValue(c.site());
    if (completes) {
      requireShared(window);
      Addressing.resolve(Addressing.of(operands.get(2), window, c), MbarrierLowering.BYTES, Access.PLACE, c);
      c.warp(AsyncStores.class, "mbarrier", List.of(), List.of(), site);
      Addressing.resolve(to, type.bytes() * count, Access.PLACE, c);
      c.warp(AsyncStores.class, "issue", List.of(), List.of(), new Op.Argument.IntValue(count), bytes, operation, site);
    } else {
      if (!window.space().equals(Optional.of(StateSpace.GLOBAL))) {
        throw new Unsupported("only the form with .global or an mbarrier is supported");
      }
      Addressing.resolve(to, type.bytes(), reduction == NO_REDUCTION ? Access.WRITE : Access.ATOMIC, c);
      c.warp(AsyncStores.class, "issueGlobal", List.of(), List.of(), bytes, operation, site);
    }
  }

  private static void requireShared(Addressing.Window window) {
    boolean shared = window.cluster() || window.space().isEmpty();
    if (!shared) throw new Unsupported("only .shared::cluster and generic addresses complete at an mbarrier");
  }

  private static int reduction(String name, PtxType type) {
    if (type.bits() == 64 && !name.equals("add")) throw new Unsupported(name + " of " + type.text());
    return AtomicOp.of(name, type).filter(op -> op != AtomicOp.ADD_F32 && op != AtomicOp.ADD_F64)
        .orElseThrow(() -> new Unsupported(name + " of " + type.text())).ordinal();
  }

  private static void elements(Operand operand, PtxType type, int count, Lowering c) {
    var carrier = type.bits() == 64 ? PtxType.B64 : PtxType.B32;
    var values = new ArrayList<Reg>();
    for (var element : c.elements(operand, count)) values.add(c.inRegister(element, carrier));
    for (int k = 0; k < count; k++) {
      c.warp(AsyncStores.class, "element", List.of(values.get(k)), List.of(), new Op.Argument.IntValue(k),
          new Op.Argument.Lanes(values.get(k)));
    }
  }
}
