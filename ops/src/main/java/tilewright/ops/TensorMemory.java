package tilewright.ops;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import tilewright.numerics.ElementType;

/** The tensors of operators in a machine's memory: new ones, others', and what the host writes and reads of them. */
final class TensorMemory {
  private final Ops ops;
  private final Machine machine;
  private final Set<Storage> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  TensorMemory(Ops ops, Machine machine) {
    this.ops = ops;
    this.machine = machine;
  }

  /** A tensor of these bytes. */
  DeviceTensor filled(ElementType type, Shape shape, MemorySegment bytes) {
    var tensor = allocate(type, shape);
    if (bytes.byteSize() > 0) machine.write(tensor.storage(), tensor.offset(), bytes);
    return tensor;
  }

  /** A tensor of bytes that were made of {@code count} numbers. */
  DeviceTensor filled(ElementType type, Shape shape, MemorySegment bytes, int count) {
    requireCount(shape, count);
    return filled(type, shape, bytes);
  }

  private static void requireCount(Shape shape, int count) {
    if (shape.elements() != count) {
      throw new IllegalArgumentException("a tensor " + shape + " has " + shape.elements() + " elements, but " + count
          + " are given");
    }
  }

  /** A tensor of whatever the memory holds. */
  DeviceTensor allocate(ElementType type, Shape shape) {
    requireOpen();
    var storage = register(machine.allocate(Math.max(1, type.bytes(shape.elements()))));
    return new DeviceTensor(ops, storage, type, shape, 0, true);
  }

  private Storage register(Storage storage) {
    open.add(storage);
    if (!closed) return storage;
    release(storage);
    throw isClosed();
  }

  /** A matrix of whatever the memory holds, its columns at multiples of a number of elements. */
  DeviceTensor columns(ElementType type, long rows, long columns, int padded) {
    long stride = Math.ceilDiv(Math.max(1, rows), padded) * padded;
    var whole = allocate(type, Shape.rowMajor(columns, stride));
    return new DeviceTensor(ops, whole.storage(), type, new Shape(List.of(rows, columns), List.of(1L, stride)), 0,
        true);
  }

  /** A tensor in memory that others own. */
  DeviceTensor foreign(ElementType type, long address, Shape shape, Runnable atRelease) {
    requireOpen();
    if (address == 0 || address % type.bytes() != 0) {
      throw new IllegalArgumentException("address 0x" + Long.toHexString(address) + " is none of " + type.text()
          + ": a multiple of " + type.bytes() + " above 0");
    }
    long offset = Long.remainderUnsigned(address, Storage.ALIGNMENT);
    long bytes = offset + Math.max(1, type.bytes(shape.span()));
    return new DeviceTensor(ops, register(machine.foreign(address - offset, bytes, atRelease)), type, shape, offset,
        true);
  }

  /** A tensor that another library has given. */
  DeviceTensor dlpack(long managedTensor) {
    requireOpen();
    var given = DlPack.read(managedTensor);
    machine.requireDevice(given);
    return foreign(given.type(), given.address(), given.shape(), () -> {
      try {
        machine.synchronize();
      } finally {
        given.deleter().run();
      }
    });
  }

  void release(Storage storage) {
    open.remove(storage);
    storage.close();
  }

  /** Gives back all memory; false where that is done already. */
  boolean close() {
    if (closed) return false;
    closed = true;
    open.forEach(this::release);
    return true;
  }

  void requireOpen() {
    if (closed) throw isClosed();
  }

  private IllegalStateException isClosed() {
    return new IllegalStateException("these operators on " + machine + " are closed");
  }

  long address(DeviceTensor tensor) {
    ops.requireOwn(tensor);
    return machine.address(tensor.storage()) + tensor.offset();
  }

  void requireWritable(DeviceTensor tensor) {
    ops.requireOwn(tensor);
    for (int mode = 0; mode < tensor.rank(); mode++) {
      if (tensor.form().stride(mode) == 0 && tensor.size(mode) > 1) {
        throw new IllegalArgumentException("cannot write to " + tensor + ": its elements along mode " + mode
            + " are one and the same");
      }
    }
  }

  /** The bytes of all elements in order. */
  MemorySegment bytes(DeviceTensor tensor) {
    ops.requireOwn(tensor);
    return read(tensor, MemorySegment.ofArray(new byte[Math.toIntExact(tensor.type().bytes(tensor.elements()))]));
  }

  /** The numbers of a tensor of FP32, which need no other form between. */
  float[] floats(DeviceTensor tensor) {
    ops.requireOwn(tensor);
    var numbers = new float[Math.toIntExact(tensor.elements())];
    read(tensor, MemorySegment.ofArray(numbers));
    return numbers;
  }

  private MemorySegment read(DeviceTensor tensor, MemorySegment bytes) {
    if (bytes.byteSize() == 0) return bytes;
    try (var held = Held.inOrder(tensor)) {
      machine.read(held.tensor().storage(), held.tensor().offset(), bytes);
    }
    return bytes;
  }

  void write(DeviceTensor tensor, MemorySegment bytes, int count) {
    requireWritable(tensor);
    requireCount(tensor.form(), count);
    if (count == 0) return;
    if (tensor.isContiguous()) {
      machine.write(tensor.storage(), tensor.offset(), bytes);
      return;
    }
    try (var between = filled(tensor.type(), Shape.rowMajor(tensor.shape()), bytes)) {
      ops.copy(between, tensor);
    }
  }
}
