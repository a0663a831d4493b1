package tilewright.layout.xor;

import tilewright.layout.Casting;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.Recast;
import tilewright.layout.decision.Decision;
import tilewright.layout.f2.Swizzle;

/** Swizzled layouts over elements of another width. */
public final class SwizzledCast {
  private SwizzledCast() {}

  /**
   * The swizzled layout over vectors of n elements, n a power of two: CuTe's {@code upcast<n>}, which casts the
   * swizzle, the offset and the layout. Undefined where the offset lies within a vector or the swizzle would take a
   * vector's elements apart.
   */
  public static Decision<ComposedLayout> up(ComposedLayout map, long n) {
    var operation = "upcast<" + n + ">(" + map + ")";
    var swizzle = map.swizzle().upcast(n);
    if (map.offset() % n != 0) {
      return Decision.Undefined.of(operation, "the offset begins a vector", map.offset() + " is no multiple of " + n);
    }
    long readInVector = map.swizzle().readMask() & n - 1;
    if (map.swizzle().shift() < 0 && readInVector != 0 && map.swizzle().writtenMask() >= n) {
      return Decision.Undefined.of(operation, "the swizzle moves a vector's elements alike",
          "it reads the bits of " + readInVector + " within a vector");
    }
    return cast(operation, Recast.up(map.layout(), n, Casting.EXACT), swizzle, map.offset() / n);
  }

  /** The swizzled layout over n parts of each element, n a power of two: CuTe's {@code downcast<n>}. */
  public static Decision<ComposedLayout> down(ComposedLayout map, long n) {
    var swizzle = map.swizzle().downcast(n);
    return cast("downcast<" + n + ">(" + map + ")", Recast.down(map.layout(), n, Casting.EXACT), swizzle,
        Math.multiplyExact(map.offset(), n));
  }

  /** The layout over elements of {@code toBits} instead of {@code fromBits} bits; one is 2^k times the other. */
  public static Decision<ComposedLayout> of(ComposedLayout map, long fromBits, long toBits) {
    if (fromBits > 0 && toBits % fromBits == 0) return up(map, toBits / fromBits);
    if (toBits > 0 && fromBits % toBits == 0) return down(map, fromBits / toBits);
    throw new IllegalArgumentException("recast<" + fromBits + "," + toBits + ">(" + map
        + "): one width is a power of two times the other");
  }

  private static Decision<ComposedLayout> cast(String operation, Decision<Layout> layout, Swizzle swizzle,
      long offset) {
    return switch (layout) {
      case Decision.Undefined<Layout> undefined -> undefined.as(operation);
      case Decision.Defined<Layout>(var cast, var certificate) ->
          new Decision.Defined<>(new ComposedLayout(swizzle, offset, cast), certificate);
    };
  }
}
