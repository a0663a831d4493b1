package tilewright.layout.expression;

import tilewright.layout.CoordinateLayout;
import tilewright.layout.IntTuple;
import tilewright.layout.OffsetMap;
import tilewright.layout.Swizzle;
import tilewright.layout.XorLayout;
import tilewright.layout.morphism.TupleMorphism;

/** Values made of what operations return. */
final class Results {
  private Results() {}

  static Value of(OffsetMap map) {
    return new Value.Mapping(map);
  }

  static Value of(CoordinateLayout map) {
    return new Value.CoordinateMapping(map);
  }

  static Value of(XorLayout map) {
    return new Value.XorMapping(map);
  }

  static Value of(TupleMorphism morphism) {
    return new Value.Morphism(morphism);
  }

  static Value of(Swizzle swizzle) {
    return new Value.Swizzling(swizzle);
  }

  static Value of(IntTuple tuple) {
    return new Value.Integers(tuple);
  }

  static Value of(long value) {
    return of(IntTuple.of(value));
  }

  static Value of(boolean holds) {
    return new Value.Truth(holds);
  }
}
