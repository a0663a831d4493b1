package tilewright.simulator.compiler.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.simulator.async.TensorCopies;
import tilewright.simulator.async.TensorForm;
import tilewright.simulator.async.TensorMaps;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Addressing;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.BulkOperands;
import tilewright.simulator.core.MemoryOrder;
import tilewright.simulator.core.Warp;
import tilewright.simulator.memory.Reduction;
import tilewright.simulator.sync.Probes;
import tilewright.simulator.tensormap.LoadMode;
import tilewright.simulator.tensormap.TensorMapBytes;
import tilewright.simulator.tensormap.TensorMapField;

/** Copies by tensor map, and instructions on tensor maps themselves. */
public final class TensorMapLowering {
  private static final Pattern RANK = Pattern.compile("[1-5]d");
  private static final int MAP_ALIGNMENT = 128;

  private TensorMapLowering() {}

  /** An instruction after {@code cp.async.bulk.tensor} or {@code cp.reduce.async.bulk.tensor}. */
  static void lower(Instruction i, Modifiers m, Lowering c, boolean reduces) {
    var operands = new ArrayList<>(i.operands());
    BulkLowering.dropPolicy(operands, m);
    int rank = rank(m);
    var mode = m.takeFirst(LoadMode::parse).orElse(LoadMode.TILE);
    boolean stores = m.take("bulk_group");
    m.require("global");
    if (stores) {
      m.require("shared::cta");
      var reduction = reduces ? m.takeFirst(Reduction::parse) : Optional.<Reduction>empty();
      if (reduces && reduction.isEmpty()) throw new Unsupported("no reduction is named");
      store(operands, m, c, new TensorForm(mode, rank, reduction, false, false));
    } else {
      load(operands, m, c, mode, rank);
    }
  }

  private static int rank(Modifiers m) {
    return m.takeMatching(RANK).map(d -> d.charAt(0) - '0')
        .orElseThrow(() -> new Unsupported("the number of dimensions is missing"));
  }

  private static void load(List<Operand> operands, Modifiers m, Lowering c, LoadMode mode, int rank) {
    m.require("mbarrier::complete_tx::bytes");
    var to = BulkLowering.destination(m);
    boolean pair = m.take("cta_group::2");
    if (!pair) m.take("cta_group::1");
    var form = new TensorForm(mode, rank, Optional.empty(), m.take("multicast::cluster"), pair);
    m.requireNone();
    check(form, mode != LoadMode.SCATTER4);
    BulkLowering.require(operands, 3 + (form.offsets() > 0 ? 1 : 0) + (form.multicast() ? 1 : 0));
    if (form.offsets() > 0) offsets(operands.get(3), form, c);
    if (form.multicast()) BulkLowering.ctas(operands.getLast(), c);
    var map = map(operands.get(1), form, c);
    // The mbarrier of a pair may be another block's even where the destination is one's own.
    BulkLowering.places(operands.get(0), operands.get(2), pair ? Addressing.Window.CLUSTER : to, c);
    call("load", map, form, c);
  }

  private static void store(List<Operand> operands, Modifiers m, Lowering c, TensorForm form) {
    m.requireNone();
    check(form, form.mode() == LoadMode.TILE || form.mode() == LoadMode.IM2COL_NO_OFFSETS
        || form.mode() == LoadMode.SCATTER4 && form.reduction().isEmpty());
    BulkLowering.require(operands, 2);
    var map = map(operands.getFirst(), form, c);
    Addressing.resolve(Addressing.of(operands.get(1), Optional.of(StateSpace.SHARED), c), BulkLowering.GRANULE,
        Access.PLACE, c);
    call("store", map, form, c);
  }

  static void prefetch(Instruction i, Modifiers m, Lowering c) {
    m.require("L2");
    m.require("global");
    var operands = new ArrayList<>(i.operands());
    BulkLowering.dropPolicy(operands, m);
    int rank = rank(m);
    var mode = m.takeFirst(LoadMode::parse).orElse(LoadMode.TILE);
    m.requireNone();
    var form = new TensorForm(mode, rank, Optional.empty(), false, false);
    check(form, mode != LoadMode.SCATTER4);
    BulkLowering.require(operands, form.offsets() > 0 ? 2 : 1);
    if (form.offsets() > 0) offsets(operands.get(1), form, c);
    call("prefetch", map(operands.getFirst(), form, c), form, c);
  }

  private static void check(TensorForm form, boolean possible) {
    var mode = form.mode();
    if (!possible) throw new Unsupported("." + mode.modifier() + " does not exist in this direction");
    if (mode.isFourRows() && form.rank() != 2) throw new Unsupported("." + mode.modifier() + " exists for .2d only");
    if (mode != LoadMode.TILE && !mode.isFourRows() && form.rank() < 3) {
      throw new Unsupported("." + mode.modifier() + " exists for .3d to .5d only");
    }
  }

