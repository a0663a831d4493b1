package tilewright.layout.synthesis;

import java.util.Optional;
import java.util.stream.LongStream;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Synthesis;
import tilewright.layout.decision.Decision;
import tilewright.layout.f2.F2Matrix;
import tilewright.layout.f2.Swizzle;
import tilewright.layout.xor.SwizzledSynthesis;

/** The simplest swizzled layout that has a given table of offsets. */
final class SwizzledTables {
  private SwizzledTables() {}

  static Decision<ComposedLayout> of(long... table) {
    var plain = LayoutSynthesis.offsetLayout(table);
    if (plain instanceof Decision.Defined || LongStream.of(table).anyMatch(offset -> offset < 0)) return plain;
    int length = F2Matrix.bitLength(LongStream.of(table).reduce(0, (a, b) -> a | b));
    return SwizzledSynthesis.fewestBits(length, table.length, swizzle -> behind(swizzle, table))
        .map(found -> LayoutSynthesis.behind(found.swizzle(), table)).orElseGet(() -> none(plain));
  }

  private static Decision<ComposedLayout> none(Decision<ComposedLayout> plain) {
    return switch (plain) {
      case Decision.Defined<ComposedLayout> defined -> defined;
      case Decision.Undefined<ComposedLayout> undefined -> new Decision.Undefined<>(
          "swizzle of " + undefined.operation(), "some swizzle of fields below bit 62 leaves an offset and a layout",
          undefined.mode(), "none does, and without one " + undefined.numbers(), undefined.witness());
    };
  }

  private static Optional<ComposedLayout> behind(Swizzle swizzle, long[] table) {
    long offset = swizzle.apply(table[0]);
    return Synthesis.of(table.length, i -> swizzle.apply(table[(int) i]) - offset)
        .map(layout -> new ComposedLayout(swizzle, offset, layout));
  }
}
