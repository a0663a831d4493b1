package tilewright.simulator.compiler.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
import tilewright.simulator.core.Access;
import tilewright.simulator.core.UnwrittenValues;
import tilewright.simulator.memory.Lanes;
import tilewright.simulator.memory.Matrices;
import tilewright.simulator.sync.Probes;

/** Instructions that the lanes of a warp execute together: exchanges, votes, and matrix loads. */
public final class WarpLowering {
  private static final Map<String, Integer> SHUFFLES =
      Map.of("up", Lanes.UP, "down", Lanes.DOWN, "bfly", Lanes.BUTTERFLY, "idx", Lanes.INDEX);
  private static final Map<String, Integer> VOTES = Map.of("all", Lanes.ALL, "any", Lanes.ANY, "uni", Lanes.UNIFORM);
  private static final Map<String, Integer> REDUCTIONS =
      Map.of("add", Lanes.ADD, "min", Lanes.MIN, "max", Lanes.MAX, "and",
      Lanes.AND, "or", Lanes.OR, "xor", Lanes.XOR);
  /** Instructions that wait for lanes of their warp, or that are tried again: a guard of theirs becomes a branch. */
  public static final Set<String> CONVERGENT =
      Set.of("shfl", "vote", "redux", "match", "elect", "ldmatrix", "stmatrix", "movmatrix", "mma", "wmma", "wgmma",
          "bar", "barrier", "mbarrier", "setmaxnreg", "tcgen05");
  private static final int ROW_BYTES = 16;
  /** Bits of the numbers that become bytes; the rest of a row of 16 bytes is padding. */
  private static final Map<String, Integer> PACKED = Map.of("b6x16_p32", 6, "b4x16_p64", 4);
  private static final int LANES_PER_MATRIX = 8;

  private WarpLowering() {}

  public static void lower(Instruction i, Modifiers m, Lowering c) {
    switch (i.opcode()) {
      case "shfl" -> shuffle(i, m, c);
      case "vote" -> vote(i, m, c);
      case "activemask" -> activeMask(i, m, c);
      case "redux" -> reduce(i, m, c);
      case "match" -> match(i, m, c);
      case "elect" -> elect(i, m, c);
      case "ldmatrix" -> loadMatrix(i, m, c);
      case "stmatrix" -> storeMatrix(i, m, c);
      case "movmatrix" -> transposeMatrix(i, m, c);
      default -> throw new Unsupported("unknown instruction");
    }
  }

  private static Operand.Pair pair(Operand operand) {
    return operand instanceof Operand.Pair p ? p : new Operand.Pair(operand, new Operand.Sink());
  }

  private static void shuffle(Instruction i, Modifiers m, Lowering c) {
    m.require("sync");
    int mode = SHUFFLES.get(m.takeOne(SHUFFLES.keySet()).orElseThrow(() -> new Unsupported("shfl without mode")));
    var type = m.type();
    m.requireNone();
    var operands = c.operands(i, 5);
    var to = pair(operands.getFirst());
    var value = c.inRegister(operands.get(1), PtxType.B32);
    var by = c.inRegister(operands.get(2), PtxType.B32);
    var bounds = c.inRegister(operands.get(3), PtxType.B32);
    var members = c.source(operands.get(4));
    var result = c.temp(PtxType.B32);
    var valid = c.destination(to.second(), PtxType.PRED);
    c.together(members);
    if (c.watched()) {
      c.warp(Probes.class, "source", List.of(by, bounds), List.of(), new Op.Argument.IntValue(mode),
          new Op.Argument.Lanes(by), new Op.Argument.Lanes(bounds), new Op.Argument.IntValue(c.site()));
    }
    c.warp(Lanes.class, "shuffle",
        List.of(new Op.Argument.IntValue(mode), new Op.Argument.Lanes(value), new Op.Argument.Lanes(by),
        new Op.Argument.Lanes(bounds), new Op.Argument.Lanes(result)), new Op.Result.Predicate(valid),
        List.of(value, by, bounds), List.of(result, valid));
    c.move(Source.of(result), c.destination(to.first(), type), PtxType.B32);
  }

  private static void vote(Instruction i, Modifiers m, Lowering c) {
    m.require("sync");
    boolean ballot = m.take("ballot");
    var mode = ballot ? Optional.of("any") : m.takeOne(VOTES.keySet());
    m.type();
    m.requireNone();
    var operands = c.operands(i, 3);
    var predicate = c.inRegister(operands.get(1), PtxType.PRED);
    c.together(c.source(operands.get(2)));
    if (ballot) {
      var result = c.temp(PtxType.B32);
      c.warp(Lanes.class, "ballot", List.of(predicate), List.of(result), new Op.Argument.Slot(predicate),
          new Op.Argument.Lanes(result));
      c.move(Source.of(result), c.destination(operands.getFirst(), PtxType.B32), PtxType.B32);
    } else {
      var to = c.destination(operands.getFirst(), PtxType.PRED);
      int code = VOTES.get(mode.orElseThrow(() -> new Unsupported("vote without mode")));
      c.warp(Lanes.class, "vote", List.of(new Op.Argument.IntValue(code), new Op.Argument.Slot(predicate)),
          new Op.Result.Predicate(to), List.of(predicate), List.of(to));
    }
  }

