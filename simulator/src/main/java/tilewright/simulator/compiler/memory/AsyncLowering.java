package tilewright.simulator.compiler.memory;

import java.util.List;
import java.util.Optional;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.simulator.async.AsyncCopies;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Addressing;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;
import tilewright.simulator.core.Access;

/** {@code cp.async}, and which of the other asynchronous copies an instruction is. */
public final class AsyncLowering {
  private static final int GRANULE = 16;

  private AsyncLowering() {}

  public static void lower(Instruction i, Modifiers m, Lowering c) {
    boolean reduces = m.take("reduce");
    m.require("async");
    if (reduces) {
      m.require("bulk");
      BulkLowering.lower(i, m, c, true);
      return;
    }
    if (m.take("mbarrier")) {
      MbarrierLowering.arriveAfterCopies(i, m, c);
    } else if (m.take("bulk")) {
      BulkLowering.lower(i, m, c, false);
    } else if (m.take("commit_group")) {
      m.requireNone();
      c.warp(AsyncCopies.class, "commit", List.of(), List.of());
    } else if (m.take("wait_group")) {
      m.requireNone();
      c.warp(AsyncCopies.class, "waitGroup", List.of(), List.of(), new Op.Argument.IntValue(constant(i)));
    } else if (m.take("wait_all")) {
      m.requireNone();
      c.warp(AsyncCopies.class, "waitAll", List.of(), List.of());
    } else {
      copy(i, m, c);
    }
  }

  private static int constant(Instruction i) {
    if (i.operands().size() == 1 && i.operands().getFirst() instanceof Operand.Integer(long n)) return (int) n;
    throw new Unsupported("the number of groups must be a constant");
  }

  private static int constant(Operand operand) {
    if (operand instanceof Operand.Integer(long n)) return (int) n;
    throw new Unsupported("the copy's size must be a constant");
  }

  private static void copy(Instruction i, Modifiers m, Lowering c) {
    boolean wholeLine = m.take("cg");
    if (!wholeLine) m.require("ca");
    if (!m.take("shared::cta")) m.require("shared");
    m.require("global");
    boolean policy = m.take("L2::cache_hint");
    m.ignorePrefix("L2::");
    m.requireNone();
    var operands = c.operands(i, policy ? 4 : 3, policy ? 5 : 4);
    int bytes = constant(operands.get(2));
    if (bytes != GRANULE && (wholeLine || bytes != 4 && bytes != 8)) {
      throw new Unsupported("cp.async of " + bytes + " bytes: .cg copies 16, .ca 4, 8 or 16");
    }
    int hints = policy ? 1 : 0;
    var size = operands.size() > 3 + hints ? size(c.source(operands.get(3)), bytes, c)
        : c.inRegister(Source.of(bytes), PtxType.B32);
    var from = Addressing.of(operands.get(1), Optional.of(StateSpace.GLOBAL), c);
    var to = Addressing.of(operands.get(0), Optional.of(StateSpace.SHARED), c);
    Addressing.resolve(to, bytes, Access.PLACE, c);
    c.warp(AsyncCopies.class, "copy", List.of(from.reg(), size), List.of(), new Op.Argument.Lanes(from.reg()),
        new Op.Argument.LongValue(from.displacement()), new Op.Argument.IntValue(bytes), new Op.Argument.Lanes(size),
        new Op.Argument.IntValue(c.site()));
  }

  private static Reg size(Source source, int bytes, Lowering c) {
    if (!(source instanceof Source.Register(var reg)) || reg.kind != Reg.Kind.PREDICATE) {
      return c.inRegister(source, PtxType.B32);
    }
    // ignore-src: the predicate's lanes copy nothing and get zeros.
    var size = c.temp(PtxType.B32);
    c.lane(List.of(source), List.of(size), code -> {
      code.b.loadConstant(bytes).loadConstant(1);
      code.push(source, PtxType.PRED).b.isub().imul();
      code.pop(size, PtxType.B32);
    });
    return size;
  }
}
