package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.layout.decision.Decision;
import tilewright.layout.tuple.IntTuple;

/** Blocks repeated to a shape: coordinate c of mode i is element c mod block of copy c div block. */
class TileToShapeTest {

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      (2,3):(3,1) | (4,9)
      (2,3):(1,2) | (2,3)
      (4):(1)     | (8,3)
      (2,2):(1,2) | (4,2,3)
      """)
  void withoutAnOrderTheFirstModeOfTheCopiesCountsFastest(String text, String target) {
    var block = Layout.parse(text);
    var shape = IntTuple.parse(target);
    var tiled = Product.tileToShape(block, shape).orElseThrow();
    assertEquals(shape.rank(), tiled.rank());
    for (long i = 0; i < shape.size(); i++) {
      long rest = i;
      long copy = 0;
      long copies = 1;
      long element = 0;
      long elements = 1;
      for (int mode = 0; mode < shape.rank(); mode++) {
        long extent = shape.mode(mode).size();
        long width = mode < block.rank() ? block.mode(mode).size() : 1;
        copy += rest % extent / width * copies;
        element += rest % extent % width * elements;
        copies *= extent / width;
        elements *= width;
        rest /= extent;
      }
      assertEquals(copy * block.size() + block.apply(element), tiled.apply(i), text + " to " + target + " at " + i);
    }
  }

  @Test
  void whatDoesNotDivideTheTargetIsRefusedByMode() {
    refused("(2,3):(1,2)", "(4,8)", "mode 1: 3 does not divide 8");
    refused("(2,0):(1,2)", "(4,8)", "mode 1: 0 does not divide 8");
    refused("(2,3):(1,2)", "(4)", "mode 1: 3 does not divide 1");
  }

  private static void refused(String block, String target, String reason) {
    var decision = Product.tileToShape(Layout.parse(block), IntTuple.parse(target));
    var refused = assertInstanceOf(Decision.Undefined.class, decision);
    assertTrue(refused.message().contains(reason), refused.message());
  }

  @Test
  void anEmptyBlockHasNoProductAndAnEmptyLayoutNoTiles() {
    var product = Product.logical(Layout.parse("(2,0):(1,2)"), Layout.of(2, 1));
    assertTrue(assertInstanceOf(Decision.Undefined.class, product).message().contains("its shape is (2,0)"));
    var division = Division.logical(Layout.parse("(2,0):(1,2)"), Layout.of(2, 1));
    assertTrue(assertInstanceOf(Decision.Undefined.class, division).message().contains("its shape is (2,0)"));
  }
}