  private static void activeMask(Instruction i, Modifiers m, Lowering c) {
    m.type();
    m.requireNone();
    var result = c.temp(PtxType.B32);
    c.warp(Lanes.class, "activeMask", List.of(), List.of(result), new Op.Argument.Lanes(result));
    c.move(Source.of(result), c.destination(c.operands(i, 1).getFirst(), PtxType.B32), PtxType.B32);
  }

  private static void reduce(Instruction i, Modifiers m, Lowering c) {
    m.require("sync");
    int op = REDUCTIONS.get(m.takeOne(REDUCTIONS.keySet())
        .orElseThrow(() -> new Unsupported("redux without operation")));
    boolean magnitudes = m.take("abs");
    boolean propagate = m.take("NaN");
    var type = m.type();
    if (type == PtxType.F32 && (op == Lanes.MIN || op == Lanes.MAX)) {
      m.requireNone();
      extremum(i, op == Lanes.MAX, magnitudes, propagate, c);
      return;
    }
    if (type.bits() != 32 || type == PtxType.F32 || magnitudes || propagate) {
      throw new Unsupported("redux of " + type.text());
    }
    m.requireNone();
    var operands = c.operands(i, 3);
    var value = c.inRegister(operands.get(1), PtxType.B32);
    var result = c.temp(PtxType.B32);
    c.together(c.source(operands.get(2)));
    c.warp(Lanes.class, "reduce", List.of(value), List.of(result), new Op.Argument.IntValue(op),
        new Op.Argument.IntValue(type == PtxType.S32 ? 1 : 0), new Op.Argument.Lanes(value),
        new Op.Argument.Lanes(result));
    c.move(Source.of(result), c.destination(operands.getFirst(), type), PtxType.B32);
  }

  private static void extremum(Instruction i, boolean max, boolean magnitudes, boolean propagate, Lowering c) {
    var operands = c.operands(i, 3);
    var value = c.inRegister(operands.get(1), PtxType.F32);
    var result = c.temp(PtxType.F32);
    c.together(c.source(operands.get(2)));
    c.warp(Lanes.class, "extremum", List.of(value), List.of(result), new Op.Argument.IntValue(max ? 1 : 0),
        new Op.Argument.IntValue(magnitudes ? 1 : 0), new Op.Argument.IntValue(propagate ? 1 : 0),
        new Op.Argument.Lanes(value), new Op.Argument.Lanes(result));
    c.move(Source.of(result), c.destination(operands.getFirst(), PtxType.F32), PtxType.F32);
  }

  private static void match(Instruction i, Modifiers m, Lowering c) {
    boolean all = m.take("all");
    if (!all) m.require("any");
    m.require("sync");
    var type = m.type();
    m.requireNone();
    var operands = c.operands(i, 3);
    var to = pair(operands.getFirst());
    var value = c.inRegister(operands.get(1), type);
    var result = c.temp(PtxType.B32);
    var same = c.destination(to.second(), PtxType.PRED);
    c.together(c.source(operands.get(2)));
    c.warp(Lanes.class, all ? "matchAll" : "matchAny",
        List.of(new Op.Argument.Lanes(value), new Op.Argument.Lanes(result)), new Op.Result.Predicate(same),
        List.of(value), List.of(result, same));
    if (!(to.first() instanceof Operand.Sink)) {
      c.move(Source.of(result), c.destination(to.first(), PtxType.B32), PtxType.B32);
    }
  }

  private static void elect(Instruction i, Modifiers m, Lowering c) {
    m.require("sync");
    m.requireNone();
    var operands = c.operands(i, 2);
    var to = pair(operands.getFirst());
    var leader = c.temp(PtxType.B32);
    var elected = c.destination(to.second(), PtxType.PRED);
    c.together(c.source(operands.get(1)));
    c.warp(Lanes.class, "elect", List.of(new Op.Argument.Lanes(leader)), new Op.Result.Predicate(elected), List.of(),
        List.of(leader, elected));
    if (!(to.first() instanceof Operand.Sink)) {
      c.move(Source.of(leader), c.destination(to.first(), PtxType.B32), PtxType.B32);
    }
  }

