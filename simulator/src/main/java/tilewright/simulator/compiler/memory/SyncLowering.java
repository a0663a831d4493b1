package tilewright.simulator.compiler.memory;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Terminator;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Addressing;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;
import tilewright.simulator.machine.Machine;
import tilewright.simulator.memory.Moves;
import tilewright.simulator.sync.Barriers;
import tilewright.simulator.sync.ClusterBarrier;
import tilewright.simulator.sync.Probes;
import tilewright.simulator.sync.RegisterPool;

/** Barriers of a CTA, fences, and what stops or delays a thread. */
public final class SyncLowering {
  static final Set<String> SCOPES = Set.of("cta", "cluster", "gpu", "sys", "gl");
  static final Set<String> ORDERS = Set.of("sc", "acq_rel", "acquire", "release", "relaxed");
  private static final Set<String> PROXIES =
      Set.of("proxy", "alias", "global", "shared::cta", "shared::cluster");
  private static final Set<String> SHARED = Set.of("shared::cta", "shared::cluster");
  private static final Pattern ASYNC_PROXY = Pattern.compile("async(::generic)?");
  private static final long TENSOR_MAP_BYTES = 128;
  private static final Source ALL_LANES = Source.of(-1);

  private SyncLowering() {}

  static void fence(Lowering c) {
    c.warp(Moves.class, "fence", List.of(), List.of());
  }

