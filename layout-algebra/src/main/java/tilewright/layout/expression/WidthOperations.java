package tilewright.layout.expression;

import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import tilewright.layout.Coalesce;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Distribution;
import tilewright.layout.Image;
import tilewright.layout.Layout;
import tilewright.layout.synthesis.LayoutSum;
import tilewright.layout.synthesis.ThreadValueLayout;
import tilewright.layout.xor.SwizzledCast;

/** Element widths, threads and values, and what a layout is as a function. */
final class WidthOperations {
  static final List<Operation> LIST = List.of(
      new Operation("upcast", "layout, n", "over vectors of n elements: upcast<4>(L)", WidthOperations::upcast),
      new Operation("downcast", "layout, n", "over n parts of each element", WidthOperations::downcast),
      new Operation("recast", "layout, from, to", "over elements of another width, both in bits: recast<16,8>(L)",
          WidthOperations::recast),
      new Operation("max_alignment", "layout", "the greatest n for which offsets are made of aligned runs of n",
          o -> Results.of(Distribution.alignment(o.layout(0)))),
      new Operation("domain_distribute", "shape, n", "at most n indices of the shape, spread from its first mode on",
          o -> Results.of(Distribution.of(o.shape(0), o.integer(1)))),
      new Operation("make_layout_tv", "threads, values", "a tile's extents, and (thread, value) ↦ index in the tile",
          WidthOperations::threadValue),
      new Operation("plus", "a, b", "the sum of both functions", o ->
          Results.of(LayoutSum.of(o.layout(0), o.layout(1)).orElseThrow())),
      predicate("is_injective", "whether no two indices have one offset", Layout::isInjective),
      new Operation("is_surjective", "layout, n", "whether each of 0…n−1 is the offset of an index",
          o -> Results.of(o.layout(0).isSurjectiveOnto(o.integer(1)))),
      predicate("is_bijective", "whether each of 0…size−1 is the offset of one index", Layout::isBijective),
      predicate("is_compact", "whether the offsets are 0…cosize−1 without gaps", Layout::isCompact),
      relation("same_function", "whether both map each index below one size alike", Layout::isSameFunction),
      relation("same_extended_function", "whether both map each index alike, those beyond the size, too",
          Coalesce::isSameExtended),
      relation("same_image", "whether both have the same set of offsets",
          (a, b) -> Image.of(a).isSameSet(Image.of(b))));

  private WidthOperations() {}

  private static Value upcast(Operands o) {
    return switch (o.value(0)) {
      case Value.Swizzling(var swizzle) -> Results.of(swizzle.upcast(o.integer(1)));
      case Value.Mapping(ComposedLayout composed) -> Results.of(SwizzledCast.up(composed, o.integer(1)).orElseThrow());
      default -> Results.of(o.layout(0).upcast(o.integer(1)));
    };
  }

  private static Value downcast(Operands o) {
    return switch (o.value(0)) {
      case Value.Swizzling(var swizzle) -> Results.of(swizzle.downcast(o.integer(1)));
      case Value.Mapping(ComposedLayout composed) ->
          Results.of(SwizzledCast.down(composed, o.integer(1)).orElseThrow());
      default -> Results.of(o.layout(0).downcast(o.integer(1)));
    };
  }

  private static Value recast(Operands o) {
    long from = o.integer(1);
    long to = o.integer(2);
    return switch (o.value(0)) {
      case Value.Swizzling(var swizzle) -> Results.of(swizzle.recast(from, to));
      case Value.Mapping(ComposedLayout composed) -> Results.of(SwizzledCast.of(composed, from, to).orElseThrow());
      default -> Results.of(o.layout(0).recast(from, to));
    };
  }

  private static Value threadValue(Operands o) {
    var result = ThreadValueLayout.of(o.layout(0), o.layout(1)).orElseThrow();
    return new Value.Sequence(List.of(Results.of(result.tiler()), Results.of(result.layout())));
  }

  private static Operation predicate(String name, String description, Predicate<Layout> rule) {
    return new Operation(name, "layout", description, o -> Results.of(rule.test(o.layout(0))));
  }

  private static Operation relation(String name, String description, BiPredicate<Layout, Layout> rule) {
    return new Operation(name, "a, b", description, o -> Results.of(rule.test(o.layout(0), o.layout(1))));
  }
}
