package tilewright.simulator.compiler.lowering;

import java.util.List;
import java.util.Optional;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.simulator.compiler.code.Op;
import tilewright.simulator.compiler.code.Reg;
import tilewright.simulator.compiler.code.Source;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.compiler.module.Scope;
import tilewright.simulator.memory.Memory;

/** Address operands: which register holds the address, what is added to it, and which check it goes through. */
public final class Addressing {
  private Addressing() {}

  /** An address in registers. */
  public record Place(Reg reg, long displacement, String check) {}

  /**
   * Where an address may point.
   *
   * @param space empty for a generic address
   * @param cluster whether {@code .shared} means that of all CTAs of the cluster
   */
  public record Window(Optional<StateSpace> space, boolean cluster) {
    /** Shared memory of the CTA itself. */
    public static final Window SHARED = new Window(Optional.of(StateSpace.SHARED), false);
    /** Shared memory of the cluster. */
    public static final Window CLUSTER = new Window(Optional.of(StateSpace.SHARED), true);
    public static final Window GENERIC = new Window(Optional.empty(), false);

    /** Takes a state space from the modifiers. */
    public static Window of(Modifiers m) {
      return m.take("shared::cluster") ? CLUSTER : new Window(Addressing.space(m), false);
    }

    private String check() {
      return cluster ? "cluster" : space.map(s -> switch (s) {
        case SHARED -> "shared";
        case LOCAL -> "local";
        case PARAM -> "parameter";
        default -> "global";
      }).orElse("generic");
    }
  }

  /** Takes a state space from the modifiers; empty means a generic address. */
  public static Optional<StateSpace> space(Modifiers m) {
    for (var space : List.of(StateSpace.GLOBAL, StateSpace.SHARED, StateSpace.LOCAL, StateSpace.PARAM,
        StateSpace.CONST)) {
      if (m.take(space.text())) return Optional.of(space);
    }
    if (m.take("shared::cta") || m.take("shared::cluster")) return Optional.of(StateSpace.SHARED);
    if (m.take("param::entry") || m.take("param::func")) return Optional.of(StateSpace.PARAM);
    return Optional.empty();
  }

  public static Place of(Operand operand, Optional<StateSpace> space, Lowering c) {
    return of(operand, new Window(space, false), c);
  }

  public static Place of(Operand operand, Window window, Lowering c) {
    if (!(operand instanceof Operand.Address(var base, long offset, var coordinates)) || !coordinates.isEmpty()) {
      throw new Unsupported("operand " + operand.text() + " is not an address");
    }
    if (base instanceof Operand.Symbol(var name) && !c.scope().hasRegister(name)) {
      return ofSymbol(c.place(name), offset, window, c);
    }
    var source = c.source(base);
    boolean narrow = source instanceof Source.Register(var reg) && reg.kind == Reg.Kind.INT;
    if (window.space().equals(Optional.of(StateSpace.SHARED)) && narrow) {
      return new Place(c.inRegister(source, PtxType.B32), offset, window.check());
    }
    return new Place(narrow ? widened(source, c) : c.inRegister(source, PtxType.B64), offset, window.check());
  }

  private static Reg widened(Source source, Lowering c) {
    var wide = c.temp(PtxType.U64);
    c.move(source, wide, PtxType.U32);
    return wide;
  }

  private static Place ofSymbol(Scope.Place place, long offset, Window window, Lowering c) {
    long base = window.space().isEmpty() ? Lowering.window(place.space()) : 0;
    // What .param names may be a kernel's parameter or a call's, which is local to the thread.
    var check = new Window(window.space().map(_ -> place.space()), window.cluster()).check();
    if (place.inFrame()) return new Place(c.framePointer(), place.address() + base + offset, check);
    var address = place.space() == StateSpace.SHARED ? new Source.Shared(place.address() + base)
        : Source.of(place.address() + base);
    return new Place(c.inRegister(address, PtxType.B64), offset, check);
  }

  /** Emits the check of one access, which leaves the places in the warp. */
  public static void resolve(Place place, int bytes, int access, Lowering c) {
    c.warp(Memory.class, place.check(), List.of(place.reg()), List.of(), new Op.Argument.Lanes(place.reg()),
        new Op.Argument.LongValue(place.displacement()), new Op.Argument.IntValue(bytes),
        new Op.Argument.IntValue(access), new Op.Argument.IntValue(c.site()));
  }
}
