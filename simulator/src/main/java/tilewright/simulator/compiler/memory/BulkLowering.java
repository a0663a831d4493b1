package tilewright.simulator.compiler.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.simulator.async.BulkCopies;
import tilewright.simulator.async.BulkGroups;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Addressing;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.BulkOperands;
import tilewright.simulator.core.Warp;
import tilewright.simulator.memory.Reduction;

/** {@code cp.async.bulk}, {@code cp.reduce.async.bulk} and their groups. */
final class BulkLowering {
  static final int GRANULE = 16;
  private static final int NO_REDUCTION = -1;

  private BulkLowering() {}

  /** An instruction after {@code cp.async.bulk} or {@code cp.reduce.async.bulk}. */
  static void lower(Instruction i, Modifiers m, Lowering c, boolean reduces) {
    if (m.take("commit_group")) {
      m.requireNone();
      c.warp(BulkGroups.class, "commit", List.of(), List.of());
    } else if (m.take("wait_group")) {
      boolean reads = m.take("read");
      m.requireNone();
      if (!(c.operands(i, 1).getFirst() instanceof Operand.Integer(long groups))) {
        throw new Unsupported("the number of groups must be a constant");
      }
      c.warp(BulkGroups.class, "await", List.of(), List.of(), new Op.Argument.IntValue((int) groups),
          new Op.Argument.IntValue(reads ? 1 : 0), new Op.Argument.IntValue(c.site()));
    } else if (m.take("prefetch")) {
      if (m.take("tensor")) {
        TensorMapLowering.prefetch(i, m, c);
      } else {
        prefetch(i, m, c);
      }
    } else if (m.take("tensor")) {
      TensorMapLowering.lower(i, m, c, reduces);
    } else {
      copy(i, m, c, reduces);
    }
  }

  private static void prefetch(Instruction i, Modifiers m, Lowering c) {
    m.require("L2");
    m.require("global");
    var operands = new ArrayList<>(i.operands());
    dropPolicy(operands, m);
    m.requireNone();
    require(operands, 2);
    bytes(operands.get(1), c);
    var from = global(operands.getFirst(), c);
    c.warp(BulkCopies.class, "prefetch", List.of(from.reg()), List.of(), new Op.Argument.Lanes(from.reg()),
        new Op.Argument.LongValue(from.displacement()), new Op.Argument.IntValue(c.site()));
  }

  /** An operand that names a cache policy changes nothing here. */
  static void dropPolicy(List<Operand> operands, Modifiers m) {
    if (m.take("L2::cache_hint") && !operands.isEmpty()) operands.removeLast();
  }

  static void require(List<Operand> operands, int count) {
    if (operands.size() != count) {
      throw new Unsupported(operands.size() + " operands without hints, but the form has " + count);
    }
  }

  private static void copy(Instruction i, Modifiers m, Lowering c, boolean reduces) {
    var operands = new ArrayList<>(i.operands());
    dropPolicy(operands, m);
    if (m.take("bulk_group")) {
      store(operands, m, c, reduces);
      return;
    }
    m.require("mbarrier::complete_tx::bytes");
    var to = destination(m);
    if (m.take("global")) {
      load(operands, m, c, to);
    } else {
      // In a form from shared memory to shared memory the second space is the source's.
      m.require("shared::cta");
      toCluster(operands, m, c, reduces);
    }
  }

  /** Where a load goes. */
  static Addressing.Window destination(Modifiers m) {
    if (m.take("shared::cluster")) return Addressing.Window.CLUSTER;
    m.require("shared::cta");
    return Addressing.Window.SHARED;
  }

  private static void load(List<Operand> operands, Modifiers m, Lowering c, Addressing.Window to) {
    boolean multicast = m.take("multicast::cluster");
    m.requireNone();
    require(operands, multicast ? 5 : 4);
    bytes(operands.get(2), c);
    if (multicast) ctas(operands.get(4), c);
    var from = global(operands.get(1), c);
    places(operands.get(0), operands.get(3), to, c);
    c.warp(BulkCopies.class, "load", List.of(from.reg()), List.of(), new Op.Argument.Lanes(from.reg()),
        new Op.Argument.LongValue(from.displacement()), new Op.Argument.IntValue(multicast ? 1 : 0),
        new Op.Argument.IntValue(c.site()));
  }