  private static int matrices(Modifiers m) {
    m.require("sync");
    m.require("aligned");
    if (!m.take("m8n16")) m.require("m8n8");
    int count = m.take("x4") ? 4 : m.take("x2") ? 2 : 1;
    m.take("x1");
    return count;
  }

  private static Optional<StateSpace> spaceB16(Modifiers m) {
    var space = MemoryLowering.sharedOrGeneric(m);
    m.require("b16");
    m.requireNone();
    return space;
  }

  private static void loadMatrix(Instruction i, Modifiers m, Lowering c) {
    int count = matrices(m);
    boolean transposed = m.take("trans");
    var packed = i.has("m8n16") ? m.takeOne(PACKED.keySet()) : Optional.<String>empty();
    if (i.has("m8n16") != packed.isPresent() || packed.isPresent() && transposed) {
      throw new Unsupported("only ldmatrix.m8n16 of packed numbers is supported");
    }
    if (packed.isPresent()) m.require("b8x16");
    var space = packed.isPresent() ? MemoryLowering.sharedOrGeneric(m) : spaceB16(m);
    m.requireNone();
    var operands = c.operands(i, 2);
    var place = Addressing.of(operands.get(1), space, c);
    c.together(Source.of(-1));
    if (c.watched()) c.warp(UnwrittenValues.class, "loading", List.of(), List.of(), new Op.Argument.IntValue(c.site()));
    rows(place, count, Access.READ, c);
    var elements = c.elements(operands.getFirst(), count);
    var landings = new ArrayList<Reg>();
    for (int k = 0; k < count; k++) {
      var to = c.destination(elements.get(k), PtxType.B32);
      var landing = to.kind == Reg.Kind.INT ? to : c.temp(PtxType.B32);
      landings.add(landing);
      var arguments = new ArrayList<Op.Argument>(List.of(new Op.Argument.IntValue(k)));
      packed.ifPresent(p -> arguments.add(new Op.Argument.IntValue(PACKED.get(p))));
      arguments.add(new Op.Argument.Lanes(landing));
      var method = packed.isPresent() ? "loadPacked" : transposed ? "loadTransposed" : "load";
      c.warp(Matrices.class, method, List.of(), List.of(landing), arguments.toArray(Op.Argument[]::new));
      if (c.watched()) {
        c.warp(UnwrittenValues.class, "filledMatrix", List.of(), List.of(), new Op.Argument.IntValue(landing.id),
            new Op.Argument.IntValue(k), new Op.Argument.IntValue(transposed ? 1 : 0));
      }
      if (landing != to) c.move(Source.of(landing), to, PtxType.B32);
    }
  }

  private static void storeMatrix(Instruction i, Modifiers m, Lowering c) {
    int count = matrices(m);
    boolean transposed = m.take("trans");
    var space = spaceB16(m);
    var operands = c.operands(i, 2);
    var place = Addressing.of(operands.get(0), space, c);
    var values = c.elements(operands.get(1), count).stream().map(e -> c.inRegister(e, PtxType.B32)).toList();
    c.together(Source.of(-1));
    rows(place, count, Access.WRITE, c);
    for (int k = 0; k < count; k++) {
      c.warp(Matrices.class, transposed ? "storeTransposed" : "store", List.of(values.get(k)), List.of(),
          new Op.Argument.IntValue(k), new Op.Argument.Lanes(values.get(k)));
    }
  }

  private static void transposeMatrix(Instruction i, Modifiers m, Lowering c) {
    for (var modifier : List.of("sync", "aligned", "m8n8", "trans", "b16")) m.require(modifier);
    m.requireNone();
    var operands = c.operands(i, 2);
    var from = c.inRegister(operands.get(1), PtxType.B32);
    var to = c.destination(operands.getFirst(), PtxType.B32);
    var landing = c.temp(PtxType.B32);
    c.together(Source.of(-1));
    c.warp(Matrices.class, "transpose", List.of(from), List.of(landing), new Op.Argument.Lanes(from),
        new Op.Argument.Lanes(landing));
    c.move(Source.of(landing), to, PtxType.B32);
  }

  /** Lane r of each group of eight gives row r of one matrix; the other lanes' addresses do not count. */
  private static void rows(Addressing.Place place, int count, int access, Lowering c) {
    boolean generic = place.check().equals("generic");
    c.warp(Matrices.class, "rows", List.of(place.reg()), List.of(), new Op.Argument.Lanes(place.reg()),
        new Op.Argument.LongValue(place.displacement() - (generic ? Lowering.window(StateSpace.SHARED) : 0)),
        new Op.Argument.IntValue(count * LANES_PER_MATRIX),
        new Op.Argument.IntValue(ROW_BYTES), new Op.Argument.IntValue(access), new Op.Argument.IntValue(c.site()));
  }
}
