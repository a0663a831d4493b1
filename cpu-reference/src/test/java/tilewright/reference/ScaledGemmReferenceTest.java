package tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

class ScaledGemmReferenceTest {
  private static TensorView tensor(ElementType type, String text, double value) {
    var layout = Layout.parse(text);
    var view = new TensorView(type, MemorySegment.ofArray(new byte[(int) layout.cosize() * type.bytes()]), layout);
    for (long i = 0; i < view.size(); i++) view.set(i, value);
    return view;
  }

  /** 256 ones in two blocks of k: 128·(2·3) + 128·(5·7), and for the second 128 rows of B other scales. */
  @Test
  void everyBlockHasItsScales() {
    var a = tensor(ElementType.E4M3, "(1,256,1):(256,1,256)", 1);
    var b = tensor(ElementType.E4M3, "(130,256,1):(256,1,33280)", 1);
    var c = tensor(ElementType.F32, "(1,130,1):(130,1,130)", 0);
    var scalesA = tensor(ElementType.F32, "(1,2,1):(2,1,2)", 2);
    scalesA.set(1, 5);
    var scalesB = tensor(ElementType.F32, "(2,2,1):(2,1,4)", 3);
    scalesB.set(2, 7);
    scalesB.set(1, 0.5);
    scalesB.set(3, 0);
    var reference = new ScaledGemmReference(new GemmReference(a, b, c, 1, 0), scalesA, scalesB);
    for (var results : new double[][] {reference.exact(new int[] {0}), reference.onWarpgroups(new int[] {0})}) {
      assertEquals(128 * 6 + 128 * 35, results[127]);
      assertEquals(128, results[128]);
    }
  }
}