  private static void toCluster(List<Operand> operands, Modifiers m, Lowering c, boolean reduces) {
    var operation = reduces ? Optional.of(reduction(m)) : Optional.<Element>empty();
    m.requireNone();
    require(operands, 4);
    operation.filter(e -> !e.inShared()).ifPresent(e -> {
      throw new Unsupported("." + e.name() + " of " + e.type() + " does not exist in shared memory");
    });
    bytes(operands.get(2), c);
    var from = Addressing.of(operands.get(1), Optional.of(StateSpace.SHARED), c);
    var address = from.reg().kind == Reg.Kind.LONG ? from.reg() : widened(from.reg(), c);
    places(operands.get(0), operands.get(3), Addressing.Window.CLUSTER, c);
    c.warp(BulkCopies.class, "toCluster", List.of(address), List.of(), new Op.Argument.Lanes(address),
        new Op.Argument.LongValue(from.displacement()), operationOf(operation), elementOf(operation),
        new Op.Argument.IntValue(c.site()));
  }

  private static Reg widened(Reg narrow, Lowering c) {
    var wide = c.temp(PtxType.U64);
    c.move(Source.of(narrow), wide, PtxType.U32);
    return wide;
  }

  private static void store(List<Operand> operands, Modifiers m, Lowering c, boolean reduces) {
    m.require("global");
    m.require("shared::cta");
    boolean masked = m.take("cp_mask");
    var operation = reduces ? Optional.of(reduction(m)) : Optional.<Element>empty();
    m.requireNone();
    require(operands, masked ? 4 : 3);
    bytes(operands.get(2), c);
    if (masked) put(operands.get(3), PtxType.B16, BulkOperands.BYTE_MASK, c);
    var to = global(operands.getFirst(), c);
    Addressing.resolve(Addressing.of(operands.get(1), Optional.of(StateSpace.SHARED), c), GRANULE, Access.PLACE, c);
    c.warp(BulkCopies.class, "store", List.of(to.reg()), List.of(), new Op.Argument.Lanes(to.reg()),
        new Op.Argument.LongValue(to.displacement()), operationOf(operation), elementOf(operation),
        new Op.Argument.IntValue(masked ? 1 : 0), new Op.Argument.IntValue(c.site()));
  }

  /** A reduction and the type of its elements. */
  private record Element(Reduction operation, TensorElement type) {
    String name() {
      return operation.name().toLowerCase(java.util.Locale.ROOT);
    }

    /** PTX ISA, cp.reduce.async.bulk: what exists for destinations in shared memory. */
    boolean inShared() {
      return switch (type) {
        case U32 -> true;
        case S32 -> operation != Reduction.INC && operation != Reduction.DEC;
        case U64 -> operation == Reduction.ADD;
        default -> false;
      };
    }
  }

  private static Element reduction(Modifiers m) {
    var operation = m.takeFirst(Reduction::parse).orElseThrow(() -> new Unsupported("no reduction is named"));
    boolean keepsSubnormals = m.take("noftz");
    var name = m.type();
    var type = switch (name) {
      case B32 -> TensorElement.U32;
      case B64 -> TensorElement.U64;
      default -> TensorElement.parse(name.text()).orElseThrow(() -> new Unsupported("no reduction of ." + name.text()));
    };
    boolean half = type == TensorElement.F16 || type == TensorElement.BF16;
    if (!operation.takes(type)) throw new Unsupported("no reduction ." + operation + " of " + type);
    if (keepsSubnormals != (half && operation == Reduction.ADD)) {
      throw new Unsupported(".noftz belongs to .add.f16 and .add.bf16, and they need it");
    }
    return new Element(operation, type);
  }

  private static Op.Argument operationOf(Optional<Element> operation) {
    return new Op.Argument.IntValue(operation.map(e -> e.operation.ordinal()).orElse(NO_REDUCTION));
  }

  private static Op.Argument elementOf(Optional<Element> operation) {
    return new Op.Argument.IntValue(operation.map(e -> e.type.ordinal()).orElse(0));
  }

  private static Addressing.Place global(Operand operand, Lowering c) {
    return Addressing.of(operand, Optional.of(StateSpace.GLOBAL), c);
  }

  /** Resolves a destination, which is held, and then the mbarrier. */
  static void places(Operand destination, Operand mbarrier, Addressing.Window window, Lowering c) {
    var to = Addressing.of(destination, window, c);
    var signalled = Addressing.of(mbarrier, window, c);
    Addressing.resolve(to, GRANULE, Access.PLACE, c);
    c.warp(Warp.class, "hold", List.of(), List.of());
    Addressing.resolve(signalled, MbarrierLowering.BYTES, Access.PLACE, c);
  }

  private static void bytes(Operand operand, Lowering c) {
    put(operand, PtxType.B32, BulkOperands.BYTES, c);
  }

  static void ctas(Operand operand, Lowering c) {
    put(operand, PtxType.B16, BulkOperands.CTAS, c);
  }

  static void put(Operand operand, PtxType type, int slot, Lowering c) {
    var reg = c.inRegister(operand, type);
    c.warp(BulkOperands.class, "put", List.of(reg), List.of(), new Op.Argument.Lanes(reg),
        new Op.Argument.IntValue(slot));
  }
}
