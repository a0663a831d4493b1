package tilewright.ptx;

import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * A variable in memory, at module or function level, or a parameter.
 *
 * @param linkage {@code EXTERN} for dynamic shared memory
 * @param space any space but {@code REG}; registers are {@link Statement.Registers}
 * @param alignment bytes; 0 means the type's own
 * @param vector elements of a vector type ({@code .v2}, {@code .v4}); 1 for a scalar
 * @param dimensions array extents; empty for no array, 0 for an open first extent ({@code []})
 * @param initializer one operand an element, in order; empty when there is none
 * @param line where it was read, 0 when it was not; no part of the value
 */
public record Variable(Linkage linkage, StateSpace space, int alignment, int vector, PtxType type, String name,
    List<Long> dimensions, List<Operand> initializer, int line) implements PtxModule.ModuleItem, Statement {
  /** More bytes than any GPU addresses; sums of a few thousand such variables still fit a {@code long}. */
  public static final long MOST_BYTES = 1L << 49;

  /** @throws IllegalArgumentException if it takes more than {@link #MOST_BYTES} */
  public Variable {
    dimensions = List.copyOf(dimensions);
    initializer = List.copyOf(initializer);
    if (elements(type, vector, dimensions).isEmpty()) {
      throw new IllegalArgumentException("variable " + name + " of " + dimensions + " elements takes more than "
          + MOST_BYTES + " bytes");
    }
  }

  public Variable(Linkage linkage, StateSpace space, int alignment, int vector, PtxType type, String name,
      List<Long> dimensions, List<Operand> initializer) {
    this(linkage, space, alignment, vector, type, name, dimensions, initializer, 0);
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

  /** Bytes this variable takes; 0 for an open array that no first values close. */
  public long bytes() {
    return elements() * type.bytes();
  }

  /** Scalars in it; an open first extent is as large as the first values need. */
  public long elements() {
    long row = elements(type, vector, dimensions).orElseThrow();
    return isOpen() ? Math.ceilDiv((long) initializer.size(), Math.max(1, row)) * row : row;
  }

  /** Whether the first extent is left open. */
  public boolean isOpen() {
    return !dimensions.isEmpty() && dimensions.getFirst() == 0;
  }

  /** The scalars of an array, or of one row if its first extent is open; nothing if their bytes are too many. */
  static OptionalLong elements(PtxType type, int vector, List<Long> dimensions) {
    long elements = vector;
    for (int i = 0; i < dimensions.size(); i++) {
      long extent = dimensions.get(i);
      if (i == 0 && extent == 0) continue;
      if (extent > MOST_BYTES / Math.max(1, type.bytes()) / elements) return OptionalLong.empty();
      elements *= extent;
    }
    return OptionalLong.of(elements);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Variable v && linkage == v.linkage && space == v.space && alignment == v.alignment
        && vector == v.vector && type == v.type && name.equals(v.name) && dimensions.equals(v.dimensions)
        && initializer.equals(v.initializer);
  }

  @Override
  public int hashCode() {
    return Objects.hash(linkage, space, alignment, vector, type, name, dimensions, initializer);
  }
}
