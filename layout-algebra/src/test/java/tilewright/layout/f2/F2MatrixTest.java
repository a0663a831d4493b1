package tilewright.layout.f2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import tilewright.layout.Layouts;
import tilewright.layout.decision.Decision;
import tilewright.layout.xor.Unswizzling;
import tilewright.layout.xor.XorLayout;

/** Matrices over F2 against the tables of their maps: all of up to 3 × 3, and random larger ones. */
class F2MatrixTest {

  private static void each(Consumer<F2Matrix> law) {
    for (int rows = 0; rows <= 3; rows++) {
      for (int columns = 0; columns <= 3; columns++) {
        for (long code = 0; code < 1L << rows * columns; code++) {
          var list = new ArrayList<Long>();
          for (int c = 0; c < columns; c++) list.add(code >> c * rows & (1L << rows) - 1);
          law.accept(new F2Matrix(rows, list));
        }
      }
    }
    var random = new Random(5);
    for (int i = 0; i < 300; i++) {
      int rows = random.nextInt(1, 9);
      var list = new ArrayList<Long>();
      for (int c = random.nextInt(9); c > 0; c--) list.add(random.nextLong(1L << rows));
      law.accept(new F2Matrix(rows, list));
    }
  }

  private static long inputs(F2Matrix matrix) {
    return 1L << matrix.columns().size();
  }

  private static Set<Long> span(List<Long> generators) {
    var span = new HashSet<>(Set.of(0L));
    for (long g : generators) new ArrayList<>(span).forEach(x -> span.add(x ^ g));
    return span;
  }

  @Test
  void imageAndKernelAreThoseOfTheTable() {
    each(matrix -> {
      var image = new HashSet<Long>();
      var kernel = new HashSet<Long>();
      for (long x = 0; x < inputs(matrix); x++) {
        image.add(matrix.apply(x));
        if (matrix.apply(x) == 0) kernel.add(x);
      }
      assertEquals(image, span(matrix.image()), matrix.toString());
      assertEquals(kernel, span(matrix.kernel()), matrix.toString());
      assertEquals(image.size(), 1 << matrix.rank());
      assertEquals(image.size(), 1 << matrix.transpose().rank(), "row rank is column rank");
      assertEquals(kernel.size() == 1, matrix.isInjective());
      assertEquals(image.size() == 1 << matrix.rows(), matrix.isSurjective());
      for (long y = 0; y < 1L << matrix.rows(); y++) {
        var x = matrix.solve(y);
        assertEquals(image.contains(y), x.isPresent());
        if (x.isPresent()) assertEquals(y, matrix.apply(x.getAsLong()));
      }
    });
  }

  @Test
  void pseudoInversesSatisfyBothEquations() {
    each(matrix -> {
      var inverse = matrix.pseudoInverse();
      for (long x = 0; x < inputs(matrix); x++) {
        assertEquals(matrix.apply(x), matrix.apply(inverse.apply(matrix.apply(x))), matrix.toString());
      }
      for (long y = 0; y < 1L << matrix.rows(); y++) {
        assertEquals(inverse.apply(y), inverse.apply(matrix.apply(inverse.apply(y))), matrix.toString());
      }
    });
  }

  @Test
  void bijectionsAndOnlyTheseHaveInverses() {
    each(matrix -> {
      boolean bijective = matrix.isInjective() && matrix.isSurjective();
      if (matrix.tryInverse() instanceof Decision.Defined<F2Matrix>(var inverse, var certificate)) {
        assertTrue(bijective && certificate.holds());
        assertEquals(F2Matrix.identity(matrix.rows()), matrix.times(inverse));
        assertEquals(F2Matrix.identity(matrix.rows()), inverse.times(matrix));
      } else {
        assertTrue(!bijective, matrix.toString());
      }
    });
  }

  @Test
  void productsApplyOneAfterTheOther() {
    var outer = F2Matrix.of(5, 3, 6);
    var inner = F2Matrix.of(4, 7, 1, 2);
    for (long x = 0; x < 16; x++) assertEquals(outer.apply(inner.apply(x)), outer.times(inner).apply(x));
    assertThrows(IllegalArgumentException.class, () -> F2Matrix.of(1, 2).times(F2Matrix.of(4)));
    assertThrows(IllegalArgumentException.class, () -> outer.apply(8));
    assertThrows(IllegalArgumentException.class, () -> new F2Matrix(2, List.of(4L)));
  }

  @Test
  void layoutsAreLinearExactlyWhereTheirTablesAre() {
    int[] counts = new int[2];
    Layouts.each(3, 4, 6, layout -> {
      boolean linear = Long.bitCount(layout.size()) == 1;
      for (int i = 0; linear && i < layout.size(); i++) {
        for (int j = 0; j < layout.size(); j++) linear &= layout.apply(i ^ j) == (layout.apply(i) ^ layout.apply(j));
      }
      switch (Unswizzling.xor(layout)) {
        case Decision.Defined<XorLayout>(var xor, var certificate) -> {
          counts[0]++;
          assertTrue(linear && certificate.holds(), layout.toString());
          assertTrue(layout.shape().isCompatibleWith(xor.shape()));
          for (long i = 0; i < layout.size(); i++) assertEquals(layout.apply(i), xor.apply(i), layout + " is " + xor);
          assertEquals(layout.coalesce(), xor.tryLayout().orElseThrow().coalesce());
        }
        case Decision.Undefined<XorLayout> undefined -> {
          counts[1]++;
          assertTrue(!linear, undefined.message());
          undefined.witness().ifPresent(w -> assertEquals(layout.apply(w.index()), w.demanded()));
        }
      }
    });
    assertTrue(counts[0] > 200 && counts[1] > 500, counts[0] + " linear, " + counts[1] + " not");
  }

  @Test
  void theTransposeSwapsRowsAndColumns() {
    each(matrix -> {
      var transpose = matrix.transpose();
      assertEquals(matrix.rows(), transpose.columns().size());
      assertEquals(matrix.columns().size(), transpose.rows());
      for (int r = 0; r < matrix.rows(); r++) {
        for (int c = 0; c < matrix.columns().size(); c++) {
          assertEquals(matrix.columns().get(c) >> r & 1, transpose.columns().get(r) >> c & 1, matrix.toString());
        }
      }
    });
  }
}