  public static void lower(Instruction i, Modifiers m, Lowering c) {
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
        if (m.take("cluster")) {
          clusterBarrier(i, m, c);
        } else {
          m.take("cta");
          barrier(i, m, c, m.take("aligned"));
        }
      }
      case "membar" -> {
        if (m.take("proxy")) m.require("alias");
        m.takeOne(SCOPES);
        m.requireNone();
        fenceInstruction(c);
      }
      case "fence" -> fence(i, m, c);
      case "mbarrier" -> MbarrierLowering.lower(i, m, c);
      case "setmaxnreg" -> setRegisters(i, m, c);
      case "griddepcontrol" -> {
        // Nothing else runs, so there is nothing to wait for or to let in: it matters to the sanitizer alone.
        boolean waits = m.take("wait");
        if (!waits) m.require("launch_dependents");
        m.requireNone();
        if (c.watched() && waits) c.warp(Probes.class, "earlierGridsAwaited", List.of(), List.of());
      }
      case "nanosleep", "pmevent" -> {}
      case "trap", "brkpt" -> {
        m.requireNone();
        var method = i.opcode().equals("trap") ? "trap" : "breakpoint";
        c.warp(Machine.class, method, List.of(), List.of(), new Op.Argument.IntValue(c.site()));
      }
      default -> throw new Unsupported("unknown instruction");
    }
  }

  private static void setRegisters(Instruction i, Modifiers m, Lowering c) {
    boolean increase = m.take("inc");
    if (!increase) m.require("dec");
    m.require("sync");
    m.require("aligned");
    m.require("u32");
    m.requireNone();
    if (!(c.operands(i, 1).getFirst() instanceof Operand.Integer(long registers)) || registers < 24 || registers > 256
        || registers % 8 != 0) {
      throw new Unsupported("the number of registers must be a constant, a multiple of 8 from 24 to 256");
    }
    c.together(ALL_LANES);
    c.together(Source.of(0));
    c.warp(RegisterPool.class, "set",
        List.of(new Op.Argument.IntValue((int) registers), new Op.Argument.IntValue(increase ? 1 : 0),
            new Op.Argument.IntValue(c.site())), new Op.Result.Wait(), List.of(), List.of());
    c.end(new Terminator.Retry());
  }

  private static void fence(Instruction i, Modifiers m, Lowering c) {
    boolean tensorMap = m.take("tensormap::generic");
    if (tensorMap && i.has("acquire")
        && !c.operands(i, 2).get(1).equals(new Operand.Integer(TENSOR_MAP_BYTES))) {
      throw new Unsupported("a fence of another size than a tensor map's 128 bytes");
    }
    // Copies land through the same memory here, so these fences matter to the sanitizer alone.
    boolean proxy = m.takeMatching(ASYNC_PROXY).isPresent();
    boolean initialisation = m.take("mbarrier_init");
    if (c.watched() && proxy) {
      boolean shared = i.modifiers().stream().anyMatch(SHARED::contains);
      c.warp(Probes.class, "proxyFence", List.of(), List.of(), new Op.Argument.IntValue(shared ? 1 : 0),
          new Op.Argument.IntValue(i.has("global") ? 1 : 0));
    }
    if (c.watched() && initialisation) c.warp(Probes.class, "initialisationFence", List.of(), List.of());
    m.ignore(PROXIES);
    m.ignorePrefix("sync_restrict::");
    m.takeOne(ORDERS);
    m.takeOne(SCOPES);
    m.requireNone();
    fenceInstruction(c);
    if (c.watched() && tensorMap) tensorMapFence(i, c);
  }

  private static void tensorMapFence(Instruction i, Lowering c) {
    if (i.has("release")) {
      c.warp(Probes.class, "tensorMapRelease", List.of(), List.of());
      return;
    }
    var map = Addressing.of(c.operands(i, 2).getFirst(), Addressing.Window.GENERIC, c);
    c.warp(Probes.class, "tensorMapAcquire", List.of(map.reg()), List.of(), new Op.Argument.Lanes(map.reg()),
        new Op.Argument.LongValue(map.displacement()));
  }

  private static void fenceInstruction(Lowering c) {
    fence(c);
    if (c.watched()) c.warp(Probes.class, "fence", List.of(), List.of(), new Op.Argument.IntValue(c.site()));
  }

  private static void barrier(Instruction i, Modifiers m, Lowering c, boolean aligned) {
    if (m.take("red")) {
      reduce(i, m, c, aligned);
      return;
    }
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

  private static void clusterBarrier(Instruction i, Modifiers m, Lowering c) {
    boolean arrives = m.take("arrive");
    if (!arrives) m.require("wait");
    boolean relaxed = arrives && m.take("relaxed");
    m.take(arrives ? "release" : "acquire");
    boolean aligned = m.take("aligned");
    m.requireNone();
    c.operands(i, 0);
    var site = new Op.Argument.IntValue(c.site());
    if (aligned) c.together(ALL_LANES);
    if (arrives) {
      c.warp(ClusterBarrier.class, "arrive", List.of(), List.of(), new Op.Argument.IntValue(relaxed ? 0 : 1), site);
    } else {
      // A wait is tried again, so it must be the only thing in its block.
      c.together(Source.of(0));
      c.warp(ClusterBarrier.class, "await", List.of(site), new Op.Result.Wait(), List.of(), List.of());
      c.end(new Terminator.Retry());
    }
  }

  private static void reduce(Instruction i, Modifiers m, Lowering c, boolean alwaysAligned) {
    var operation = m.takeOne(Set.of("popc", "and", "or")).orElseThrow(() -> new Unsupported("red without operation"));
    boolean aligned = m.take("aligned") | alwaysAligned;
    m.type();
    m.requireNone();
    var operands = c.operands(i, 3, 4);
    var id = c.inRegister(operands.get(1), PtxType.B32);
    var count = c.inRegister(operands.size() == 4 ? c.source(operands.get(2)) : Source.of(0), PtxType.B32);
    var vote = c.inRegister(operands.getLast(), PtxType.PRED);
    if (aligned) c.together(ALL_LANES);
    c.warp(Barriers.class, "vote",
        List.of(new Op.Argument.Lanes(id), new Op.Argument.Lanes(count), new Op.Argument.Slot(vote),
            new Op.Argument.IntValue(c.site())), new Op.Result.Wait(), List.of(id, count, vote), List.of());
    c.end(new Terminator.Suspend());
    // The votes are kept by lane.
    c.resume();
    if (operation.equals("popc")) {
      var result = c.temp(PtxType.B32);
      c.warp(Barriers.class, "truths", List.of(), List.of(result), new Op.Argument.Lanes(result));
      c.move(Source.of(result), c.destination(operands.getFirst(), PtxType.B32), PtxType.B32);
    } else {
      var result = c.destination(operands.getFirst(), PtxType.PRED);
      c.warp(Barriers.class, operation.equals("and") ? "unanimous" : "anyTruth", List.of(),
          new Op.Result.Predicate(result), List.of(), List.of(result));
    }
  }
}
