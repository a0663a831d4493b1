package tilewright.kernel;

import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.f2.Swizzle;

/** Evaluates a layout at coordinates that only the GPU knows: the source of every shared-memory address. */
final class SymbolicLayout {
  private SymbolicLayout() {}

  static Linear offset(Scope k, OffsetMap layout, I32... coordinate) {
    return switch (layout) {
      case Layout plain -> plain(k, plain, coordinate);
      case ComposedLayout composed ->
          swizzled(k, composed.swizzle(), plain(k, composed.layout(), coordinate).plus(composed.offset()));
    };
  }

  private static Linear plain(Scope k, Layout layout, I32[] coordinate) {
    if (coordinate.length != layout.rank()) {
      throw new TraceException("layout " + layout + " takes " + layout.rank() + " coordinates, got "
          + coordinate.length);
    }
    var offset = Linear.of(0);
    for (int mode = 0; mode < coordinate.length; mode++) {
      offset = offset.plus(mode(k, layout.mode(mode).coalesce(), coordinate[mode].value));
    }
    return offset;
  }

  /** One mode: the index's digits times the strides; the last digit needs no remainder. */
  static Linear mode(Scope k, Layout mode, Linear index) {
    long[] shape = mode.flatShape();
    long[] stride = mode.flatStride();
    var offset = Linear.of(0);
    long below = 1;
    for (int leaf = 0; leaf < shape.length; leaf++) {
      var digit = Arithmetic.divide(k, index, below);
      if (leaf + 1 < shape.length) digit = Arithmetic.remainder(k, digit, shape[leaf]);
      offset = offset.plus(digit.times(stride[leaf]));
      below *= shape[leaf];
    }
    return offset;
  }

  /** Multiples of the swizzle's period pass through it; of the rest, the read field is folded onto the written one. */
  private static Linear swizzled(Scope k, Swizzle swizzle, Linear x) {
    long period = period(swizzle);
    var through = x.where(t -> t.factor() % period == 0).plus(Math.floorDiv(x.constant(), period) * period);
    var inside = x.minus(through);
    long field = (1L << swizzle.bits()) - 1 << swizzle.base() + Math.max(0, swizzle.shift());
    var read = Arithmetic.and(k, inside, field);
    long unit = 1L << Math.abs(swizzle.shift());
    var folded = swizzle.shift() >= 0 ? Arithmetic.divide(k, read, unit) : read.times(unit);
    return Arithmetic.xor(k, inside, folded).plus(through);
  }

  /** The block size that a swizzle maps to itself. */
  static long period(Swizzle swizzle) {
    return 1L << swizzle.bits() + swizzle.base() + Math.abs(swizzle.shift());
  }
}
