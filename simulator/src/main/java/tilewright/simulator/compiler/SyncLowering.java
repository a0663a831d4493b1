package tilewright.simulator.compiler;

import java.util.List;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.Barriers;
import tilewright.simulator.core.Machine;
import tilewright.simulator.core.Mbarriers;
import tilewright.simulator.core.Moves;
import tilewright.simulator.core.Probes;

/** Barriers, mbarriers, fences, and what stops or delays a thread. */
final class SyncLowering {
  private static final Set<String> SCOPES = Set.of("cta", "cluster", "gpu", "sys", "gl");
  private static final Set<String> ORDERS = Set.of("sc", "acq_rel", "acquire", "release", "relaxed");
  private static final Set<String> PROXIES =
      Set.of("proxy", "async", "alias", "mbarrier_init", "global", "shared::cta", "shared::cluster");
  private static final int MBARRIER_BYTES = 8;
  private static final Source ALL_LANES = Source.of(-1);

  private SyncLowering() {}

  static void fence(Lowering c) {
    c.warp(Moves.class, "fence", List.of(), List.of());
  }

  static void lower(Instruction i, Modifiers m, Lowering c) {
    switch (i.opcode()) {
      case "bar" -> {
        m.take("cta");
        if (m.take("warp")) {
          m.require("sync");
          m.requireNone();
          c.together(c.source(c.operands(i, 1).getFirst()));
          if (c.watched()) c.warp(Probes.class, "meet", List.of(), List.of());
        } else {
          barrier(i, m, c, true);
        }
      }
      case "barrier" -> {
        m.take("cta");
        barrier(i, m, c, m.take("aligned"));
      }
      case "membar" -> {
        m.takeOne(SCOPES);
        m.requireNone();
        fenceInstruction(c);
      }
      case "fence" -> fence(m, c);
      case "mbarrier" -> mbarrier(i, m, c);
      case "nanosleep", "griddepcontrol", "setmaxnreg", "pmevent" -> {}
      case "trap" -> {
        m.requireNone();
        c.warp(Machine.class, "trap", List.of(), List.of(), new Op.Argument.IntValue(c.site()));
      }
      default -> throw new Unsupported("unknown instruction");
    }
  }

  private static void fence(Modifiers m, Lowering c) {
    // Copies land through the same memory here, so proxies and initialisation order nothing more.
    m.ignore(PROXIES);
    m.ignorePrefix("sync_restrict::");
    m.takeOne(ORDERS);
    m.takeOne(SCOPES);
    m.requireNone();
    fenceInstruction(c);
  }

  private static void fenceInstruction(Lowering c) {
    fence(c);
    if (c.watched()) c.warp(Probes.class, "fence", List.of(), List.of(), new Op.Argument.IntValue(c.site()));
  }

  private static void barrier(Instruction i, Modifiers m, Lowering c, boolean aligned) {
    boolean sync = m.take("sync");
    if (!sync) m.require("arrive");
    m.requireNone();
    var operands = c.operands(i, 1, 2);
    var id = c.inRegister(operands.getFirst(), PtxType.B32);
    var count = c.inRegister(operands.size() == 2 ? c.source(operands.get(1)) : Source.of(0), PtxType.B32);
    if (aligned) c.together(ALL_LANES);
    var arguments = List.<Op.Argument>of(new Op.Argument.Lanes(id), new Op.Argument.Lanes(count),
        new Op.Argument.IntValue(c.site()));
    if (sync) {
      c.warp(Barriers.class, "sync", arguments, new Op.Result.Wait(), List.of(id, count), List.of());
      c.end(new Terminator.Suspend());
    } else {
      c.warp(Barriers.class, "arrive", arguments, new Op.Result.Nothing(), List.of(id, count), List.of());
    }
  }

  private static void mbarrier(Instruction i, Modifiers m, Lowering c) {
    var operation = m.takeOne(Set.of("init", "inval", "arrive", "expect_tx", "try_wait", "test_wait"))
        .orElseThrow(() -> new Unsupported("unknown instruction"));
    boolean expects = m.take("expect_tx");
    boolean parity = m.take("parity");
    m.ignore(SCOPES);
    m.ignore(ORDERS);
    var space = MemoryLowering.sharedOrGeneric(m);
    m.take("b64");
    m.requireNone();
    var operands = i.operands();
    int address = switch (operation) {
      case "init", "inval", "expect_tx" -> 0;
      case "arrive" -> operands.getFirst() instanceof Operand.Address ? 0 : 1;
      default -> 1;
    };
    var place = Addressing.of(c.operands(i, address + 1, address + 3).get(address), space, c);
    var site = new Op.Argument.IntValue(c.site());
    switch (operation) {
      case "inval" -> {
        resolve(place, c);
        c.warp(Mbarriers.class, "invalidate", List.of(), List.of(), site);
      }
      case "init", "expect_tx" -> {
        var value = c.inRegister(operands.get(1), PtxType.B32);
        resolve(place, c);
        c.warp(Mbarriers.class, operation.equals("init") ? "init" : "expect", List.of(value), List.of(),
            new Op.Argument.Lanes(value), site);
      }
      case "arrive" -> arrive(i, c, place, address, expects);
      default -> await(i, c, place, operation, parity);
    }
  }

  private static void resolve(Addressing.Place place, Lowering c) {
    Addressing.resolve(place, MBARRIER_BYTES, Access.PLACE, c);
  }

  private static void arrive(Instruction i, Lowering c, Addressing.Place place, int address, boolean expects) {
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
        new Op.Argument.Lanes(token), site);
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
}
