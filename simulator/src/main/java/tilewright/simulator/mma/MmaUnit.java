package tilewright.simulator.mma;

import tilewright.simulator.arithmetic.Conversions;
import tilewright.simulator.arithmetic.HalfMath;
import tilewright.simulator.core.Warp;
import tilewright.simulator.tensorcore.MmaType;
import tilewright.simulator.tensorcore.ScaleFormat;
import tilewright.simulator.tensorcore.TensorTile;

/**
 * The tensor core's ports: an instruction's fragments go in register by register, are laid out as matrices, multiplied,
 * and come out again (PTX ISA, Matrix Fragments for mma). What a lane holds of a {@code wmma} fragment PTX leaves open;
 * here the elements are dealt out in order of (row, depth), (column, depth) and (row, column).
 */
public final class MmaUnit {
  private static final int REGISTERS = 8;
  private static final float LARGEST_HALF = 65504;
  /** Bits of {@code flags}. */
  public static final int SATURATE = 1;
  public static final int XOR = 2;
  public static final int WMMA = 4;
  /** The result is f16, whatever C is. */
  public static final int HALF_RESULT = 8;
  /** Each factor has a byte, however few bits it has. */
  public static final int BYTES = 16;
  /** Where the rounding of sums of f64 begins, a mode of {@link Conversions}. */
  public static final int ROUNDING = 5;

  private final int[][] a = new int[REGISTERS][];
  private final int[][] b = new int[REGISTERS][];
  private final int[][] c = new int[REGISTERS][];
  private final float[][] cFloat = new float[REGISTERS][];
  private final double[][] aDouble = new double[REGISTERS][];
  private final double[][] bDouble = new double[REGISTERS][];
  private final double[][] cDouble = new double[REGISTERS][];
  private final MmaMatrices matrices = new MmaMatrices();
  private final TensorTile tile;
  private final int architecture;
  private boolean wmma;
  private boolean bytes;
  private int rows;
  private int columns;
  private int depth;

  public MmaUnit(TensorTile tile, int architecture) {
    this.tile = tile;
    this.architecture = architecture;
  }

  public static void a(Warp w, int mask, int register, int[] lanes) {
    MmaUnits.of(w.cta).mma().a[register] = lanes;
  }

  public static void a(Warp w, int mask, int register, double[] lanes) {
    MmaUnits.of(w.cta).mma().aDouble[register] = lanes;
  }

  public static void b(Warp w, int mask, int register, int[] lanes) {
    MmaUnits.of(w.cta).mma().b[register] = lanes;
  }

  public static void b(Warp w, int mask, int register, double[] lanes) {
    MmaUnits.of(w.cta).mma().bDouble[register] = lanes;
  }

  public static void c(Warp w, int mask, int register, int[] lanes) {
    MmaUnits.of(w.cta).mma().c[register] = lanes;
  }

  public static void c(Warp w, int mask, int register, float[] lanes) {
    MmaUnits.of(w.cta).mma().cFloat[register] = lanes;
  }

  public static void c(Warp w, int mask, int register, double[] lanes) {
    MmaUnits.of(w.cta).mma().cDouble[register] = lanes;
  }

  /** Multiplies what the ports hold; types are ordinals of {@link MmaType}. */
  public static void multiply(Warp w, int mask, int m, int n, int k, int aType, int bType, int cType, int flags) {
    MmaUnits.of(w.cta).mma().multiply(m, n, k, MmaType.at(aType), MmaType.at(bType), MmaType.at(cType), flags);
  }

  /** Multiplies with a structured sparse A, whose ports hold the half of its elements that is stored. */
  public static void multiplySparse(Warp w, int mask, int m, int n, int k, int aType, int bType, int cType, int flags,
      int[] metadata, int selector) {
    MmaUnits.of(w.cta).mma().multiplySparse(m, n, k, MmaType.at(aType), MmaType.at(bType), MmaType.at(cType),
        new SparseMetadata(metadata, selector, k / 2, MmaType.at(aType)), (flags & SATURATE) != 0);
  }

