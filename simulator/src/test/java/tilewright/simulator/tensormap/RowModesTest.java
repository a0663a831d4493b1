package tilewright.simulator.tensormap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorView;
import tilewright.ptx.tensormap.WideMode;

/** Modes that no GPU here can run: four rows of a matrix, and pixels along W. */
class RowModesTest {
  private static final long ROW = 128;
  private static final int OUTSIDE = -1;
  private static final TensorView MATRIX = TensorView.of(TensorElement.U16, List.of(64L, 10L), List.of(ROW));
  /** W 9, H 7, N 4 of one row of 64 bytes a pixel. */
  private static final TensorView IMAGES = TensorView.of(TensorElement.U8, List.of(64L, 9L, 7L, 4L),
      List.of(64L, 9 * 64L, 7 * 9 * 64L)).withSwizzle(SwizzleMode.B64);

  @Test
  void fourRowsAreFourBoxesOfOneRow() {
    var d = TensorDescriptor.of(new TensorMap.Tiled(MATRIX, List.of(32, 1)), 0);
    int[] rows = {2, 5, 0, 12};
    var four = BoxTraversal.rows(d, LoadMode.GATHER4, new int[] {8, 2, 5, 0, 12}, new int[0]);
    for (int k = 0; k < 4; k++) {
      var one = BoxTraversal.rows(d, LoadMode.TILE, new int[] {8, rows[k]}, new int[0]).getFirst();
      assertEquals(new BoxRow(64 * k, one.bytes(), one.first(), one.inside(), one.global()), four.get(k));
    }
    assertEquals(four, BoxTraversal.rows(d, LoadMode.SCATTER4, new int[] {8, 2, 5, 0, 12}, new int[0]));
  }

  /** The pixel of each row by number, W first; {@link #OUTSIDE} outside the tensor. */
  private static List<Long> pixels(TensorView view, int lower, int upper, int pixels, WideMode mode, int w, int halo,
      int offset) {
    var map = new TensorMap.Im2colWide(view, lower, upper, 64, pixels, mode);
    var load = mode == WideMode.W ? LoadMode.IM2COL_W : LoadMode.IM2COL_W128;
    return BoxTraversal.rows(TensorDescriptor.of(map, 0), load, new int[] {0, w, 3, 0}, new int[] {halo, offset})
        .stream().map(row -> row.inside() == 0 ? OUTSIDE : row.global() / 64).toList();
  }

  private static long pixel(int w, int image) {
    return w + 9 * (3 + 7 * image);
  }

  @Test
  void pixelsGoOnInTheSameRowOfTheNextImageAndTheHaloBehindTheLast() {
    var expected = new ArrayList<Long>();
    for (int w = 2; w < 9; w++) expected.add(pixel(w, 0));
    for (int w = 0; w < 4; w++) expected.add(pixel(w, 1));
    expected.add(pixel(4, 1));
    expected.add(pixel(5, 1));
    assertEquals(expected, pixels(IMAGES, 0, 0, 11, WideMode.W, 2, 2, 0));
  }

  @Test
  void theHaloLeavesTheBoundingBoxButStaysInTheImage() {
    var expected = List.of(pixel(5, 0), pixel(6, 0), pixel(7, 0), pixel(8, 0), (long) OUTSIDE);
    assertEquals(expected, pixels(IMAGES, 0, -2, 2, WideMode.W, 5, 3, 0));
  }

  @Test
  void theOffsetMovesTheBoundingBoxAndTheFirstPixel() {
    // PTX ISA, wOffset, second example: a step of 3 and three buffers that together take every pixel.
    var view = TensorView.of(TensorElement.U8, List.of(64L, 7L, 7L, 4L), List.of(64L, 7 * 64L, 49 * 64L))
        .withSwizzle(SwizzleMode.B64).withElementStrides(List.of(1, 3, 1, 1));
    for (int offset = 0; offset < 3; offset++) {
      int first = offset - 1;
      var expected = new ArrayList<Long>();
      for (int image = 0; image < 2; image++) {
        for (int w = first; w < 6 + offset; w += 3) {
          expected.add(w < 0 || w >= 7 ? OUTSIDE : (long) w + 7 * (3 + 7 * image));
        }
      }
      assertEquals(expected, pixels(view, -1, -1, expected.size(), WideMode.W, -1, 0, offset), "offset " + offset);
    }
  }

  @Test
  void theWideModeTakesFourGroupsOf32PixelsWithAHaloEach() {
    var view = TensorView.of(TensorElement.U8, List.of(64L, 300L, 4L, 2L), List.of(64L, 300 * 64L, 1200 * 64L))
        .withSwizzle(SwizzleMode.B64);
    var expected = new ArrayList<Long>();
    for (int group = 0; group < 4; group++) {
      int begin = 10 + 32 * group;
      IntStream.range(begin, begin + 34).forEach(w -> expected.add(w + 300L * 3));
    }
    assertEquals(expected, pixels(view, 0, 0, 1, WideMode.W128, 10, 2, 0));
  }
}
