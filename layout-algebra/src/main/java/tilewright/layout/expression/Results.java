package tilewright.layout.expression;

import tilewright.layout.OffsetMap;
import tilewright.layout.coordinate.CoordinateLayout;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.morphism.TupleMorphism;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.xor.XorLayout;

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