  /** Multiplies with block scales, which lie where {@link WarpScales} says; the type is that of the scales. */
  public static void multiplyScaled(Warp w, int mask, int m, int n, int k, int aType, int bType, int cType, int flags,
      int[] aScales, int[] aByte, int[] aThread, int[] bScales, int[] bByte, int[] bThread, int vector, int type,
      int site) {
    MmaUnits.of(w.cta).mma().take(m, n, k, MmaType.at(aType), MmaType.at(bType), MmaType.at(cType), flags);
    var rows = WarpScales.ofA(w, aScales, aByte[0], aThread[0], vector, site);
    var columns = WarpScales.ofB(w, bScales, bByte[0], bThread[0], vector, site);
    var product = new ScaledMma(MmaUnits.of(w.cta).mma().matrices, w.cta.state.fp4Model, ScaleFormat.values()[type],
        rows, columns);
    if ((flags & BYTES) != 0) {
      product.multiplyBytes(m, n, k, MmaType.at(aType), MmaType.at(bType));
    } else {
      product.multiplyNibbles(m, n);
    }
  }

  public static void d(Warp w, int mask, int register, int type, int[] lanes) {
    var unit = MmaUnits.of(w.cta).mma();
    boolean half = MmaType.at(type) == MmaType.F16;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if (half) {
        float low = unit.matrices.floats[unit.placeC(lane, 2 * register)];
        float high = unit.matrices.floats[unit.placeC(lane, 2 * register + 1)];
        lanes[lane] = HalfMath.packF16(high, low);
      } else {
        lanes[lane] = unit.matrices.integers[unit.placeC(lane, register)];
      }
    }
  }

  public static void d(Warp w, int mask, int register, int type, float[] lanes) {
    var unit = MmaUnits.of(w.cta).mma();
    for (int lane = 0; lane < Warp.LANES; lane++) {
      lanes[lane] = unit.matrices.floats[unit.placeC(lane, register)];
    }
  }

  public static void d(Warp w, int mask, int register, int type, double[] lanes) {
    var unit = MmaUnits.of(w.cta).mma();
    for (int lane = 0; lane < Warp.LANES; lane++) {
      lanes[lane] = unit.matrices.doubles[unit.placeC(lane, register)];
    }
  }

  private void take(int m, int n, int k, MmaType aType, MmaType bType, MmaType cType, int flags) {
    wmma = (flags & WMMA) != 0;
    bytes = (flags & BYTES) != 0;
    rows = m;
    columns = n;
    depth = k;
    takeA(aType);
    takeB(bType);
    takeC(cType);
  }

  private void multiply(int m, int n, int k, MmaType aType, MmaType bType, MmaType cType, int flags) {
    take(m, n, k, aType, bType, cType, flags);
    if (aType == MmaType.F64) {
      matrices.multiplyDoubles(m, n, k, flags >> ROUNDING);
    } else if (aType == MmaType.B1) {
      matrices.countBits(m, n, k, (flags & XOR) != 0);
    } else if (aType.isInteger()) {
      matrices.multiplyIntegers(m, n, k, (flags & SATURATE) != 0);
    } else {
      boolean half = (flags & HALF_RESULT) != 0;
      // Where C is f32 so are the sums, and an ordinary conversion follows.
      var arithmetic = MmaArithmetic.of(architecture, aType, bType, half && cType == MmaType.F16);
      matrices.multiplyFloats(tile, m, n, k, wmma ? arithmetic.ofWmma() : arithmetic);
      if ((flags & SATURATE) != 0) matrices.makeFinite(m * n, half ? LARGEST_HALF : Float.MAX_VALUE);
    }
  }

  private void multiplySparse(int m, int n, int k, MmaType aType, MmaType bType, MmaType cType,
      SparseMetadata metadata, boolean saturate) {
    wmma = false;
    bytes = false;
    rows = m;
    columns = n;
    depth = k / 2;
    takeA(aType);
    depth = k;
    takeB(bType);
    takeC(cType);
    var arithmetic = MmaArithmetic.of(architecture, aType, bType, cType == MmaType.F16);
    matrices.multiplySparse(tile, m, n, k, arithmetic, metadata, saturate);
  }

  private void takeA(MmaType type) {
    int each = each(type);
    int elements = rows * depth / Warp.LANES;
    if (wmma && type != MmaType.F64) {
      takeInOrder(a, matrices.a, elements, type);
      return;
    }
    for (int lane = 0; lane < Warp.LANES; lane++) {
      for (int e = 0; e < elements; e++) {
        int place;
        if (wmma) {
          place = lane * elements + e;
        } else {
          int register = e / each;
          int half = rows == 16 ? register & 1 : 0;
          int step = rows == 16 ? register >> 1 : register;
          place = ((lane >> 2) + 8 * half) * depth + ((lane & 3) + 4 * step) * each + e % each;
        }
        if (type == MmaType.F64) {
          matrices.aDouble[place] = aDouble[e][lane];
        } else {
          matrices.a[place] = element(a[e / each][lane], e % each, type);
        }
      }
    }
  }

  private void takeB(MmaType type) {
    int each = each(type);
    int elements = columns * depth / Warp.LANES;
    if (wmma && type != MmaType.F64) {
      takeInOrder(b, matrices.b, elements, type);
      return;
    }
    for (int lane = 0; lane < Warp.LANES; lane++) {
      for (int e = 0; e < elements; e++) {
        int place = wmma ? lane * elements + e
            : (lane >> 2) * depth + ((lane & 3) + 4 * (e / each)) * each + e % each;
        if (type == MmaType.F64) {
          matrices.bDouble[place] = bDouble[e][lane];
        } else {
          matrices.b[place] = element(b[e / each][lane], e % each, type);
        }
      }
    }
  }

  /** Unpacks fragments of {@code wmma}, of which each lane has a run of neighbours. */
  private void takeInOrder(int[][] from, int[] to, int elements, MmaType type) {
    int each = each(type);
    boolean halves = type.perRegister() == 2;
    for (int r = 0; r * each < elements; r++) {
      int[] register = from[r];
      for (int lane = 0; lane < Warp.LANES; lane++) {
        int place = lane * elements + r * each;
        if (halves) {
          to[place] = register[lane] & 0xFFFF;
          to[place + 1] = register[lane] >>> 16;
        } else {
          for (int i = 0; i < each; i++) to[place + i] = element(register[lane], i, type);
        }
      }
    }
  }

  private int each(MmaType type) {
    return bytes ? Integer.BYTES : type.perRegister();
  }

  private int element(int register, int index, MmaType type) {
    return switch (type) {
      case E3M2, E2M3 -> register >>> 8 * index & 0x3F;
      // In a byte the four bits stand in the middle.
      case E2M1 -> (bytes ? register >>> 8 * index + 2 : register >>> 4 * index) & 0xF;
      case F16, BF16 -> register >>> 16 * index & 0xFFFF;
      case E4M3, E5M2 -> register >>> 8 * index & 0xFF;
      case TF32 -> register;
      default -> type.integer(register, index);
    };
  }

  private void takeC(MmaType type) {
    int elements = rows * columns / Warp.LANES;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      for (int e = 0; e < elements; e++) {
        int place = placeC(lane, e);
        switch (type) {
          case F16 -> matrices.floats[place] = Conversions.fromF16(c[e / 2][lane] >>> 16 * (e % 2) & 0xFFFF);
          case F32 -> matrices.floats[place] = cFloat[e][lane];
          case F64 -> matrices.doubles[place] = cDouble[e][lane];
          default -> matrices.integers[place] = c[e][lane];
        }
      }
    }
  }

  /** Where element {@code e} of a lane's accumulators lies: pairs of neighbours, rows eight apart. */
  private int placeC(int lane, int e) {
    if (wmma) return lane * (rows * columns / Warp.LANES) + e;
    return ((lane >> 2) + 8 * (e >> 1)) * columns + 2 * (lane & 3) + (e & 1);
  }
}
