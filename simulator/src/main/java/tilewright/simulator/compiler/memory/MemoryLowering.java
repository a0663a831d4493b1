package tilewright.simulator.compiler.memory;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.simulator.compiler.code.LaneCode;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Addressing;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.MemoryOrder;
import tilewright.simulator.core.UnwrittenValues;
import tilewright.simulator.core.WholeAccesses;
import tilewright.simulator.memory.BulkStores;
import tilewright.simulator.memory.Moves;
import tilewright.simulator.sync.Probes;

/** Loads, stores and atomics. */
public final class MemoryLowering {
  private static final Set<String> ORDERINGS = Set.of("acquire", "release", "acq_rel", "volatile", "mmio");
  static final Set<String> NO_EFFECT =
      Set.of("weak", "relaxed", "cta", "cluster", "gpu", "sys", "ca", "cg", "cs", "lu",
      "cv", "wb", "wt", "nc", "noftz");

  private MemoryLowering() {}

  public static void lower(Instruction i, Modifiers m, Lowering c) {
    switch (i.opcode()) {
      case "ld", "ldu" -> load(i, m, c);
      case "st" -> store(i, m, c);
      case "atom", "red" -> AtomicLowering.lower(i, m, c);
      default -> noEffect(i, c);
    }
  }

  private static void noEffect(Instruction i, Lowering c) {
    // Hints about caches; a policy is an opaque value that only hints use.
    if (i.opcode().equals("createpolicy")) {
      c.move(Source.of(0L), c.destination(c.operands(i, 1, 5).getFirst(), PtxType.B64), PtxType.B64);
    }
  }

  private static void fenceIfOrdered(Modifiers m, Lowering c) {
    if (m.takeOne(ORDERINGS).isPresent()) SyncLowering.fence(c);
  }

  /** The elements that an access moves: their number, their type, and their space. */
  private record Transfer(Addressing.Window window, PtxType type, int count) {

    /** Reads the modifiers of a load or store. */
    static Transfer of(Modifiers m, Lowering c) {
      fenceIfOrdered(m, c);
      var window = Addressing.Window.of(m);
      m.ignore(NO_EFFECT);
      m.ignorePrefix("L1::");
      m.ignorePrefix("L2::");
      int count = m.take("v2") ? 2 : m.take("v4") ? 4 : m.take("v8") ? 8 : 1;
      var type = m.type();
      m.requireNone();
      // 128 bits are two halves of one access.
      return type == PtxType.B128 ? new Transfer(window, PtxType.B64, 2) : new Transfer(window, type, count);
    }

    int bytes() {
      return type.bytes() * count;
    }

    /** Whether several elements have to be moved in one piece. */
    boolean isWhole(Instruction i) {
      return count > 1 && !MemoryOrder.of(i).equals(MemoryOrder.WEAK);
    }

    List<Operand> elements(Operand operand, Lowering c) {
      return operand instanceof Operand.Register && count > 1 ? c.halves(operand) : c.elements(operand, count);
    }
  }

  private static void load(Instruction i, Modifiers m, Lowering c) {
    var transfer = Transfer.of(m, c);
    var type = transfer.type();
    var operands = c.operands(i, 2, 3);
    var place = Addressing.of(operands.get(1), transfer.window(), c);
    // Parameters are written by the launch.
    boolean follows = c.watched() && !place.check().equals("parameter");
    if (follows) c.warp(UnwrittenValues.class, "loading", List.of(), List.of(), new Op.Argument.IntValue(c.site()));
    Addressing.resolve(place, transfer.bytes(), Access.READ, c);
    var elements = transfer.elements(operands.getFirst(), c);
    boolean whole = transfer.isWhole(i);
    if (whole) c.warp(WholeAccesses.class, "load", List.of(), List.of(), new Op.Argument.IntValue(transfer.bytes()));
    for (int k = 0; k < elements.size(); k++) {
      if (elements.get(k) instanceof Operand.Sink) continue;
      loadElement(c.destination(elements.get(k), type), type, k, follows, c);
    }
    if (whole) c.warp(WholeAccesses.class, "leave", List.of(), List.of());
    if (!MemoryOrder.of(i).equals(MemoryOrder.WEAK)) tellObserved(c);
  }

