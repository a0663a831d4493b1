package tilewright.simulator.compiler.memory;

import java.util.List;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.simulator.async.AsyncArrivals;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Terminator;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Addressing;
import tilewright.simulator.compiler.lowering.Elementwise;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;
import tilewright.simulator.core.Access;
import tilewright.simulator.sync.Mbarriers;

/** {@code mbarrier} instructions (PTX ISA, Parallel Synchronization: mbarrier). */
public final class MbarrierLowering {
  public static final int BYTES = 8;
  private static final Set<String> OPERATIONS = Set.of("init", "inval", "arrive", "arrive_drop", "expect_tx",
      "complete_tx", "try_wait", "test_wait", "pending_count");

  private static final Set<String> ONLY_OWN = Set.of("init", "inval", "try_wait", "test_wait");

  private MbarrierLowering() {}

  static void lower(Instruction i, Modifiers m, Lowering c) {
    var operation = m.takeOne(OPERATIONS).orElseThrow(() -> new Unsupported("unknown instruction"));
    boolean expects = m.take("expect_tx");
    boolean keeps = m.take("noComplete");
    boolean parity = m.take("parity");
    m.ignore(SyncLowering.SCOPES);
    m.ignore(SyncLowering.ORDERS);
    var window = window(m);
    m.take("b64");
    m.requireNone();
    if (operation.equals("pending_count")) {
      pendingCount(i, c);
      return;
    }
    var operands = c.operands(i, 1, 5);
    int address = switch (operation) {
      case "init", "inval", "expect_tx", "complete_tx" -> 0;
      case "arrive", "arrive_drop" -> operands.getFirst() instanceof Operand.Address ? 0 : 1;
      default -> 1;
    };
    boolean remote = window.cluster();
    if (remote && (ONLY_OWN.contains(operation) || keeps)) throw new Unsupported(operation + " on .shared::cluster");
    if (remote && address == 1 && !(operands.getFirst() instanceof Operand.Sink)) {
      throw new Unsupported("a state returned from .shared::cluster: the destination must be _");
    }
    var place = Addressing.of(c.operands(i, address + 1, address + 3).get(address), window, c);
    var site = new Op.Argument.IntValue(c.site());
    switch (operation) {
      case "inval" -> {
        resolve(place, c);
        c.warp(Mbarriers.class, "invalidate", List.of(), List.of(), site);
      }
      case "init", "expect_tx", "complete_tx" -> {
        var value = c.inRegister(operands.get(1), PtxType.B32);
        resolve(place, c);
        c.warp(Mbarriers.class, operation.replace("_tx", ""), List.of(value), List.of(), new Op.Argument.Lanes(value),
            site);
      }
      case "arrive" -> arrive(i, c, place, address, expects, keeps ? Mbarriers.KEEPS_PHASE : 0);
      case "arrive_drop" ->
          arrive(i, c, place, address, expects, Mbarriers.DROPS | (keeps ? Mbarriers.KEEPS_PHASE : 0));
      default -> await(i, c, place, operation, parity);
    }
  }

  private static Addressing.Window window(Modifiers m) {
    var window = Addressing.Window.of(m);
    if (window.space().isPresent() && window.space().get() != StateSpace.SHARED) {
      throw new Unsupported("." + window.space().get().text() + " here");
    }
    return window;
  }

  private static void resolve(Addressing.Place place, Lowering c) {
    Addressing.resolve(place, BYTES, Access.PLACE, c);
  }

  private static void arrive(Instruction i, Lowering c, Addressing.Place place, int address, boolean expects,
      int flags) {
    var operands = i.operands();
    boolean given = operands.size() > address + 1;
    if (expects && !given) throw new Unsupported("arrive.expect_tx without bytes");
    var value = c.inRegister(given ? c.source(operands.get(address + 1)) : Source.of(1), PtxType.B32);
    var count = expects ? c.inRegister(Source.of(1), PtxType.B32) : value;
    var site = new Op.Argument.IntValue(c.site());
    var token = address == 0 ? c.temp(PtxType.B64) : c.destination(operands.getFirst(), PtxType.B64);
    resolve(place, c);
    if (expects) c.warp(Mbarriers.class, "expect", List.of(value), List.of(), new Op.Argument.Lanes(value), site);
    c.warp(Mbarriers.class, "arrive", List.of(count), List.of(token), new Op.Argument.Lanes(count),
        new Op.Argument.Lanes(token), new Op.Argument.IntValue(flags), site);
  }

  private static void pendingCount(Instruction i, Lowering c) {
    Elementwise.of(i, c, PtxType.B32, List.of(PtxType.B64),
        code -> code.call(Mbarriers.class, "pendingCount", int.class, long.class));
  }

  private static void await(Instruction i, Lowering c, Addressing.Place place, String operation, boolean parity) {
    var operands = i.operands();
    var phase = c.inRegister(operands.get(2), parity ? PtxType.B32 : PtxType.B64);
    var done = c.destination(operands.getFirst(), PtxType.PRED);
    var site = new Op.Argument.IntValue(c.site());
    if (operation.equals("test_wait")) {
      resolve(place, c);
      c.warp(Mbarriers.class, parity ? "testParity" : "test", List.of(new Op.Argument.Lanes(phase), site),
          new Op.Result.Predicate(done), List.of(phase), List.of(done));
      return;
    }
    // An empty set of lanes to meet only makes a block begin here, for the instruction to be tried again.
    c.together(Source.of(0));
    resolve(place, c);
    c.warp(Mbarriers.class, parity ? "tryWaitParity" : "tryWait",
        List.of(new Op.Argument.Lanes(phase), new Op.Argument.Slot(done), site), new Op.Result.Wait(), List.of(phase),
        List.of(done));
    c.end(new Terminator.Retry());
  }

  /** {@code cp.async.mbarrier.arrive}: the thread's copies so far arrive when they have landed. */
  static void arriveAfterCopies(Instruction i, Modifiers m, Lowering c) {
    m.require("arrive");
    boolean counted = m.take("noinc");
    var window = window(m);
    m.require("b64");
    m.requireNone();
    if (window.cluster()) throw new Unsupported("only the block's own mbarrier may count its copies");
    resolve(Addressing.of(c.operands(i, 1).getFirst(), window, c), c);
    c.warp(AsyncArrivals.class, "arrive", List.of(), List.of(), new Op.Argument.IntValue(counted ? 0 : 1),
        new Op.Argument.IntValue(c.site()));
  }
}
