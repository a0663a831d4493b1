package tilewright.simulator.tensormap;

import java.util.ArrayList;
import java.util.List;

/**
 * The pixels of im2col::w and im2col::w::128 modes: along W within the bounding box and then through the next image, H
 * and D as they are; the halo goes on along W, out of the bounding box (PTX ISA, im2col::w and im2col::w::128 modes).
 */
final class WidthTraversal {
  private static final int GROUP = 32;
  private static final int GROUPS = 4;

  private final TensorDescriptor d;
  private final int offset;
  private final long[] at;
  private final List<BoxRow> rows = new ArrayList<>();

  private WidthTraversal(TensorDescriptor d, int[] coordinates, int offset) {
    this.d = d;
    this.offset = offset;
    at = new long[d.rank()];
    for (int i = 0; i < at.length; i++) at[i] = coordinates[i];
    at[1] += offset;
  }

  /** The rows of so many pixels, and of the halo behind the last. */
  static List<BoxRow> pixels(TensorDescriptor d, int[] coordinates, int halo, int offset, int pixels) {
    var walk = new WidthTraversal(d, coordinates, offset);
    walk.group(pixels, halo);
    return walk.rows;
  }

  /** 128 pixels, with a halo behind every 32. */
  static List<BoxRow> groups(TensorDescriptor d, int[] coordinates, int halo, int offset) {
    var walk = new WidthTraversal(d, coordinates, offset);
    for (int k = 0; k < GROUPS; k++) walk.group(GROUP, halo);
    return walk.rows;
  }

  private void group(int pixels, int halo) {
    int step = d.elementStrides().get(1);
    long w = at[1];
    for (int k = 0; k < pixels; k++) {
      w = at[1];
      load(w);
      at[1] += step;
      if (at[1] >= d.dims().get(1) + d.upperCorner().getFirst() + offset) {
        at[1] = d.lowerCorner().getFirst() + offset;
        at[d.rank() - 1]++;
      }
    }
    // The halo belongs to the image of the last pixel, though the walk may be in the next one already.
    long image = at[d.rank() - 1];
    if (at[1] <= w) at[d.rank() - 1]--;
    for (int k = 1; k <= halo; k++) load(w + (long) k * step);
    at[d.rank() - 1] = image;
  }

  private void load(long w) {
    var place = at.clone();
    place[1] = w;
    rows.add(BoxTraversal.row(d, place, d.channels(), rows));
  }
}
