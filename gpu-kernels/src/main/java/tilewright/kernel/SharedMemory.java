package tilewright.kernel;

import java.util.ArrayList;
import java.util.List;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** The CTA's dynamic shared memory, which tensors and raw bytes take one after the other. */
final class SharedMemory {
  static final String VARIABLE = "smem";
  /** Tensors begin at a multiple of the longest swizzle period, so that offsets and addresses swizzle alike. */
  static final int ALIGNMENT = 1024;
  private static final int RAW_ALIGNMENT = 128;
  private static final int CLUSTER_SHIFT = 24;
  private static final long MOST_CTAS = 8;

  private final Scope k;
  private final List<CompiledKernel.SharedPart> tensors = new ArrayList<>();
  private int bytes;

  SharedMemory(Scope k) {
    this.k = k;
  }

  SharedTensor tensor(ElementType type, OffsetMap layout) {
    return tensor(String.valueOf(tensors.size()), type, layout);
  }

  SharedTensor tensor(String name, ElementType type, OffsetMap layout) {
    var place = reserve(SharedTensor.bytes(type, layout), ALIGNMENT);
    tensors.add(new CompiledKernel.SharedPart(name, Math.toIntExact(place.constant()), type, layout));
    return new SharedTensor(k, type, layout, place);
  }

  Linear raw(int bytes) {
    return reserve(bytes, RAW_ALIGNMENT);
  }

  private Linear reserve(long size, int alignment) {
    int offset = Math.ceilDiv(bytes, alignment) * alignment;
    bytes = Math.toIntExact(offset + size);
    return Linear.of(base()).plus(offset);
  }

  private Node base() {
    var recipe = new Node.Recipe("mov.u32", List.of(new Node.Argument.Constant(new Operand.Symbol(VARIABLE))));
    // In a cluster the address says which CTA's memory it is, above the place in that memory.
    long max = (MOST_CTAS << CLUSTER_SHIFT) - ALIGNMENT;
    return k.pure(PtxType.B32, k.root(), 0, max, Bits.upTo(max) & -ALIGNMENT, recipe);
  }

  List<CompiledKernel.SharedPart> tensors() {
    return tensors;
  }

  int bytes() {
    return bytes;
  }
}
