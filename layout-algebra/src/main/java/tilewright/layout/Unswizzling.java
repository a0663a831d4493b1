package tilewright.layout;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/** Other forms of a swizzled layout. */
final class Unswizzling {
  private static final long LARGEST_TABLE = 1 << 24;

  private Unswizzling() {}

  /** By the bits where the layout is affine over F2, by its table elsewhere. */
  static Decision<ComposedLayout> of(ComposedLayout map) {
    var operation = map + " without its swizzle";
    if (AffineBits.of(map) instanceof Decision.Defined<AffineBits>(var bits, _)) return bits.layout(operation);
    if (map.size() > LARGEST_TABLE) {
      return Decision.Undefined.of(operation, "a layout whose sums carry has at most 2^24 elements",
          "it has " + map.size());
    }
    long offset = map.size() == 0 ? 0 : map.apply(0);
    return switch (Synthesis.refining(operation, map.shape(), i -> map.apply(i) - offset)) {
      case Decision.Undefined<Layout> undefined -> new Decision.Undefined<>(operation, undefined.condition(),
          undefined.mode(), undefined.numbers() + " relative to " + offset, undefined.witness());
      case Decision.Defined<Layout>(var layout, _) -> {
        var plain = new ComposedLayout(Swizzle.IDENTITY, offset, layout);
        yield new Decision.Defined<>(plain,
            new TableCertificate(plain + "(i) = " + map + "(i)", map.size(), plain::apply, map::apply));
      }
    };
  }

  static Decision<XorLayout> inverse(ComposedLayout map, String operation,
      Function<XorLayout, Decision<XorLayout>> inverse) {
    return switch (xor(map)) {
      case Decision.Undefined<XorLayout> undefined -> undefined.as(operation);
      case Decision.Defined<XorLayout>(var linear, _) -> inverse.apply(linear);
    };
  }

  static Decision<XorLayout> xor(ComposedLayout map) {
    var operation = map + " with XOR strides";
    return switch (AffineBits.of(map)) {
      case Decision.Undefined<AffineBits> undefined -> undefined.as(operation);
      case Decision.Defined<AffineBits>(var bits, _) when bits.constant() != 0 -> new Decision.Undefined<>(operation,
          "index 0 has offset 0", OptionalInt.empty(), "it has " + bits.constant(),
          Optional.of(new Witness(Coordinates.of(0, map.shape()), 0, bits.constant(), 0)));
      case Decision.Defined<AffineBits>(var bits, _) -> {
        var result = XorLayout.of(map.shape(), F2Matrix.of(bits.columns()));
        yield new Decision.Defined<>(result,
            new TableCertificate(result + "(i) = " + map + "(i)", map.size(), result::apply, map::apply));
      }
    };
  }
}