  private static void loadElement(Reg to, PtxType type, int k, boolean follows, Lowering c) {
    boolean wide = type.bits() == 64;
    boolean direct = switch (to.kind) {
      case INT -> !wide && to.type.bits() >= type.bits() && !(to.type.bits() == 16 && LaneCode.isSigned(type));
      case FLOAT -> type.bits() == 32;
      case LONG, DOUBLE -> wide;
      case PREDICATE -> false;
    };
    // A signed 16-bit load into a 16-bit register needs no sign.
    var stored = to.type.bits() == 16 && type == PtxType.S16 ? PtxType.U16 : type;
    var landing = direct || stored != type ? to : c.temp(wide ? PtxType.B64 : PtxType.B32);
    var method = switch (stored.bits()) {
      case 8 -> stored == PtxType.S8 ? "loadS8" : "loadU8";
      case 16 -> stored == PtxType.S16 ? "loadS16" : "loadU16";
      case 32 -> "load32";
      default -> "load64";
    };
    c.warp(Moves.class, method, List.of(), List.of(landing), new Op.Argument.IntValue(k * type.bytes()),
        new Op.Argument.Lanes(landing));
    if (follows) {
      c.warp(UnwrittenValues.class, "filled", List.of(), List.of(), new Op.Argument.IntValue(landing.id),
          new Op.Argument.IntValue(k * type.bytes()), new Op.Argument.IntValue(type.bytes()),
          new Op.Argument.IntValue(LaneCode.isSigned(stored) ? 1 : 0));
    }
    if (landing != to) c.move(Source.of(landing), to, type);
  }

  private static void store(Instruction i, Modifiers m, Lowering c) {
    if (m.take("bulk")) {
      clear(i, m, c);
      return;
    }
    var transfer = Transfer.of(m, c);
    var type = transfer.type();
    var operands = c.operands(i, 2, 3);
    var elements = transfer.elements(operands.get(1), c);
    var values = elements.stream().map(e -> stored(c.source(e), type, c)).toList();
    var place = Addressing.of(operands.getFirst(), transfer.window(), c);
    if (c.watched()) tellValues(values, type, c);
    Addressing.resolve(place, transfer.bytes(), Access.WRITE, c);
    boolean whole = transfer.isWhole(i);
    if (whole) c.warp(WholeAccesses.class, "store", List.of(), List.of());
    for (int k = 0; k < elements.size(); k++) {
      c.warp(Moves.class, "store" + type.bits(), List.of(values.get(k)), List.of(),
          new Op.Argument.IntValue(k * type.bytes()),
          new Op.Argument.Lanes(values.get(k)));
    }
    if (whole) {
      c.warp(WholeAccesses.class, "leave", List.of(), List.of());
      c.warp(WholeAccesses.class, "stored", List.of(), List.of(), new Op.Argument.IntValue(transfer.bytes()));
    }
  }

  /** {@code st.bulk}; a 64-bit address in the shared window becomes a generic one. */
  private static void clear(Instruction i, Modifiers m, Lowering c) {
    m.take("weak");
    var space = sharedOrGeneric(m);
    m.requireNone();
    var operands = c.operands(i, 3);
    if (!(operands.get(2) instanceof Operand.Integer(long value)) || value != 0) {
      throw new Unsupported("st.bulk of other than zero");
    }
    var place = Addressing.of(operands.get(0), space, c);
    var bytes = c.inRegister(operands.get(1), PtxType.B64);
    boolean wide = place.reg().kind == Reg.Kind.LONG;
    long window = wide && space.isPresent() ? Lowering.window(StateSpace.SHARED) : 0;
    c.warp(BulkStores.class, "zero", List.of(place.reg(), bytes), List.of(), new Op.Argument.Lanes(place.reg()),
        new Op.Argument.LongValue(place.displacement() + window), new Op.Argument.Lanes(bytes),
        new Op.Argument.IntValue(c.site()));
  }

  static void tellObserved(Lowering c) {
    if (c.watched()) c.warp(Probes.class, "observed", List.of(), List.of(), new Op.Argument.IntValue(c.site()));
  }

  private static void tellValues(List<Reg> values, PtxType type, Lowering c) {
    c.warp(Probes.class, "storing", List.of(), List.of(), new Op.Argument.IntValue(c.site()));
    for (var value : values) {
      c.warp(Probes.class, "value", List.of(value), List.of(), new Op.Argument.IntValue(type.bytes()),
          new Op.Argument.Lanes(value));
    }
  }

  private static Reg stored(Source source, PtxType type, Lowering c) {
    if (source instanceof Source.Register(var reg)) {
      boolean direct = switch (reg.kind) {
        case INT -> type.bits() <= reg.type.bits();
        case FLOAT -> type.bits() == 32;
        case LONG, DOUBLE -> type.bits() == 64;
        case PREDICATE -> false;
      };
      if (direct) return reg;
    }
    return c.inRegister(source, type);
  }

  /** The space, if it is shared memory or not named. */
  public static Optional<StateSpace> sharedOrGeneric(Modifiers m) {
    var space = Addressing.space(m);
    if (space.isPresent() && space.get() != StateSpace.SHARED) {
      throw new Unsupported("." + space.get().text() + " here");
    }
    return space;
  }
}
