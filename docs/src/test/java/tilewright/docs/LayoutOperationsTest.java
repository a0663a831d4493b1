package tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tilewright.layout.Layout;
import tilewright.layout.expression.Expression;

/** The laws on the page of layout operations, on its examples, one element after the other. */
class LayoutOperationsTest {
  private static Layout result(String example) {
    return Layout.parse(Expression.parse(example).evaluate().toString());
  }

  private static Layout operand(String example, int index) {
    return Layout.parse(LayoutOperations.operands(example).get(index));
  }

  private static void equal(long size, LongUnaryOperator one, LongUnaryOperator other) {
    for (long i = 0; i < size; i++) assertEquals(one.applyAsLong(i), other.applyAsLong(i), "at " + i);
  }

  /** The offsets of a layout are exactly these, none twice. */
  private static void tiles(Layout both, LongStream expected) {
    var offsets = new HashSet<Long>();
    for (long i = 0; i < both.size(); i++) assertTrue(offsets.add(both.apply(i)), "offset twice");
    assertEquals(new HashSet<>(expected.boxed().toList()), offsets);
  }

  @Test
  void lawsHoldOnTheExamples() {
    for (var entry : LayoutOperations.ENTRIES) {
      var example = entry.example();
      var r = result(example);
      switch (entry.name()) {
        case "coalesce" -> {
          equal(r.size(), r::apply, operand(example, 0)::apply);
          assertTrue(r.rank() < operand(example, 0).flatShape().length);
        }
        case "composition" -> {
          var a = operand(example, 0);
          var b = operand(example, 1);
          assertEquals(b.size(), r.size());
          equal(b.size(), r::apply, i -> a.apply(b.apply(i)));
        }
        case "complement" -> tiles(Layout.of(operand(example, 0), r), LongStream.range(0, 24));
        case "right_inverse" -> equal(r.size(), i -> operand(example, 0).apply(r.apply(i)), i -> i);
        case "left_inverse" -> {
          var a = operand(example, 0);
          equal(a.size(), i -> r.apply(a.apply(i)), i -> i);
        }
        case "max_common_layout" -> {
          equal(r.size(), i -> operand(example, 0).apply(r.apply(i)), i -> i);
          equal(r.size(), i -> operand(example, 1).apply(r.apply(i)), i -> i);
        }
        case "logical_divide" -> {
          // Rows 0 to 3, and columns 0 and 8, of a row-major matrix of 8 by 16.
          equal(8, r.mode(0)::apply, i -> 16 * i);
          equal(16, r.mode(1)::apply, i -> 8 * (i % 2) + i / 2);
        }
        case "zipped_divide" -> {
          equal(8, r.mode(0)::apply, i -> 16 * (i % 4) + i / 4);
          equal(16, r.mode(1)::apply, i -> 64 * (i % 2) + 2 * (i / 2));
        }
        case "logical_product" -> {
          equal(4, r.mode(0)::apply, operand(example, 0)::apply);
          tiles(r, LongStream.range(0, 24));
        }
        case "blocked_product" -> equal(48, r::apply, i -> product(i % 6 % 2, i / 6 % 4, i % 6 / 2, i / 6 / 4));
        case "raked_product" -> equal(48, r::apply, i -> product(i % 6 / 3, i / 6 / 2, i % 6 % 3, i / 6 % 2));
        case "tile_to_shape" -> equal(24, r::apply,
            i -> 2 * (i % 2) + i / 4 % 2 + 4 * (i % 4 / 2 + 2 * (i / 4 / 2)));
        case "upcast" -> equal(8, r::apply, i -> (8 * (i % 4) + 4 * (i / 4)) / 4);
        case "downcast" -> equal(64, r::apply, i -> 2 * 8 * (i % 4) + i / 4);
        default -> throw new AssertionError("no law is checked for " + entry.name());
      }
    }
  }

  /** A block (2,4):(4,1) of eight offsets at (a, b), in the copy that (3,2):(2,1) numbers at (c, d). */
  private static long product(long a, long b, long c, long d) {
    return 4 * a + b + 8 * (2 * c + d);
  }

  @Test
  void aCounterExampleIsRefusedAndAnEdgeCaseIsNot() {
    for (var entry : LayoutOperations.ENTRIES) {
      assertEquals(entry.partial(), LayoutOperations.counter(entry).startsWith("refused: "), entry.name());
    }
  }
}
