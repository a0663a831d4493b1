package tilewright.simulator.tensormap;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import tilewright.ptx.tensormap.OutOfBoundsFill;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;

/**
 * What tensor copies do, element by element and bit by bit (PTX ISA, Tensors): slow, and without anything of the
 * implementation.
 */
final class TmaDefinition {
  private final TmaCase c;
  /** Whether of a tensor that ends within sixteen bytes all of them are taken, as stores do it. */
  private boolean stores;

  TmaDefinition(TmaCase c) {
    this.c = c;
  }

  /** One element: where it is in the tensor, or outside of it. */
  interface Visitor {
    void visit(long globalBit, boolean inside, long sharedBit);
  }

  /** Visits all elements of a copy in their order in shared memory. */
  void forEach(Visitor visitor) {
    switch (c.map()) {
      case TensorMap.Tiled(var _, var box) -> tiled(box, visitor);
      case TensorMap.Im2col m -> im2col(m, visitor);
      case TensorMap.Im2colWide _ -> throw new IllegalArgumentException("not defined here");
    }
  }

  private void tiled(List<Integer> box, Visitor visitor) {
    var view = c.view();
    int rank = view.rank();
    int[] counts = new int[rank];
    long total = 1;
    for (int i = 0; i < rank; i++) {
      int step = i == 0 ? 1 : view.elementStrides().get(i);
      counts[i] = (box.get(i) + step - 1) / step;
      total *= counts[i];
    }
    for (long n = 0; n < total; n++) {
      long rest = n;
      long[] at = new long[rank];
      for (int i = 0; i < rank; i++) {
        at[i] = c.coordinates().get(i) + rest % counts[i] * (i == 0 ? 1 : view.elementStrides().get(i));
        rest /= counts[i];
      }
      visit(at, n, counts[0], visitor);
    }
  }

  private void im2col(TensorMap.Im2col m, Visitor visitor) {
    var view = c.view();
    int spatial = view.rank() - 2;
    // How often each spatial dimension is entered from its lower corner, and where the walk began.
    long[] corner = new long[view.rank()];
    for (int i = 0; i < corner.length; i++) corner[i] = c.coordinates().get(i);
    for (int pixel = 0; pixel < m.pixelsPerColumn(); pixel++) {
      for (int channel = 0; channel < m.channelsPerPixel(); channel++) {
        long[] at = corner.clone();
        at[0] += channel;
        for (int i = 0; i < spatial; i++) at[i + 1] += c.offsets().get(i);
        visit(at, (long) pixel * m.channelsPerPixel() + channel, m.channelsPerPixel(), visitor);
      }
      int i = 0;
      while (i < spatial) {
        corner[i + 1] += view.elementStrides().get(i + 1);
        if (corner[i + 1] <= view.dims().get(i + 1) - 1 + m.upperCorner().get(i)) break;
        corner[i + 1] = m.lowerCorner().get(i);
        i++;
      }
      if (i == spatial) corner[view.rank() - 1]++;
    }
  }

  private void visit(long[] at, long number, int rowLength, Visitor visitor) {
    var view = c.view();
    var element = view.element();
    boolean inside = true;
    for (int i = 0; i < at.length; i++) inside &= at[i] >= 0 && at[i] < (i == 0 ? innerExtent() : view.dims().get(i));
    long globalBit = at[0] * element.bits();
    for (int i = 1; i < at.length; i++) globalBit += 8 * at[i] * view.strides().get(i - 1);
    long row = number / rowLength;
    long column = number % rowLength;
    // With a swizzle, rows lie as far apart as its span.
    int span = view.swizzle().span();
    long pitch = span == 0 ? (long) rowLength * element.sharedBits() : 8L * span;
    long sharedBit = row * pitch + column / 16 * 16 * element.sharedBits() + column % 16 * element.bits();
    visitor.visit(globalBit, inside, sharedBit);
  }

  /** The lines of shared memory that a box takes. */
  int sharedBytes() {
    long[] last = {0};
    forEach((_, _, shared) -> last[0] = Math.max(last[0], shared));
    return (int) (last[0] / 1024 + 1) * 128;
  }

