package tilewright.simulator.compiler.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Addressing;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;
import tilewright.simulator.core.Access;
import tilewright.simulator.memory.AtomicOp;
import tilewright.simulator.memory.Atomics;

/** {@code atom} and {@code red}: of one value, of a vector element by element, and of 128 bits. */
final class AtomicLowering {
  private static final Set<PtxType> IN_VECTORS =
      Set.of(PtxType.F32, PtxType.F16, PtxType.BF16, PtxType.F16X2, PtxType.BF16X2);
  private static final int LARGEST_VECTOR = 16;

  private AtomicLowering() {}

  static void lower(Instruction i, Modifiers m, Lowering c) {
    boolean ordered = m.takeOne(Set.of("acquire", "release", "acq_rel")).isPresent();
    var window = Addressing.Window.of(m);
    m.ignore(MemoryLowering.NO_EFFECT);
    m.ignorePrefix("L2::");
    int count = m.take("v2") ? 2 : m.take("v4") ? 4 : m.take("v8") ? 8 : 1;
    var name = m.takeOne(AtomicOp.names()).orElseThrow(() -> new Unsupported("no supported atomic operation"));
    var type = m.type();
    m.requireNone();
    int first = i.opcode().equals("atom") ? 1 : 0;
    boolean compares = name.equals("cas");
    var operands = c.operands(i, first + (compares ? 3 : 2), first + (compares ? 4 : 3));
    if (count > 1 && (!IN_VECTORS.contains(type) || count * type.bytes() > LARGEST_VECTOR)) {
      throw new Unsupported("atomic .v" + count + " of " + type.text());
    }
    if (ordered) SyncLowering.fence(c);
    var address = operands.get(first);
    var arguments = operands.subList(first + 1, first + (compares ? 3 : 2));
    if (type == PtxType.B128) {
      wide(name, address, window, arguments, operands.getFirst(), c);
      return;
    }
    var op = AtomicOp.of(name, type).orElseThrow(() -> new Unsupported("atomic " + name + " of " + type.text()));
    var carrier = type.bits() == 64 ? PtxType.B64 : PtxType.B32;
    var values = new ArrayList<List<Reg>>();
    for (var argument : arguments) {
      values.add(c.elements(argument, count).stream().map(e -> carried(c.source(e), type, carrier, c)).toList());
    }
    Addressing.resolve(Addressing.of(address, window, c), count * type.bytes(), Access.ATOMIC, c);
    var to = first == 1 ? results(operands.getFirst(), count, c) : List.<Operand>of();
    for (int k = 0; k < count; k++) {
      var old = update(op, type, carrier, k, values.getFirst().get(k), values.getLast().get(k), c);
      if (!to.isEmpty() && !(to.get(k) instanceof Operand.Sink)) {
        c.move(Source.of(old), c.destination(to.get(k), type), type.bits() == 16 ? PtxType.B16 : carrier);
      }
    }
    MemoryLowering.tellObserved(c);
  }

  private static List<Operand> results(Operand operand, int count, Lowering c) {
    return operand instanceof Operand.Sink ? List.of() : c.elements(operand, count);
  }

  /** Returns where the old value is. */
  private static Reg update(AtomicOp op, PtxType type, PtxType carrier, int k, Reg value, Reg swap, Lowering c) {
    var old = c.temp(carrier);
    c.warp(Atomics.class, "update" + type.bits(), List.of(value, swap), List.of(old),
        new Op.Argument.IntValue(op.ordinal()), new Op.Argument.IntValue(k * type.bytes()),
        new Op.Argument.Lanes(value), new Op.Argument.Lanes(swap), new Op.Argument.Lanes(old));
    return old;
  }

  private static Reg carried(Source source, PtxType type, PtxType carrier, Lowering c) {
    if (type.bits() >= 32) return c.inRegister(source, carrier);
    var wide = c.temp(PtxType.B32);
    c.move(source, wide, PtxType.U16);
    return wide;
  }

  private static void wide(String name, Operand address, Addressing.Window window, List<Operand> arguments,
      Operand result, Lowering c) {
    boolean compares = name.equals("cas");
    if (!compares && !name.equals("exch")) throw new Unsupported("atomic " + name + " of b128");
    var registers = new ArrayList<Reg>();
    for (var argument : arguments) {
      for (var half : c.halves(argument)) registers.add(c.inRegister(half, PtxType.B64));
    }
    Addressing.resolve(Addressing.of(address, window, c), PtxType.B128.bytes(), Access.ATOMIC, c);
    var low = c.temp(PtxType.B64);
    var high = c.temp(PtxType.B64);
    var passed = new ArrayList<Op.Argument>();
    for (var register : registers) passed.add(new Op.Argument.Lanes(register));
    passed.add(new Op.Argument.Lanes(low));
    passed.add(new Op.Argument.Lanes(high));
    c.warp(Atomics.class, compares ? "compareAndSwap128" : "exchange128", registers, List.of(low, high),
        passed.toArray(Op.Argument[]::new));
    MemoryLowering.tellObserved(c);
    if (result instanceof Operand.Sink) return;
    var to = c.halves(result);
    c.move(Source.of(low), c.destination(to.get(0), PtxType.B64), PtxType.B64);
    c.move(Source.of(high), c.destination(to.get(1), PtxType.B64), PtxType.B64);
  }
}
