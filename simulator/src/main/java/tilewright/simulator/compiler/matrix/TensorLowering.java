package tilewright.simulator.compiler.matrix;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Terminator;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.lowering.Addressing;
import tilewright.simulator.compiler.lowering.Lowering;
import tilewright.simulator.compiler.lowering.Modifiers;
import tilewright.simulator.compiler.memory.MbarrierLowering;
import tilewright.simulator.compiler.memory.MemoryLowering;
import tilewright.simulator.core.Access;
import tilewright.simulator.tcgen05.TensorAllocation;
import tilewright.simulator.tcgen05.TensorCommit;
import tilewright.simulator.tcgen05.TensorCopy;
import tilewright.simulator.tcgen05.TensorReduction;
import tilewright.simulator.tcgen05.TensorTransfer;
import tilewright.simulator.tmem.AccessShape;
import tilewright.simulator.tmem.CopyShape;
import tilewright.simulator.tmem.Decompression;

/**
 * {@code tcgen05} instructions (PTX ISA, Tensorcore 5th Generation Instructions); {@link TensorMmaLowering} has those
 * that multiply.
 */
public final class TensorLowering {
  private static final Pattern REPEATS = Pattern.compile("x(1|2|4|8|16|32|64|128)");
  private static final Source ALL_LANES = Source.of(-1);

  private TensorLowering() {}

  public static void lower(Instruction i, Modifiers m, Lowering c) {
    var operation = i.modifiers().isEmpty() ? "" : i.modifiers().getFirst();
    m.take(operation);
    switch (operation) {
      case "alloc", "dealloc", "relinquish_alloc_permit" -> allocation(operation, i, m, c);
      case "ld", "st" -> transfer(operation.equals("st"), i, m, c);
      case "wait::ld", "wait::st" -> {
        together(m, c);
        m.requireNone();
        c.warp(TensorTransfer.class, operation.equals("wait::ld") ? "waitLoads" : "waitStores", List.of(), List.of());
      }
      case "mma" -> TensorMmaLowering.lower(i, m, c);
      case "cp" -> copy(i, m, c);
      case "shift" -> shift(i, m, c);
      case "commit" -> commit(i, m, c);
      case "fence::before_thread_sync", "fence::after_thread_sync" -> {
        m.requireNone();
        var side = operation.equals("fence::before_thread_sync") ? "before" : "after";
        if (c.watched()) c.warp(TensorTransfer.class, side, List.of(), List.of());
      }
      default -> throw new Unsupported("unknown instruction");
    }
  }

  private static void together(Modifiers m, Lowering c) {
    m.require("sync");
    m.require("aligned");
    c.together(ALL_LANES);
  }

  /** How many CTAs the instruction works on. */
  static int group(Modifiers m) {
    if (m.take("cta_group::2")) return 2;
    m.require("cta_group::1");
    return 1;
  }

  private static void allocation(String operation, Instruction i, Modifiers m, Lowering c) {
    var group = new Op.Argument.IntValue(group(m));
    var site = new Op.Argument.IntValue(c.site());
    if (operation.equals("relinquish_alloc_permit")) {
      together(m, c);
      m.requireNone();
      c.operands(i, 0);
      c.warp(TensorAllocation.class, "relinquish", List.of(), List.of(), group, site);
      return;
    }
    m.require("b32");
    var operands = c.operands(i, 2);
    var columns = c.inRegister(operands.get(1), PtxType.B32);
    if (operation.equals("alloc")) {
      var place = eitherForm(Addressing.of(operands.getFirst(), MemoryLowering.sharedOrGeneric(m), c));
      together(m, c);
      m.requireNone();
      Addressing.resolve(place, Integer.BYTES, Access.PLACE, c);
      c.warp(TensorAllocation.class, "allocate", List.of(new Op.Argument.Lanes(columns), group, site),
          new Op.Result.Wait(), List.of(columns), List.of());
    } else {
      var address = c.inRegister(operands.getFirst(), PtxType.B32);
      together(m, c);
      m.requireNone();
      c.warp(TensorAllocation.class, "free",
          List.of(new Op.Argument.Lanes(address), new Op.Argument.Lanes(columns), group, site), new Op.Result.Wait(),
          List.of(address, columns), List.of());
    }
    c.end(new Terminator.Retry());
  }

  /**
   * An address in shared memory that may be generic or not, whatever the instruction says: ThunderKittens does either,
   * and is published as running so on a B200.
   */
  private static Addressing.Place eitherForm(Addressing.Place place) {
    if (place.reg().kind != Reg.Kind.LONG) return place;
    return switch (place.check()) {
      case "shared" -> new Addressing.Place(place.reg(), place.displacement(), "sharedOrGeneric");
      case "generic" -> new Addressing.Place(place.reg(), place.displacement(), "genericOrCluster");
      default -> place;
    };
  }