  /** A region of shared memory of that size after a load, where {@code defined} says that it is. */
  byte[] loaded(byte[] tensors, byte background, int size, BitSet defined) {
    var region = new byte[size];
    Arrays.fill(region, background);
    defined.set(0, region.length);
    int bits = c.view().element().bits();
    if (c.view().element().isPadded()) {
      forEach((_, _, shared) -> {
        for (int k = 0; k < 16; k++) defined.clear(place((int) (shared / 128 * 16) + k));
      });
    }
    forEach((global, inside, shared) -> {
      long element = inside ? loaded(bits(tensors, 8 * c.tensor() + global, bits)) : fill();
      for (int bit = 0; bit < bits; bit++) {
        int value = (int) (element >>> bit) & 1;
        int at = place((int) (shared + bit >> 3));
        region[at] = (byte) (region[at] & ~(1 << (shared + bit & 7)) | value << (shared + bit & 7));
        defined.set(at);
      }
    });
    return region;
  }

  private long innerExtent() {
    long extent = c.view().dims().getFirst();
    int granule = 128 / c.view().element().bits();
    return stores && !c.view().element().isPadded() ? (extent + granule - 1) / granule * granule : extent;
  }

  /** Stores from a region of shared memory into tensors. */
  void stored(byte[] region, byte[] tensors) {
    stores = true;
    var element = c.view().element();
    forEach((global, inside, shared) -> {
      if (!inside) return;
      // A store takes six bits from each byte, where a load puts them without gaps.
      long from = element == TensorElement.U6_ALIGN16B ? shared / 128 * 128 + shared % 128 / 6 * 8 : shared;
      for (int bit = 0; bit < element.bits(); bit++) {
        long to = 8 * c.tensor() + global + bit;
        int value = bit(region, 8L * place((int) (from + bit >> 3)) + (from + bit & 7));
        tensors[(int) (to >> 3)] = (byte) (tensors[(int) (to >> 3)] & ~(1 << (to & 7)) | value << (to & 7));
      }
    });
  }

  private long fill() {
    return c.view().fill() == OutOfBoundsFill.ZERO ? 0 : 0x7FF7_7FF7_7FF7_7FF7L;
  }

  /** What a load makes of a value. */
  private long loaded(long value) {
    var element = c.view().element();
    if (element != TensorElement.TF32 && element != TensorElement.TF32_FTZ) return value;
    float f = Float.intBitsToFloat((int) value);
    if (Float.isNaN(f)) return 0x7FFF_E000;
    if (Float.isInfinite(f)) return Float.floatToRawIntBits(f);
    double ulp = Math.scalb(1.0, Math.max(Math.getExponent(f), Float.MIN_EXPONENT) - 10);
    return Float.floatToRawIntBits((float) (Math.rint(f / ulp) * ulp));
  }

  private static long bits(byte[] bytes, long at, int count) {
    long value = 0;
    for (int bit = 0; bit < count; bit++) value |= (long) bit(bytes, at + bit) << bit;
    return value;
  }

  private static int bit(byte[] bytes, long at) {
    return bytes[(int) (at >> 3)] >> (at & 7) & 1;
  }

  /** Where the byte of a box lies in the region, which begins at a multiple of 1024. */
  int place(int linear) {
    return swizzled(c.view().swizzle(), c.shared() + linear);
  }

  /** By the tables of the PTX ISA: the columns of units in lines of 128 bytes. */
  static int swizzled(SwizzleMode mode, int address) {
    int line = address / 128;
    int unit = address % 128 / 16;
    int within = address % 16;
    int column = switch (mode) {
      case NONE -> unit;
      case B32, B96 -> new int[][] {{0, 1}, {1, 0}}[line % 2][unit % 2] + unit / 2 * 2;
      case B64 -> new int[][] {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}}[line % 4][unit % 4]
          + unit / 4 * 4;
      case B128 -> new int[][] {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {2, 3, 0, 1, 6, 7, 4, 5},
          {3, 2, 1, 0, 7, 6, 5, 4}, {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2}, {6, 7, 4, 5, 2, 3, 0, 1},
          {7, 6, 5, 4, 3, 2, 1, 0}}[line % 8][unit];
      case B128_ATOM_32B, B128_ATOM_32B_FLIP_8B -> new int[][] {{0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 6, 7, 4, 5},
          {4, 5, 6, 7, 0, 1, 2, 3}, {6, 7, 4, 5, 2, 3, 0, 1}}[line % 4][unit];
      case B128_ATOM_64B -> new int[][] {{0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3}}[line % 2][unit];
    };
    boolean flips = mode == SwizzleMode.B128_ATOM_32B_FLIP_8B && line % 2 == 1;
    return 128 * line + 16 * column + (flips ? (within + 8) % 16 : within);
  }
}
