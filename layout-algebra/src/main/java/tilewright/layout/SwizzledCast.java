package tilewright.layout;

/** Swizzled layouts over elements of another width. */
final class SwizzledCast {
  private SwizzledCast() {}

  /** Over vectors of n elements: the swizzle, the offset and the layout, each cast. */
  static Decision<ComposedLayout> up(ComposedLayout map, long n) {
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
    return cast(operation, map.layout().tryUpcast(n, Casting.EXACT), swizzle, map.offset() / n);
  }

  /** Over n parts of each element. */
  static Decision<ComposedLayout> down(ComposedLayout map, long n) {
    var swizzle = map.swizzle().downcast(n);
    return cast("downcast<" + n + ">(" + map + ")", map.layout().tryDowncast(n, Casting.EXACT), swizzle,
        Math.multiplyExact(map.offset(), n));
  }

  static Decision<ComposedLayout> of(ComposedLayout map, long fromBits, long toBits) {
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