  /** A place in Tensor Memory: its address in a register, and what is added to it. */
  record Place(Reg reg, int displacement) {
    static Place of(Operand operand, Lowering c) {
      if (operand instanceof Operand.Address(var base, long offset, var coordinates) && coordinates.isEmpty()) {
        return new Place(c.inRegister(base, PtxType.B32), (int) offset);
      }
      throw new Unsupported("operand " + operand.text() + " is not an address in tensor memory");
    }
  }

  private static void transfer(boolean store, Instruction i, Modifiers m, Lowering c) {
    var shape = m.takeFirst(AccessShape::parse).orElseThrow(() -> new Unsupported("tcgen05.ld and st need a shape"));
    int repeats = m.takeMatching(REPEATS).map(x -> Integer.parseInt(x.substring(1)))
        .orElseThrow(() -> new Unsupported("tcgen05.ld and st need a number of repeats"));
    if (shape.registers(repeats) > AccessShape.MOST_REGISTERS) {
      throw new Unsupported("." + shape.text() + ".x" + repeats + " needs " + shape.registers(repeats)
          + " registers, more than " + AccessShape.MOST_REGISTERS);
    }
    var reduction = store ? Optional.<TensorReduction>empty() : reduction(shape, repeats, m);
    boolean packed = reduction.isEmpty() && m.take(store ? "unpack::16b" : "pack::16b");
    if (reduction.isEmpty()) m.require("b32");
    int address = store ? 0 : reduction.isPresent() ? 2 : 1;
    var operands = c.operands(i, (reduction.isPresent() ? 3 : 2) + (shape.split() ? 1 : 0));
    var place = Place.of(operands.get(address), c);
    int split = 0;
    if (shape.split()) {
      if (!(operands.get(address + 1) instanceof Operand.Integer(long value))) {
        throw new Unsupported("the offset of the second half must be a constant");
      }
      split = (int) value;
    }
    var registers = c.elements(operands.get(store ? operands.size() - 1 : 0), shape.registers(repeats));
    List<Op.Argument> arguments = List.of(new Op.Argument.Lanes(place.reg()),
        new Op.Argument.IntValue(place.displacement()), new Op.Argument.IntValue(shape.ordinal()),
        new Op.Argument.IntValue(repeats), new Op.Argument.IntValue(split), new Op.Argument.IntValue(packed ? 1 : 0),
        new Op.Argument.IntValue(c.site()));
    if (store) {
      store(registers, place, arguments, m, c);
    } else {
      load(registers, place, arguments, m, c);
      reduction.ifPresent(r -> reduce(r, registers.size(), operands.get(1), c));
    }
  }

  private static Optional<TensorReduction> reduction(AccessShape shape, int repeats, Modifiers m) {
    if (!m.take("red")) return Optional.empty();
    if (shape != AccessShape.LANES_32_BITS_32 && !shape.split() || repeats < 2) {
      throw new Unsupported("tcgen05.ld.red takes .32x32b and .16x32bx2 from .x2 on, not ." + shape.text() + ".x"
          + repeats);
    }
    boolean largest = m.take("max");
    if (!largest) m.require("min");
    if (m.take("s32")) return Optional.of(largest ? TensorReduction.MAX_S32 : TensorReduction.MIN_S32);
    if (m.take("u32")) return Optional.of(largest ? TensorReduction.MAX_U32 : TensorReduction.MIN_U32);
    m.require("f32");
    return Optional.of(TensorReduction.ofFloats(largest, m.take("abs"), m.take("NaN")));
  }

  /** Reduces what a thread has just loaded. */
  private static void reduce(TensorReduction reduction, int registers, Operand to, Lowering c) {
    fill(to, c, landing -> c.warp(TensorTransfer.class, "reduce", List.of(), List.of(landing),
        new Op.Argument.IntValue(reduction.ordinal()), new Op.Argument.IntValue(registers),
        new Op.Argument.Lanes(landing)));
  }

  private static void store(List<Operand> registers, Place place, List<Op.Argument> arguments, Modifiers m,
      Lowering c) {
    var values = new ArrayList<Reg>();
    for (var r : registers) values.add(inRegister(r, c));
    together(m, c);
    m.requireNone();
    c.warp(TensorTransfer.class, "store", arguments, new Op.Result.Nothing(), List.of(place.reg()), List.of());
    for (int k = 0; k < values.size(); k++) {
      c.warp(TensorTransfer.class, "store", List.of(values.get(k)), List.of(), new Op.Argument.IntValue(k),
          new Op.Argument.Lanes(values.get(k)));
    }
    c.warp(TensorTransfer.class, "issue", List.of(), List.of());
  }

