package tilewright.simulator.compiler;

import java.util.List;
import java.util.Optional;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.simulator.core.Memory;

/** Address operands: which register holds the address, what is added to it, and which check it goes through. */
final class Addressing {
  private Addressing() {}

  /** An address in registers. */
  record Place(Reg reg, long displacement, String check) {}

  /** Takes a state space from the modifiers; empty means a generic address. */
  static Optional<StateSpace> space(Modifiers m) {
    for (var space : List.of(StateSpace.GLOBAL, StateSpace.SHARED, StateSpace.LOCAL, StateSpace.PARAM,
        StateSpace.CONST)) {
      if (m.take(space.text())) return Optional.of(space);
    }
    if (m.take("shared::cta") || m.take("shared::cluster")) return Optional.of(StateSpace.SHARED);
    if (m.take("param::entry") || m.take("param::func")) return Optional.of(StateSpace.PARAM);
    return Optional.empty();
  }

  static Place of(Operand operand, Optional<StateSpace> space, Lowering c) {
    if (!(operand instanceof Operand.Address(var base, long offset, var coordinates)) || !coordinates.isEmpty()) {
      throw new Unsupported("operand " + operand + " is not an address");
    }
    if (base instanceof Operand.Symbol(var name) && !c.scope().hasRegister(name)) {
      return ofSymbol(c.place(name), offset, space, c);
    }
    var source = c.source(base);
    boolean narrow = source instanceof Source.Register(var reg) && reg.kind == Reg.Kind.INT;
    if (space.equals(Optional.of(StateSpace.SHARED)) && narrow) {
      return new Place(c.inRegister(source, PtxType.B32), offset, "shared");
    }
    return new Place(narrow ? widened(source, c) : c.inRegister(source, PtxType.B64), offset, check(space));
  }

  private static Reg widened(Source source, Lowering c) {
    var wide = c.temp(PtxType.U64);
    c.move(source, wide, PtxType.U32);
    return wide;
  }

  private static Place ofSymbol(Scope.Place place, long offset, Optional<StateSpace> space, Lowering c) {
    long window = space.isEmpty() ? Lowering.window(place.space()) : 0;
    if (place.inFrame()) {
      return new Place(c.framePointer(), place.address() + window + offset, check(space.map(_ -> place.space())));
    }
    var reg = c.inRegister(Source.of(place.address() + window), PtxType.B64);
    // What .param names may be a kernel's parameter or a call's, which is local to the thread.
    return new Place(reg, offset, check(space.map(_ -> place.space())));
  }

  private static String check(Optional<StateSpace> space) {
    return space.map(s -> switch (s) {
      case SHARED -> "shared";
      case LOCAL -> "local";
      case PARAM -> "parameter";
      default -> "global";
    }).orElse("generic");
  }

  /** Emits the check of one access, which leaves the places in the warp. */
  static void resolve(Place place, int bytes, int access, Lowering c) {
    c.warp(Memory.class, place.check(), List.of(place.reg()), List.of(), new Op.Argument.Lanes(place.reg()),
        new Op.Argument.LongValue(place.displacement()), new Op.Argument.IntValue(bytes),
        new Op.Argument.IntValue(access), new Op.Argument.IntValue(c.site()));
  }
}
