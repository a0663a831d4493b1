package tilewright.layout.xor;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.Synthesis;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.TableCertificate;
import tilewright.layout.decision.Witness;
import tilewright.layout.f2.F2Matrix;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.tuple.Coordinates;

/** Other forms of a swizzled layout. */
public final class Unswizzling {
  private static final long LARGEST_TABLE = 1 << 24;

  private Unswizzling() {}

  /**
   * The offsets without a swizzle: an offset and a layout, refining the map's shape, behind the identity. The bits
   * decide where the map is affine over F2, its table elsewhere.
   */
  public static Decision<ComposedLayout> of(ComposedLayout map) {
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

  /** The longest R with map(R(i)) = i, where sums have no carry. */
  public static Decision<XorLayout> rightInverse(ComposedLayout map) {
    return inverse(map, "right inverse of " + map, XorLayout::tryRightInverse);
  }

  /** L with L(map(i)) = i, where sums have no carry. */
  public static Decision<XorLayout> leftInverse(ComposedLayout map) {
    return inverse(map, "left inverse of " + map, XorLayout::tryLeftInverse);
  }

  private static Decision<XorLayout> inverse(ComposedLayout map, String operation,
      Function<XorLayout, Decision<XorLayout>> inverse) {
    return switch (xor(map)) {
      case Decision.Undefined<XorLayout> undefined -> undefined.as(operation);
      case Decision.Defined<XorLayout>(var linear, _) -> inverse.apply(linear);
    };
  }

  /** The offsets with XOR strides: where extents are powers of two and sums have no carry. */
  public static Decision<XorLayout> xor(Layout layout) {
    return xor(new ComposedLayout(Swizzle.IDENTITY, 0, layout));
  }

  /** The offsets with XOR strides, refining the map's shape. */
  public static Decision<XorLayout> xor(ComposedLayout map) {
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