  /** Registers of 32 bits, float or not, are stored as they are. */
  private static Reg inRegister(Operand operand, Lowering c) {
    var source = c.source(operand);
    return c.inRegister(source,
        source instanceof Source.Register(var reg) && reg.kind == Reg.Kind.FLOAT ? PtxType.F32 : PtxType.B32);
  }

  private static void load(List<Operand> registers, Place place, List<Op.Argument> arguments, Modifiers m,
      Lowering c) {
    together(m, c);
    m.requireNone();
    c.warp(TensorTransfer.class, "load", arguments, new Op.Result.Nothing(), List.of(place.reg()), List.of());
    for (int k = 0; k < registers.size(); k++) {
      int register = k;
      fill(registers.get(k), c, landing -> c.warp(TensorTransfer.class, "load", List.of(), List.of(landing),
          new Op.Argument.IntValue(register), new Op.Argument.Lanes(landing)));
    }
  }

  /** Has a load fill a register, directly where it has 32 bits. */
  private static void fill(Operand register, Lowering c, Consumer<Reg> by) {
    var to = c.destination(register, PtxType.B32);
    boolean direct = (to.kind == Reg.Kind.INT || to.kind == Reg.Kind.FLOAT) && to.type.bits() == Integer.SIZE;
    var landing = direct ? to : c.temp(PtxType.B32);
    if (c.watched()) {
      c.warp(TensorTransfer.class, "filling", List.of(), List.of(to), new Op.Argument.IntValue(to.id),
          new Op.Argument.IntValue(c.site()));
    }
    by.accept(landing);
    if (!direct) c.move(Source.of(landing), to, PtxType.B32);
  }

  private static void copy(Instruction i, Modifiers m, Lowering c) {
    var group = new Op.Argument.IntValue(group(m));
    var multicast = m.takeOne(Set.of("warpx2::02_13", "warpx2::01_23", "warpx4")).orElse("");
    var shape = m.takeFirst(x -> CopyShape.parse(x, multicast))
        .orElseThrow(() -> new Unsupported("tcgen05.cp needs a shape, and the multicast that belongs to it"));
    var decompression = Decompression.NONE;
    if (m.take("b8x16")) {
      decompression = m.take("b4x16_p64") ? Decompression.B4X16_P64 : Decompression.B6X16_P32;
      if (decompression == Decompression.B6X16_P32) m.require("b6x16_p32");
    }
    m.requireNone();
    var operands = c.operands(i, 2);
    var place = Place.of(operands.getFirst(), c);
    var descriptor = c.inRegister(operands.get(1), PtxType.B64);
    c.warp(TensorCopy.class, "copy", List.of(place.reg(), descriptor), List.of(), new Op.Argument.Lanes(place.reg()),
        new Op.Argument.IntValue(place.displacement()), new Op.Argument.Lanes(descriptor),
        new Op.Argument.IntValue(shape.ordinal()), new Op.Argument.IntValue(decompression.ordinal()), group,
        new Op.Argument.IntValue(c.site()));
  }

  private static void shift(Instruction i, Modifiers m, Lowering c) {
    var group = new Op.Argument.IntValue(group(m));
    m.require("down");
    m.requireNone();
    var place = Place.of(c.operands(i, 1).getFirst(), c);
    c.warp(TensorCopy.class, "shift", List.of(place.reg()), List.of(), new Op.Argument.Lanes(place.reg()),
        new Op.Argument.IntValue(place.displacement()), group, new Op.Argument.IntValue(c.site()));
  }

  private static void commit(Instruction i, Modifiers m, Lowering c) {
    var group = new Op.Argument.IntValue(group(m));
    var site = new Op.Argument.IntValue(c.site());
    m.require("mbarrier::arrive::one");
    boolean multicast = m.take("multicast::cluster");
    var window = Addressing.Window.of(m);
    m.require("b64");
    m.requireNone();
    var operands = c.operands(i, multicast ? 2 : 1);
    var place = eitherForm(Addressing.of(operands.getFirst(), window, c));
    if (multicast) {
      var ranks = c.inRegister(operands.get(1), PtxType.B16);
      Addressing.resolve(place, MbarrierLowering.BYTES, Access.PLACE, c);
      c.warp(TensorCommit.class, "multicast", List.of(ranks), List.of(), new Op.Argument.Lanes(ranks), group, site);
    } else {
      Addressing.resolve(place, MbarrierLowering.BYTES, Access.PLACE, c);
      c.warp(TensorCommit.class, "commit", List.of(), List.of(), group, site);
    }
  }
}
