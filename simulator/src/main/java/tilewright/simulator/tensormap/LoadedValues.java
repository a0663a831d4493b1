package tilewright.simulator.tensormap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import tilewright.ptx.tensormap.TensorElement;

/**
 * Changes values on their way to shared memory: loads round to TF32. Nothing is flushed, whatever the element type's
 * name says, and stores do nothing to values (as an H200 has it).
 */
final class LoadedValues {
  private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int EXPONENT = 0x7F80_0000;
  private static final int MAGNITUDE = 0x7FFF_FFFF;
  private static final int TF32_NAN = 0x7FFF_E000;
  /** The bits that TF32 lacks, and the last that it has. */
  private static final int DROPPED = 0x1FFF;
  private static final int LAST = 13;

  private LoadedValues() {}

  static void convert(TensorElement element, byte[] image, int first, int bytes) {
    if (element != TensorElement.TF32 && element != TensorElement.TF32_FTZ) return;
    for (int k = first; k < first + bytes; k += Integer.BYTES) INT.set(image, k, tf32((int) INT.get(image, k)));
  }

  /** Rounds to the nearest value, of two to the even one. */
  private static int tf32(int value) {
    if ((value & MAGNITUDE) > EXPONENT) return TF32_NAN;
    return value + (DROPPED >>> 1) + (value >>> LAST & 1) & ~DROPPED;
  }
}
