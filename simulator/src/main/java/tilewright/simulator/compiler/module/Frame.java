package tilewright.simulator.compiler.module;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.ptx.Variable;
import tilewright.simulator.compiler.code.Unsupported;

/**
 * The local memory of a kernel, or of one call of a function that has frames of its own: where its variables lie. A
 * function's results and parameters come first, so that whoever calls it knows their places from its prototype.
 */
public final class Frame {
  public static final int ALIGNMENT = 16;

  private final Map<Variable, Scope.Place> places = new IdentityHashMap<>();
  private final boolean relative;
  private int bytes;

  private Frame(boolean relative) {
    this.relative = relative;
  }

  /** The kernel's frame, at the beginning of local memory. */
  static Frame ofKernel() {
    return new Frame(false);
  }

  /** Where the frame pointer says, beginning with those variables. */
  public static Frame ofCall(List<Variable> results, List<Variable> parameters) {
    var frame = new Frame(true);
    var formals = new ArrayList<>(results);
    formals.addAll(parameters);
    for (var v : formals) frame.allocate(v);
    return frame;
  }

  static int alignment(Variable v) {
    if (v.type() == PtxType.PRED) throw Unsupported.of(v, "predicates are registers only");
    return Math.max(v.alignment(), v.type().bytes() * v.vector());
  }

  void allocate(Variable v) {
    if (v.space() == StateSpace.REG) throw new Unsupported("a register parameter of a function that is not inlined");
    long at = Sizes.aligned(bytes, alignment(v));
    bytes = Sizes.LOCAL.end(v, at);
    places.put(v, new Scope.Place(StateSpace.LOCAL, at, v.bytes(), relative));
  }

  public Optional<Scope.Place> find(Variable v) {
    return Optional.ofNullable(places.get(v));
  }

  public int bytes() {
    return (int) Sizes.aligned(bytes, ALIGNMENT);
  }
}
