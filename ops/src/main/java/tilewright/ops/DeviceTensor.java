package tilewright.ops;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * A tensor in the memory of an {@link Ops}: a type, a shape, a stride for each mode, and the place of its first
 * element. {@link #slice}, {@link #select}, {@link #transpose} and {@link #reshape} give views, other tensors on the
 * same memory. Modes count from 0, or from −1 backwards.
 *
 * <p>Closing a tensor gives its memory back; its views end with it, and closing a view does nothing. Operators that
 * were called before still see what the memory held then.
 *
 * <p>Every method throws {@link IllegalStateException} after the tensor or its {@link Ops} was closed, but those that
 * only say what the tensor is.
 */
public final class DeviceTensor implements AutoCloseable {
  private final Ops ops;
  private final Storage storage;
  private final ElementType type;
  private final Shape shape;
  private final long offset;
  private final boolean owner;

  /** @param offset bytes from the storage's begin */
  DeviceTensor(Ops ops, Storage storage, ElementType type, Shape shape, long offset, boolean owner) {
    this.ops = ops;
    this.storage = storage;
    this.type = type;
    this.shape = shape;
    this.offset = offset;
    this.owner = owner;
  }

  /** Returns the elements' type. */
  public ElementType type() {
    return type;
  }

  /** Returns the extents, one per mode. */
  public long[] shape() {
    return shape.extents().stream().mapToLong(v -> v).toArray();
  }

  /** Returns the elements from one to the next along each mode. */
  public long[] strides() {
    return shape.strides().stream().mapToLong(v -> v).toArray();
  }

  /** Returns an extent. */
  public long size(int mode) {
    return shape.extent(mode(mode));
  }

  /** Returns the number of modes. */
  public int rank() {
    return shape.rank();
  }

  /** Returns the number of elements. */
  public long elements() {
    return shape.elements();
  }

  /** Returns coordinates → offset in elements. */
  public Layout layout() {
    return shape.layout();
  }

  /** Returns whether the elements lie in order, the last mode fastest, without gaps. */
  public boolean isContiguous() {
    return shape.isContiguous();
  }

  /** Returns the {@link Ops} that the tensor belongs to. */
  public Ops ops() {
    return ops;
  }

  /**
   * Returns the address of the first element, on the GPU or in the simulator's process, for other libraries: behind
   * {@link Ops#synchronize} they read what the operators have computed. It is valid until the tensor is closed.
   */
  public long address() {
    return ops.memory().address(this);
  }

  Storage storage() {
    return storage;
  }

  Shape form() {
    return shape;
  }

  long offset() {
    return offset;
  }

  /** The view of the elements from {@code from} to before {@code to} along a mode. */
  public DeviceTensor slice(int mode, long from, long to) {
    int at = mode(mode);
    if (from < 0 || to < from || to > shape.extent(at)) {
      throw new IllegalArgumentException("slice " + from + "…" + to + " of mode " + mode + " of " + this
          + ": bounds lie in 0…" + shape.extent(at) + " and rise");
    }
    return view(shape.with(at, to - from, shape.stride(at)), from * shape.stride(at));
  }

  /** The view of the elements at one index of a mode, which is gone. */
  public DeviceTensor select(int mode, long index) {
    int at = mode(mode);
    if (index < 0 || index >= shape.extent(at)) {
      throw new IllegalArgumentException("index " + index + " of mode " + mode + " of " + this + ": it lies in 0…"
          + (shape.extent(at) - 1));
    }
    return view(shape.without(at), index * shape.stride(at));
  }

  /** The view with two modes exchanged. */
  public DeviceTensor transpose(int first, int second) {
    return view(shape.exchanged(mode(first), mode(second)), 0);
  }

  /** The view with another mode of extent 1, which becomes mode {@code mode}. */
  public DeviceTensor unsqueeze(int mode) {
    if (mode < 0 || mode > rank()) {
      throw new IllegalArgumentException("no mode " + mode + " can be added to " + this + ": 0…" + rank());
    }
    return view(shape.withOne(mode), 0);
  }

  /** The view of a mode of extent 1 repeated {@code extent} times, without a copy. Nothing writes to such a view. */
  public DeviceTensor expand(int mode, long extent) {
    int at = mode(mode);
    if (shape.extent(at) != 1) {
      throw new IllegalArgumentException("mode " + mode + " of " + this + " has extent " + shape.extent(at)
          + ": only one of extent 1 is repeated");
    }
    return view(shape.with(at, extent, 0), 0);
  }

  /**
   * The view of the same elements, the last mode fastest, under other extents.
   *
   * @param extents one of which may be −1, which stands for what the others leave
   * @throws IllegalArgumentException for another number of elements, or where no strides say so: {@link Ops#contiguous}
   *     first
   */
  public DeviceTensor reshape(long... extents) {
    var others = LongStream.of(extents).boxed().collect(Collectors.toList());
    int open = others.indexOf(-1L);
    if (open >= 0) {
      long known = LongStream.of(extents).filter(e -> e != -1).reduce(1, Math::multiplyExact);
      if (known <= 0 || elements() % known != 0 || others.lastIndexOf(-1L) != open) throw notReshaped(extents);
      others.set(open, elements() / known);
    }
    if (others.stream().anyMatch(e -> e < 0) || others.stream().reduce(1L, Math::multiplyExact) != elements()) {
      throw notReshaped(extents);
    }
    return view(shape.reshaped(others).orElseThrow(() -> new IllegalArgumentException(this + " is no "
        + Arrays.toString(extents) + " without a copy: reshape ops.contiguous(tensor)")), 0);
  }

  private IllegalArgumentException notReshaped(long... extents) {
    return new IllegalArgumentException(this + " has " + elements() + " elements, which are no "
        + Arrays.toString(extents));
  }

  private DeviceTensor view(Shape other, long elements) {
    ops.requireOwn(this);
    return new DeviceTensor(ops, storage, type, other, offset + elements * type.bits() / Byte.SIZE, false);
  }

  /** Waits for the operators before, and returns the numbers, the last mode fastest. */
  public float[] floats() {
    return type == ElementType.F32 ? ops.memory().floats(this)
        : HostNumbers.floats(type, ops.memory().bytes(this), Math.toIntExact(elements()));
  }

  /**
   * Waits for the operators before, and returns the numbers, the last mode fastest.
   *
   * @throws IllegalArgumentException for a tensor of no integer type
   */
  public int[] ints() {
    if (!List.of(ElementType.I32, ElementType.I8).contains(type)) {
      throw new IllegalArgumentException(this + " holds no integers: ask for its floats");
    }
    return HostNumbers.ints(type, ops.memory().bytes(this), Math.toIntExact(elements()));
  }

  /** Waits for the operators before, and returns the elements' bytes, little-endian, the last mode fastest. */
  public byte[] bytes() {
    return ops.memory().bytes(this).toArray(ValueLayout.JAVA_BYTE);
  }

  /**
   * Overwrites all elements, behind the operators before.
   *
   * @param numbers the last mode fastest, rounded to nearest even
   */
  public void set(float... numbers) {
    ops.memory().write(this, HostNumbers.of(type, numbers), numbers.length);
  }

  /** Overwrites all elements of a tensor of integers; see {@link #set(float...)}. */
  public void set(int... numbers) {
    ops.memory().write(this, HostNumbers.of(type, numbers), numbers.length);
  }

  /** Whether it has been closed, or what it is a view of. */
  boolean isClosed() {
    return storage.isClosed();
  }

  /** Gives the memory back, unless it is a view's. Closing again does nothing. */
  @Override
  public void close() {
    if (owner) ops.memory().release(storage);
  }

  private int mode(int mode) {
    int at = mode < 0 ? mode + rank() : mode;
    if (at < 0 || at >= rank()) {
      throw new IllegalArgumentException(this + " has no mode " + mode + ": 0…" + (rank() - 1));
    }
    return at;
  }

  /** The type and shape, {@code bf16(2,128)}, with strides where elements are not in order. */
  @Override
  public String toString() {
    return type.text() + shape;
  }

}
