package tilewright.simulator.tcgen05;

import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.Issuer;
import tilewright.simulator.core.Warp;
import tilewright.simulator.memory.Moves;
import tilewright.simulator.sanitizer.AsyncAccess;
import tilewright.simulator.sanitizer.Sanitizer;
import tilewright.simulator.tensorcore.MatrixDescriptor;
import tilewright.simulator.tensorcore.MatrixLayout;
import tilewright.simulator.tensorcore.MmaType;
import tilewright.simulator.tensorcore.Swizzle;
import tilewright.simulator.tmem.PackedElements;

/**
 * A matrix operand of {@code tcgen05} in the shared memory of a CTA: where its runs of sixteen bytes lie, found and
 * checked when the instruction is issued, and its elements, read when it takes effect.
 */
final class TensorOperand {
  private static final int RUN = 16;

  final Cta cta;
  private final MatrixLayout layout;
  private final int outer;
  private final int depth;
  /** By row of the layout, then along it. */
  final int[] addresses;
  private final int runs;

  /**
   * @param outer rows of A or columns of B
   * @param depth steps
   * @param bits that an element takes, padding included
   */
  TensorOperand(Cta cta, long descriptor, boolean transposed, int outer, int depth, int bits, Warp w, int lane,
      int site) {
    this.cta = cta;
    this.outer = outer;
    this.depth = depth;
    try {
      layout = new MatrixLayout(swizzled(MatrixDescriptor.blackwell(descriptor), transposed, bits), !transposed, bits);
    } catch (IllegalArgumentException e) {
      throw TensorAllocation.fault(w, lane, site, "names a matrix that does not exist: " + e.getMessage());
    }
    int across = transposed ? depth : outer;
    runs = ((transposed ? outer : depth) + layout.run() - 1) / layout.run();
    addresses = new int[across * runs];
    for (int i = 0; i < across; i++) {
      for (int j = 0; j < runs; j++) {
        int address = transposed ? layout.address(j * layout.run(), i) : layout.address(i, j * layout.run());
        if (address < 0 || address + RUN > cta.sharedBytes) {
          throw new Fault(Kind.OUT_OF_BOUNDS, site, lane, address, w.who(lane) + " multiplies or copies a matrix that "
              + "reaches shared memory + " + address + " of block " + cta.position + ", which has " + cta.sharedBytes
              + " bytes");
        }
        addresses[i * runs + j] = address;
      }
    }
  }

  /** Chunks of 32 bytes are for transposed operands of 32 bits, which take nothing else. */
  private static MatrixDescriptor swizzled(MatrixDescriptor descriptor, boolean transposed, int bits) {
    boolean wide = transposed && bits == Integer.SIZE;
    if (wide == (descriptor.swizzle() == Swizzle.B128_ATOM32)) return descriptor;
    throw new IllegalArgumentException(wide ? "a transposed operand of 32 bits has the swizzle code 1 only"
        : "the swizzle code 1 is for transposed operands of 32 bits only");
  }

  /** Tells the sanitizer that an operation reads it. */
  void watch(Issuer issuer, AsyncAccess access) {
    Sanitizer.of(issuer.cta()).async().read(issuer, access, cta, addresses, RUN);
  }

  /** The address of a run: row, and place in it. */
  int address(int row, int run) {
    return addresses[row * runs + run];
  }

  /** Reads the bits of all elements, by depth, from column {@code first} on. */
  void read(MmaType type, int[][] bits, int first) {
    boolean transposed = !layout.depthMajor();
    int run = layout.run();
    int along = transposed ? outer : depth;
    int[] elements = new int[run];
    for (int i = 0; i < (transposed ? depth : outer); i++) {
      for (int j = 0; j < runs; j++) {
        elements(addresses[i * runs + j], type, elements);
        int count = Math.min(run, along - j * run);
        if (transposed) {
          System.arraycopy(elements, 0, bits[i], first + j * run, count);
        } else {
          for (int e = 0; e < count; e++) bits[j * run + e][first + i] = elements[e];
        }
      }
    }
  }

  /** The elements of a run. */
  private void elements(int address, MmaType type, int[] elements) {
    byte[] memory = cta.shared;
    switch (type.bits()) {
      case 32 -> {
        for (int e = 0; e < elements.length; e++) elements[e] = (int) Moves.INT.get(memory, address + 4 * e);
      }
      case 16 -> {
        for (int e = 0; e < elements.length; e++) elements[e] = half(memory, address + 2 * e);
      }
      case 8 -> {
        for (int e = 0; e < elements.length; e++) elements[e] = memory[address + e] & 0xFF;
      }
      // Six and four bits stand side by side, with padding behind sixteen of them where their kind mixes with bytes.
      default -> {
        for (int e = 0; e < elements.length; e++) {
          elements[e] = PackedElements.element(memory, address, type.bits(), e);
        }
      }
    }
  }

  private static int half(byte[] memory, int address) {
    return memory[address] & 0xFF | (memory[address + 1] & 0xFF) << Byte.SIZE;
  }
}
