package tilewright.simulator.compiler.memory;

import java.util.List;
import java.util.Map;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.async.ClusterLaunch;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Addressing;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.Warp;

/** {@code clusterlaunchcontrol}. */
public final class ClusterLaunchLowering {
  private static final int ANSWER_BYTES = 16;
  private static final Map<String, Integer> AXES =
      Map.of("get_first_ctaid::x", 0, "get_first_ctaid::y", 1, "get_first_ctaid::z", 2);

  private ClusterLaunchLowering() {}

  public static void lower(Instruction i, Modifiers m, Lowering c) {
    if (m.take("try_cancel")) {
      tryCancel(i, m, c);
    } else {
      m.require("query_cancel");
      query(i, m, c);
    }
  }

  private static void tryCancel(Instruction i, Modifiers m, Lowering c) {
    m.require("async");
    m.require("mbarrier::complete_tx::bytes");
    boolean multicast = m.take("multicast::cluster::all");
    var window = Addressing.Window.of(m);
    m.require("b128");
    m.requireNone();
    if (window.cluster()) throw new Unsupported("an answer to .shared::cluster: only .shared::cta is supported");
    var operands = c.operands(i, 2);
    Addressing.resolve(Addressing.of(operands.get(0), window, c), ANSWER_BYTES, Access.PLACE, c);
    c.warp(Warp.class, "hold", List.of(), List.of());
    Addressing.resolve(Addressing.of(operands.get(1), window, c), MbarrierLowering.BYTES, Access.PLACE, c);
    c.warp(ClusterLaunch.class, "tryCancel", List.of(), List.of(), new Op.Argument.IntValue(multicast ? 1 : 0),
        new Op.Argument.IntValue(c.site()));
  }

  private static void query(Instruction i, Modifiers m, Lowering c) {
    m.require("b128");
    var operands = c.operands(i, 2);
    var answer = c.halves(operands.get(1)).stream().map(half -> c.inRegister(half, PtxType.B64)).toList();
    if (m.take("is_canceled")) {
      m.require("pred");
      m.requireNone();
      var to = c.destination(operands.getFirst(), PtxType.PRED);
      c.warp(ClusterLaunch.class, "isCanceled", List.of(new Op.Argument.Lanes(answer.getFirst())),
          new Op.Result.Predicate(to), List.of(answer.getFirst()), List.of(to));
      return;
    }
    m.require("b32");
    boolean all = m.take("get_first_ctaid");
    var axis = m.takeOne(AXES.keySet());
    if (all) m.require("v4");
    m.requireNone();
    if (all == axis.isPresent()) throw new Unsupported("unknown query");
    if (!all) {
      coordinate(operands.getFirst(), answer, AXES.get(axis.get()), c);
      return;
    }
    var elements = c.elements(operands.getFirst(), 4);
    for (int k = 0; k < AXES.size(); k++) coordinate(elements.get(k), answer, k, c);
  }

  private static void coordinate(Operand operand, List<Reg> answer, int axis, Lowering c) {
    if (operand instanceof Operand.Sink) return;
    var to = c.destination(operand, PtxType.B32);
    c.lane(answer.stream().map(Source::of).toList(), List.of(to), code -> {
      for (var half : answer) code.push(Source.of(half), PtxType.B64);
      code.b.loadConstant(axis);
      code.call(ClusterLaunch.class, "firstCta", int.class, long.class, long.class, int.class).pop(to, PtxType.B32);
    });
  }
}
