package tilewright.kernel;

import java.util.Optional;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.ptx.StateSpace;

/** A tensor in shared memory: a layout, swizzled or not, from a base address. */
public final class SharedTensor {
  /** Bytes of which its place is a multiple. */
  public static final int ALIGNMENT = SharedMemory.ALIGNMENT;
  private static final int BLOCK_BYTES = 1 << 18;

  private final Scope k;
  private final ElementType type;
  private final OffsetMap layout;
  private final Linear base;

  SharedTensor(Scope k, ElementType type, OffsetMap layout, Linear base) {
    this.k = k;
    this.type = type;
    this.layout = layout;
    this.base = base;
  }

  public ElementType type() {
    return type;
  }

  public OffsetMap layout() {
    return layout;
  }

  /** This memory under another layout that fits in it, for tensors that use it in turn. */
  public SharedTensor under(OffsetMap other) {
    return under(type, other);
  }

  /** This memory under a layout of elements of another type, which fits in it. */
  public SharedTensor under(ElementType otherType, OffsetMap other) {
    if (bytes(otherType, other) > bytes(type, layout)) {
      throw new TraceException("layout " + other + " of " + otherType.text() + " takes " + bytes(otherType, other)
          + " bytes, more than the " + bytes(type, layout) + " of " + layout);
    }
    return new SharedTensor(k, otherType, other, base);
  }

  /** The tensor with addresses that are computed from here on, and not before. */
  public SharedTensor settled() {
    return new SharedTensor(k, type, layout, new I32(k, base).settled().value);
  }

  /** The tensor's elements under another layout, which has the same size. */
  public SharedTensor as(OffsetMap other) {
    if (bytes(type, other) != bytes(type, layout)) {
      throw new TraceException("layout " + other + " does not have the " + bytes(type, layout) + " bytes of " + layout);
    }
    return new SharedTensor(k, type, other, base);
  }

  /** The element at a coordinate: one value a mode of the layout. */
  public Element at(I32... coordinate) {
    var bytes = addressOf(coordinate);
    long ones = bytes.value.ones();
    int alignment = (int) Math.max(1, Math.min(1024, Long.lowestOneBit(ones)) / type.bytes());
    return new Element(k, type, StateSpace.SHARED, () -> k.address(bytes), alignment, Pred.known(k, true),
        Optional.empty());
  }

  private I32 addressOf(I32... coordinate) {
    return new I32(k, base.plus(SymbolicLayout.offset(k, layout, coordinate).times(type.bytes())));
  }

  /** The place of an element in this block's shared memory, in bytes: an address without the block's rank. */
  public I32 placeOf(I32... coordinate) {
    var begin = Arithmetic.and(k, base.withoutConstant(), BLOCK_BYTES - 1).plus(base.constant());
    return new I32(k, begin.plus(SymbolicLayout.offset(k, layout, coordinate).times(type.bytes())));
  }

  static long bytes(ElementType type, OffsetMap layout) {
    long elements = switch (layout) {
      case Layout plain -> plain.cosize();
      case ComposedLayout composed -> {
        long period = SymbolicLayout.period(composed.swizzle());
        yield (composed.offset() + composed.layout().cosize() + period - 1) / period * period;
      }
    };
    return elements * type.bytes();
  }
}
