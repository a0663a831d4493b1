package tilewright.simulator.compiler;

import java.util.List;
import java.util.Optional;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.AsyncCopies;
import tilewright.simulator.core.BulkCopies;
import tilewright.simulator.core.Warp;

/** {@code cp.async} and one-dimensional {@code cp.async.bulk}. */
final class AsyncLowering {
  private static final int GRANULE = 16;

  private AsyncLowering() {}

  static void lower(Instruction i, Modifiers m, Lowering c) {
    m.require("async");
    if (m.take("mbarrier")) {
      MbarrierLowering.arriveAfterCopies(i, m, c);
    } else if (m.take("bulk")) {
      bulk(i, m, c);
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

  private static void bulk(Instruction i, Modifiers m, Lowering c) {
    if (m.take("commit_group")) {
      m.requireNone();
      c.warp(BulkCopies.class, "commit", List.of(), List.of());
    } else if (m.take("wait_group")) {
      m.take("read");
      m.requireNone();
      c.warp(BulkCopies.class, "waitGroup", List.of(), List.of(), new Op.Argument.IntValue(constant(i)));
    } else if (m.take("prefetch")) {
      m.ignorePrefix("L2");
      m.require("global");
      m.requireNone();
    } else {
      bulkCopy(i, m, c);
    }
  }

  private static void bulkCopy(Instruction i, Modifiers m, Lowering c) {
    boolean policy = m.take("L2::cache_hint");
    int hints = policy ? 1 : 0;
    boolean store = m.take("bulk_group");
    m.require("global");
    if (!m.take("shared::cta")) m.require("shared::cluster");
    if (!store) m.require("mbarrier::complete_tx::bytes");
    m.requireNone();
    var operands = c.operands(i, (store ? 3 : 4) + hints);
    var shared = Addressing.of(operands.get(store ? 1 : 0), Optional.of(StateSpace.SHARED), c);
    var global = Addressing.of(operands.get(store ? 0 : 1), Optional.of(StateSpace.GLOBAL), c);
    var size = c.inRegister(operands.get(2), PtxType.B32);
    if (store) {
      Addressing.resolve(shared, GRANULE, Access.PLACE, c);
    } else {
      var mbarrier = Addressing.of(operands.get(3), Optional.of(StateSpace.SHARED), c);
      Addressing.resolve(shared, GRANULE, Access.PLACE, c);
      hold(c);
      Addressing.resolve(mbarrier, MbarrierLowering.BYTES, Access.PLACE, c);
    }
    c.warp(BulkCopies.class, store ? "store" : "load", List.of(global.reg(), size), List.of(),
        new Op.Argument.Lanes(global.reg()),
        new Op.Argument.LongValue(global.displacement()), new Op.Argument.Lanes(size),
        new Op.Argument.IntValue(c.site()));
  }

  private static void hold(Lowering c) {
    c.warp(Warp.class, "hold", List.of(), List.of());
  }
}
