package tilewright.verification.javascript;

import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.Tiler;
import tilewright.layout.coordinate.CoordinateLayout;
import tilewright.layout.decision.UndefinedOperationException;
import tilewright.layout.synthesis.LayoutSynthesis;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.xor.XorLayout;

/** Prints one line a question, the same on the JVM and in JavaScript: the program that the test translates. */
final class Answers {
  private Answers() {}

  /** The arguments are layouts. */
  public static void main(String[] layouts) {
    for (var text : layouts) {
      var layout = Layout.parse(text);
      System.out.println(layout + " = " + layout.coalesce() + ", size " + layout.size() + ", cosize "
          + layout.cosize());
    }
    System.out.println(Layout.parse("(10,2):(16,4)").composition(Layout.parse("(5,4):(1,5)")));
    System.out.println(Layout.parse("(9,(4,8)):(59,(13,1))").logicalDivide(Tiler.parse("[3:3;(2,4):(1,8)]")));
    System.out.println(Layout.parse("(2,2):(4,1)").logicalProduct(Layout.parse("6:1")));
    System.out.println(OffsetMap.parse("Sw<3,4,3>o0o(8,64):(64,1)").apply(77));
    System.out.println(CoordinateLayout.identity(IntTuple.parse("(8,8)")).composition(Layout.parse("(4,2):(16,1)")));
    System.out.println(XorLayout.parse("(8,8):(^1,^9)").trySwizzled().orElseThrow());
    System.out.println(LayoutSynthesis.swizzled(0, 1, 2, 3, 5, 4, 7, 6).orElseThrow());
    try {
      System.out.println(Layout.parse("(2,3):(3,2)").complement(12));
    } catch (UndefinedOperationException e) {
      System.out.println(e.getMessage());
    }
    try {
      System.out.println(Layout.parse("(4,4):(4611686018427387904,1)").cosize());
    } catch (ArithmeticException _) {
      System.out.println("overflow");
    }
  }
}
