package tilewright.simulator.tensormap;

import tilewright.ptx.tensormap.OutOfBoundsFill;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;

/** How the bytes of a copy look in shared memory. */
public record CopyFormat(SwizzleMode swizzle, TensorElement element, OutOfBoundsFill fill) {
  /** Bytes as they are. */
  public static final CopyFormat PLAIN = new CopyFormat(SwizzleMode.NONE, TensorElement.U8, OutOfBoundsFill.ZERO);

  public static CopyFormat of(TensorDescriptor d) {
    return new CopyFormat(d.swizzle(), d.element(), d.fill());
  }

  /** The bytes of global memory that so many bytes of shared memory stand for, which is what mbarriers count. */
  public int globalBytes(int sharedBytes) {
    return (int) ((long) sharedBytes * element.bits() / element.sharedBits());
  }
}
