package tilewright.simulator.tensormap;

import java.util.List;
import tilewright.ptx.tensormap.OutOfBoundsFill;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;

/** How the bytes of a copy look in shared memory. */
public record CopyFormat(SwizzleMode swizzle, TensorElement element, OutOfBoundsFill fill) {
  private static final int LINE = 128;
  /** Bytes as they are. */
  public static final CopyFormat PLAIN = new CopyFormat(SwizzleMode.NONE, TensorElement.U8, OutOfBoundsFill.ZERO);

  public static CopyFormat of(TensorDescriptor d) {
    return new CopyFormat(d.swizzle(), d.element(), d.fill());
  }

  /** The bytes of global memory that so many bytes of shared memory stand for, which is what mbarriers count. */
  public int globalBytes(int sharedBytes) {
    return (int) ((long) sharedBytes * element.bits() / element.sharedBits());
  }

  /** How far a box reaches from its beginning in shared memory. */
  public int extent(List<BoxRow> rows) {
    int end = rows.getLast().shared() + rows.getLast().bytes();
    // The swizzle moves bytes within lines of 128, so a box that ends within one may reach to its end.
    return swizzle == SwizzleMode.NONE ? end : Math.ceilDiv(end, LINE) * LINE;
  }
}
