package tilewright.simulator.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import tilewright.simulator.core.Warp;

/** Moves values between registers and the places that {@link Memory} found. {@code k} is the byte within the access. */
public final class Moves {
  static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  public static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle FLOAT = MethodHandles.byteArrayViewVarHandle(float[].class, ByteOrder.LITTLE_ENDIAN);
  public static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle DOUBLE = MethodHandles.byteArrayViewVarHandle(double[].class, ByteOrder.LITTLE_ENDIAN);

  private Moves() {}

  private static byte[] base(Warp w, int lane) {
    return w.base == Warp.PER_LANE ? w.bases[lane] : w.base;
  }

  public static void loadU8(Warp w, int mask, int k, int[] to) {
    for (int i = 0; i < Warp.LANES; i++) if ((mask >>> i & 1) != 0) to[i] = base(w, i)[w.offsets[i] + k] & 0xFF;
  }

  public static void loadS8(Warp w, int mask, int k, int[] to) {
    for (int i = 0; i < Warp.LANES; i++) if ((mask >>> i & 1) != 0) to[i] = base(w, i)[w.offsets[i] + k];
  }

  public static void loadU16(Warp w, int mask, int k, int[] to) {
    for (int i = 0; i < Warp.LANES; i++) {
      if ((mask >>> i & 1) != 0) to[i] = (short) SHORT.get(base(w, i), w.offsets[i] + k) & 0xFFFF;
    }
  }

  public static void loadS16(Warp w, int mask, int k, int[] to) {
    for (int i = 0; i < Warp.LANES; i++) {
      if ((mask >>> i & 1) != 0) to[i] = (short) SHORT.get(base(w, i), w.offsets[i] + k);
    }
  }

  public static void load32(Warp w, int mask, int k, int[] to) {
    byte[] base = w.base;
    int[] offsets = w.offsets;
    if (mask == -1 && base != Warp.PER_LANE) {
      for (int i = 0; i < Warp.LANES; i++) to[i] = (int) INT.get(base, offsets[i] + k);
    } else {
      for (int i = 0; i < Warp.LANES; i++) if ((mask >>> i & 1) != 0) to[i] = (int) INT.get(base(w, i), offsets[i] + k);
    }
  }

  public static void load32(Warp w, int mask, int k, float[] to) {
    byte[] base = w.base;
    int[] offsets = w.offsets;
    if (mask == -1 && base != Warp.PER_LANE) {
      for (int i = 0; i < Warp.LANES; i++) to[i] = (float) FLOAT.get(base, offsets[i] + k);
    } else {
      for (int i = 0; i < Warp.LANES; i++) {
        if ((mask >>> i & 1) != 0) to[i] = (float) FLOAT.get(base(w, i), offsets[i] + k);
      }
    }
  }

  public static void load64(Warp w, int mask, int k, long[] to) {
    byte[] base = w.base;
    int[] offsets = w.offsets;
    if (mask == -1 && base != Warp.PER_LANE) {
      for (int i = 0; i < Warp.LANES; i++) to[i] = (long) LONG.get(base, offsets[i] + k);
    } else {
      for (int i = 0; i < Warp.LANES; i++) {
        if ((mask >>> i & 1) != 0) to[i] = (long) LONG.get(base(w, i), offsets[i] + k);
      }
    }
  }

  public static void load64(Warp w, int mask, int k, double[] to) {
    byte[] base = w.base;
    int[] offsets = w.offsets;
    if (mask == -1 && base != Warp.PER_LANE) {
      for (int i = 0; i < Warp.LANES; i++) to[i] = (double) DOUBLE.get(base, offsets[i] + k);
    } else {
      for (int i = 0; i < Warp.LANES; i++) {
        if ((mask >>> i & 1) != 0) to[i] = (double) DOUBLE.get(base(w, i), offsets[i] + k);
      }
    }
  }

  public static void store8(Warp w, int mask, int k, int[] from) {
    for (int i = 0; i < Warp.LANES; i++) if ((mask >>> i & 1) != 0) base(w, i)[w.offsets[i] + k] = (byte) from[i];
  }

  public static void store16(Warp w, int mask, int k, int[] from) {
    for (int i = 0; i < Warp.LANES; i++) {
      if ((mask >>> i & 1) != 0) SHORT.set(base(w, i), w.offsets[i] + k, (short) from[i]);
    }
  }

  public static void store32(Warp w, int mask, int k, int[] from) {
    byte[] base = w.base;
    int[] offsets = w.offsets;
    if (mask == -1 && base != Warp.PER_LANE) {
      for (int i = 0; i < Warp.LANES; i++) INT.set(base, offsets[i] + k, from[i]);
    } else {
      for (int i = 0; i < Warp.LANES; i++) if ((mask >>> i & 1) != 0) INT.set(base(w, i), offsets[i] + k, from[i]);
    }
  }

  public static void store32(Warp w, int mask, int k, float[] from) {
    byte[] base = w.base;
    int[] offsets = w.offsets;
    if (mask == -1 && base != Warp.PER_LANE) {
      for (int i = 0; i < Warp.LANES; i++) FLOAT.set(base, offsets[i] + k, from[i]);
    } else {
      for (int i = 0; i < Warp.LANES; i++) if ((mask >>> i & 1) != 0) FLOAT.set(base(w, i), offsets[i] + k, from[i]);
    }
  }

  public static void store64(Warp w, int mask, int k, long[] from) {
    byte[] base = w.base;
    int[] offsets = w.offsets;
    if (mask == -1 && base != Warp.PER_LANE) {
      for (int i = 0; i < Warp.LANES; i++) LONG.set(base, offsets[i] + k, from[i]);
    } else {
      for (int i = 0; i < Warp.LANES; i++) if ((mask >>> i & 1) != 0) LONG.set(base(w, i), offsets[i] + k, from[i]);
    }
  }

  public static void store64(Warp w, int mask, int k, double[] from) {
    byte[] base = w.base;
    int[] offsets = w.offsets;
    if (mask == -1 && base != Warp.PER_LANE) {
      for (int i = 0; i < Warp.LANES; i++) DOUBLE.set(base, offsets[i] + k, from[i]);
    } else {
      for (int i = 0; i < Warp.LANES; i++) if ((mask >>> i & 1) != 0) DOUBLE.set(base(w, i), offsets[i] + k, from[i]);
    }
  }

  /** Orders this thread's accesses with those of CTAs on other threads. */
  public static void fence(Warp w, int mask) {
    VarHandle.fullFence();
  }
}