  private static void offsets(Operand operand, TensorForm form, Lowering c) {
    var numbers = c.elements(operand, form.offsets());
    for (int k = 0; k < numbers.size(); k++) {
      BulkLowering.put(numbers.get(k), PtxType.U16, BulkOperands.OFFSETS + k, c);
    }
  }

  /** Hands over the coordinates; the place of the tensor map remains. */
  private static Addressing.Place map(Operand operand, TensorForm form, Lowering c) {
    if (!(operand instanceof Operand.Address(var base, long offset, var coordinates))) {
      throw new Unsupported("operand " + operand.text() + " is not a tensor map with coordinates");
    }
    var numbers = coordinates.size() == 1 && coordinates.getFirst() instanceof Operand.Vector(var elements) ? elements
        : coordinates;
    if (numbers.size() != form.coordinates()) {
      throw new Unsupported(numbers.size() + " coordinates, but the form has " + form.coordinates());
    }
    for (int k = 0; k < numbers.size(); k++) {
      BulkLowering.put(numbers.get(k), PtxType.S32, BulkOperands.COORDINATES + k, c);
    }
    return Addressing.of(new Operand.Address(base, offset), Addressing.Window.GENERIC, c);
  }

  private static void call(String method, Addressing.Place map, TensorForm form, Lowering c) {
    c.warp(TensorCopies.class, method, List.of(map.reg()), List.of(), new Op.Argument.Lanes(map.reg()),
        new Op.Argument.LongValue(map.displacement()), new Op.Argument.IntValue(form.code()),
        new Op.Argument.IntValue(c.site()));
  }

  /** {@code tensormap.replace} and {@code tensormap.cp_fenceproxy}. */
  public static void lowerMap(Instruction i, Modifiers m, Lowering c) {
    if (m.take("replace")) {
      replace(i, m, c);
    } else {
      m.require("cp_fenceproxy");
      copy(i, m, c);
    }
  }

  private static void replace(Instruction i, Modifiers m, Lowering c) {
    m.require("tile");
    var field = m.takeFirst(TensorMapField::parse).orElseThrow(() -> new Unsupported("no field is named"));
    var window = Addressing.Window.of(m);
    m.require("b1024");
    m.require(field.isWide() ? "b64" : "b32");
    m.requireNone();
    var operands = c.operands(i, field.hasOrdinal() ? 3 : 2);
    int ordinal = 0;
    if (field.hasOrdinal()) {
      if (!(operands.get(1) instanceof Operand.Integer(long n))) {
        throw new Unsupported("the ordinal must be a constant");
      }
      ordinal = (int) n;
    }
    if (field.isImmediate() && !(operands.getLast() instanceof Operand.Integer)) {
      throw new Unsupported("the new value must be a constant");
    }
    var value = c.temp(PtxType.U64);
    c.move(c.source(operands.getLast()), value, field.isWide() ? PtxType.U64 : PtxType.U32);
    Addressing.resolve(Addressing.of(operands.getFirst(), window, c), TensorMapBytes.SIZE, Access.ATOMIC, c);
    c.warp(TensorMaps.class, "replace", List.of(value), List.of(), new Op.Argument.Lanes(value),
        new Op.Argument.IntValue(field.ordinal()), new Op.Argument.IntValue(ordinal),
        new Op.Argument.IntValue(c.site()));
  }

  private static void copy(Instruction i, Modifiers m, Lowering c) {
    m.require("global");
    m.require("shared::cta");
    m.require("tensormap::generic");
    m.require("release");
    m.ignore(SyncLowering.SCOPES);
    m.require("sync");
    m.require("aligned");
    m.requireNone();
    var operands = c.operands(i, 3);
    if (!operands.get(2).equals(new Operand.Integer(TensorMapBytes.SIZE))) {
      throw new Unsupported("tensormap.cp_fenceproxy copies 128 bytes");
    }
    var from = Addressing.of(operands.get(1), Optional.of(StateSpace.SHARED), c);
    var to = Addressing.of(operands.get(0), Optional.of(StateSpace.GLOBAL), c);
    Addressing.resolve(from, MAP_ALIGNMENT, Access.READ, c);
    c.warp(Warp.class, "hold", List.of(), List.of());
    Addressing.resolve(to, MAP_ALIGNMENT, Access.PLACE, c);
    c.warp(TensorMaps.class, "copy", List.of(to.reg()), List.of(), new Op.Argument.Lanes(to.reg()),
        new Op.Argument.LongValue(to.displacement()), new Op.Argument.IntValue(c.site()));
    SyncLowering.fence(c);
    if (c.watched()) {
      c.warp(Probes.class, "tensorMapCopied", List.of(), List.of(),
          new Op.Argument.IntValue(MemoryOrder.releasedTo(i).ordinal()));
    }
  }
}
