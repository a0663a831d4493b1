package tilewright.simulator.tensormap;

import java.util.ArrayList;
import java.util.List;

/**
 * The pixels of im2col mode: from the filter's corner on through the bounding box, row by row and image by image
 * (PTX ISA, im2col mode). Dimensions are C, then W, H, D as many as there are, then N.
 */
final class Im2colTraversal {
  private Im2colTraversal() {}

  static List<BoxRow> pixels(TensorDescriptor d, int[] coordinates, int[] offsets) {
    var rows = new ArrayList<BoxRow>();
    var corner = new long[d.rank()];
    for (int i = 0; i < corner.length; i++) corner[i] = coordinates[i];
    for (int k = 0; k < d.pixels(); k++) {
      var at = corner.clone();
      for (int i = 1; i < d.rank() - 1; i++) at[i] += offsets[i - 1];
      rows.add(BoxTraversal.row(d, at, d.channels(), rows));
      advance(d, corner);
    }
    return rows;
  }

  private static void advance(TensorDescriptor d, long[] corner) {
    for (int i = 1; i < d.rank() - 1; i++) {
      corner[i] += d.elementStrides().get(i);
      if (corner[i] < d.dims().get(i) + d.upperCorner().get(i - 1)) return;
      corner[i] = d.lowerCorner().get(i - 1);
    }
    corner[d.rank() - 1]++;
  }
}
