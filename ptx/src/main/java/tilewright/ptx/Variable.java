package tilewright.ptx;

import java.util.List;

/**
 * A variable in memory, at module or function level, or a parameter.
 *
 * @param linkage {@code EXTERN} for dynamic shared memory
 * @param space any space but {@code REG}; registers are {@link Statement.Registers}
 * @param alignment bytes; 0 means the type's own
 * @param vector elements of a vector type ({@code .v2}, {@code .v4}); 1 for a scalar
 * @param dimensions array extents; empty for no array, 0 for an open first extent ({@code []})
 * @param initializer one operand an element, in order; empty when there is none
 */
public record Variable(Linkage linkage, StateSpace space, int alignment, int vector, PtxType type, String name,
    List<Long> dimensions, List<Operand> initializer) implements PtxModule.ModuleItem, Statement {
  public Variable {
    dimensions = List.copyOf(dimensions);
    initializer = List.copyOf(initializer);
  }

  /** A scalar kernel parameter. */
  public static Variable parameter(PtxType type, String name) {
    return new Variable(Linkage.LOCAL, StateSpace.PARAM, 0, 1, type, name, List.of(), List.of());
  }

  /** The dynamic shared memory of a launch: {@code .extern .shared .align A .b8 name[]}. */
  public static Variable dynamicShared(String name, int alignment) {
    return new Variable(Linkage.EXTERN, StateSpace.SHARED, alignment, 1, PtxType.B8, name, List.of(0L), List.of());
  }

  /** A byte array in static shared memory. */
  public static Variable shared(String name, int alignment, long bytes) {
    return new Variable(Linkage.LOCAL, StateSpace.SHARED, alignment, 1, PtxType.B8, name, List.of(bytes), List.of());
  }

  /** Bytes this variable takes; 0 for an open array. */
  public long bytes() {
    return dimensions.stream().reduce((long) type.bytes() * vector, Math::multiplyExact);
  }
}
