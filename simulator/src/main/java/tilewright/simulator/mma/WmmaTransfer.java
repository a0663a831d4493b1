package tilewright.simulator.mma;

import java.util.Arrays;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.Warp;
import tilewright.simulator.memory.Memory;
import tilewright.simulator.memory.Moves;
import tilewright.simulator.tensorcore.MmaType;

/**
 * {@code wmma.load} and {@code wmma.store}: matrices between memory and fragments, as {@link MmaUnit} deals elements
 * out to lanes (PTX ISA, Warp-level Matrix Load/Store). Elements of less than a byte move a register at a time.
 */
public final class WmmaTransfer {
  private static final int REGISTERS = 8;
  /** How the address is checked; the methods of {@link Memory}. */
  public static final int GENERIC = 0;
  public static final int GLOBAL = 1;
  public static final int SHARED = 2;

  private final int[][] words = new int[REGISTERS][Warp.LANES];
  private final double[][] doubles = new double[REGISTERS][Warp.LANES];
  private final long[] addresses = new long[Warp.LANES];

  /**
   * Reads a fragment.
   *
   * @param inner elements of a row (A, C) or column (B); {@code outer} rows or columns
   * @param contiguous whether neighbours of an inner run are neighbours in memory
   */
  public static void load(Warp w, int mask, long[] address, long displacement, int[] stride, int check, int outer,
      int inner, int contiguous, int type, int site) {
    var kind = MmaType.at(type);
    var t = MmaUnits.of(w.cta).wmma();
    int group = kind.bits() < 8 ? kind.perRegister() : 1;
    int bytes = group * kind.bits() / 8;
    int elements = outer * inner / Warp.LANES;
    for (var register : t.words) Arrays.fill(register, 0);
    for (int e = 0; e < elements; e += group) {
      t.place(address, displacement, stride, e, elements, inner, contiguous != 0, kind);
      t.check(w, check, bytes, Access.READ, site);
      if (kind == MmaType.F64) {
        Moves.load64(w, -1, 0, t.doubles[e]);
      } else {
        t.take(w, e, kind, bytes);
      }
    }
    // Fragments of f16 operands have eight registers for every shape and hold each element several times.
    if (kind == MmaType.F16) t.repeat(elements / kind.perRegister());
  }

  private void repeat(int unique) {
    for (int r = unique; r < REGISTERS; r++) System.arraycopy(words[r - unique], 0, words[r], 0, Warp.LANES);
  }

  private void take(Warp w, int e, MmaType kind, int bytes) {
    int each = kind.perRegister();
    int[] register = words[e / each];
    int shift = e % each * kind.bits();
    int[] loaded = w.scratch;
    switch (bytes) {
      case 1 -> Moves.loadU8(w, -1, 0, loaded);
      case 2 -> Moves.loadU16(w, -1, 0, loaded);
      default -> Moves.load32(w, -1, 0, loaded);
    }
    for (int lane = 0; lane < Warp.LANES; lane++) register[lane] |= loaded[lane] << shift;
  }

  public static void loaded(Warp w, int mask, int register, int[] lanes) {
    System.arraycopy(MmaUnits.of(w.cta).wmma().words[register], 0, lanes, 0, Warp.LANES);
  }

  public static void loaded(Warp w, int mask, int register, float[] lanes) {
    int[] bits = MmaUnits.of(w.cta).wmma().words[register];
    for (int lane = 0; lane < Warp.LANES; lane++) lanes[lane] = Float.intBitsToFloat(bits[lane]);
  }

  public static void loaded(Warp w, int mask, int register, double[] lanes) {
    System.arraycopy(MmaUnits.of(w.cta).wmma().doubles[register], 0, lanes, 0, Warp.LANES);
  }

  /** Sets a register of the fragment that {@code store} writes. */
  public static void stored(Warp w, int mask, int register, int[] lanes) {
    System.arraycopy(lanes, 0, MmaUnits.of(w.cta).wmma().words[register], 0, Warp.LANES);
  }

  public static void stored(Warp w, int mask, int register, float[] lanes) {
    int[] bits = MmaUnits.of(w.cta).wmma().words[register];
    for (int lane = 0; lane < Warp.LANES; lane++) bits[lane] = Float.floatToRawIntBits(lanes[lane]);
  }

  public static void stored(Warp w, int mask, int register, double[] lanes) {
    System.arraycopy(lanes, 0, MmaUnits.of(w.cta).wmma().doubles[register], 0, Warp.LANES);
  }

  /** Writes an accumulator fragment; parameters as for {@code load}. */
  public static void store(Warp w, int mask, long[] address, long displacement, int[] stride, int check, int outer,
      int inner, int contiguous, int type, int site) {
    var kind = MmaType.at(type);
    var t = MmaUnits.of(w.cta).wmma();
    int elements = outer * inner / Warp.LANES;
    int each = kind.perRegister();
    for (int e = 0; e < elements; e++) {
      t.place(address, displacement, stride, e, elements, inner, contiguous != 0, kind);
      t.check(w, check, kind.bits() / 8, Access.WRITE, site);
      if (kind == MmaType.F64) {
        Moves.store64(w, -1, 0, t.doubles[e]);
      } else if (each == 2) {
        int[] half = w.scratch;
        for (int lane = 0; lane < Warp.LANES; lane++) half[lane] = t.words[e / 2][lane] >>> 16 * (e % 2);
        Moves.store16(w, -1, 0, half);
      } else {
        Moves.store32(w, -1, 0, t.words[e]);
      }
    }
  }

  private void place(long[] address, long displacement, int[] stride, int e, int elements, int inner,
      boolean contiguous, MmaType kind) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      int index = lane * elements + e;
      long across = index / inner;
      long along = index % inner;
      long offset = contiguous ? across * stride[lane] + along : along * stride[lane] + across;
      addresses[lane] = address[lane] + displacement + offset * kind.bits() / 8;
    }
  }

  private void check(Warp w, int check, int bytes, int access, int site) {
    switch (check) {
      case GENERIC -> Memory.generic(w, -1, addresses, 0, bytes, access, site);
      case GLOBAL -> Memory.global(w, -1, addresses, 0, bytes, access, site);
      default -> Memory.shared(w, -1, addresses, 0, bytes, access, site);
    }
  }
}
