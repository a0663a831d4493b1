package tilewright.reference;

import tilewright.numerics.ElementType;

/**
 * Quantises the rows (S,D) of one head to an 8-bit float: element ≈ code · factor. First a rotary embedding turns pairs
 * of columns, then every column gets its sign and a row its {@link Hadamard} transform, where these are chosen.
 *
 * <p>A factor is the largest finite magnitude of its rows over the type's largest number; below {@link #LEAST} it is 1
 * and the codes are 0. What is no finite number after the transform has the code NaN.
 *
 * @param narrow E4M3 or E5M2
 */
public record HeadQuantizer(ElementType narrow, Rotation rotation, boolean hadamard) {
  /** The least magnitude of a block that is not zero for its codes: its reciprocal and products are normal numbers. */
  public static final float LEAST = 0x1p-100f;

  public HeadQuantizer {
    limit(narrow);
  }

  /**
   * The tables that rows are changed by.
   *
   * @param cosines (S,D/2), read where pairs are turned; likewise {@code sines}
   * @param signs (D), read before a Hadamard transform
   */
  public record Tables(float[][] cosines, float[][] sines, float[] signs) {
    /** No angles and no signs. */
    public static final Tables NONE = new Tables(new float[0][], new float[0][], new float[0]);
  }

  /** Codes as numbers (rows, columns), and the factor of each block of rows. */
  public record Result(double[][] codes, float[] factors) {}

  /**
   * The largest number of an 8-bit float.
   *
   * @throws IllegalArgumentException for another type
   */
  public static float limit(ElementType narrow) {
    return switch (narrow) {
      case E4M3 -> 448;
      case E5M2 -> 57344;
      default -> throw new IllegalArgumentException("cannot quantise heads to " + narrow.text() + ": e4m3 or e5m2");
    };
  }

  /** √order of the transform that the factors carry, as FP32: 1 without one. */
  public static float root(boolean hadamard, int columns) {
    return hadamard ? (float) Math.sqrt(new Hadamard(columns).order()) : 1;
  }

  /** The divisor of a block's largest magnitude that gives its factor. */
  public static float divisor(ElementType narrow, boolean hadamard, int columns) {
    return hadamard ? (float) (limit(narrow) * Math.sqrt(new Hadamard(columns).order())) : limit(narrow);
  }

  /** Transforms the rows exactly, by the orthogonal transform. */
  public double[][] exact(double[][] rows, Tables tables) {
    var results = new double[rows.length][];
    for (int s = 0; s < rows.length; s++) {
      var row = rows[s].clone();
      for (int pair = 0; rotation != Rotation.NONE && pair < row.length / 2; pair++) {
        int first = rotation.first(pair);
        int second = rotation.second(pair, row.length);
        double c = tables.cosines[s][pair];
        double t = tables.sines[s][pair];
        row[first] = rows[s][first] * c - rows[s][second] * t;
        row[second] = rows[s][second] * c + rows[s][first] * t;
      }
      results[s] = hadamard ? incoherent(row, tables.signs) : row;
    }
    return results;
  }

  private static double[] incoherent(double[] row, float[] signs) {
    for (int d = 0; d < row.length; d++) row[d] *= signs[d];
    var transform = new Hadamard(row.length);
    var result = transform.exact(row);
    for (int d = 0; d < row.length; d++) result[d] *= transform.normalisation();
    return result;
  }

  /** Transforms the rows in FP32 in the order of the kernels, without the Hadamard transform's normalisation. */
  public float[][] stepwise(double[][] rows, Tables tables) {
    var results = new float[rows.length][];
    for (int s = 0; s < rows.length; s++) {
      var x = new float[rows[s].length];
      for (int d = 0; d < x.length; d++) x[d] = (float) rows[s][d];
      var row = x.clone();
      for (int pair = 0; rotation != Rotation.NONE && pair < x.length / 2; pair++) {
        int first = rotation.first(pair);
        int second = rotation.second(pair, x.length);
        float c = tables.cosines[s][pair];
        float t = tables.sines[s][pair];
        row[first] = Math.fma(x[first], c, -(x[second] * t));
        row[second] = Math.fma(x[second], c, x[first] * t);
      }
      for (int d = 0; hadamard && d < row.length; d++) row[d] *= tables.signs[d];
      results[s] = hadamard ? new Hadamard(row.length).stepwise(row) : row;
    }
    return results;
  }

  /** The largest finite magnitude of transformed rows from {@code from} to before {@code to}; 0 without one. */
  public static float largest(float[][] rows, int from, int to) {
    float largest = 0;
    for (int s = from; s < to; s++) {
      for (float value : rows[s]) if (Float.isFinite(value)) largest = Math.max(largest, Math.abs(value));
    }
    return largest;
  }

  /**
   * Quantises with a factor for each {@code block} rows from their largest magnitude; there is one factor at least.
   *
   * @param columns of the rows
   */
  public Result perBlock(double[][] rows, int columns, Tables tables, int block) {
    var transformed = stepwise(rows, tables);
    var factors = new float[Math.max(1, Math.ceilDiv(rows.length, block))];
    var codes = new double[rows.length][columns];
    for (int i = 0; i < factors.length; i++) {
      int to = Math.min(rows.length, (i + 1) * block);
      float largest = largest(transformed, i * block, to);
      factors[i] = factor(largest, columns);
      for (int s = i * block; s < to; s++) round(transformed[s], inverse(largest), codes[s]);
    }
    return new Result(codes, factors);
  }

  /** The factor of rows with this largest magnitude. */
  public float factor(float largest, int columns) {
    return largest < LEAST ? 1 : largest / divisor(narrow, hadamard, columns);
  }

  /** The multiplier that brings rows with this largest magnitude to the type's largest number. */
  public float inverse(float largest) {
    return largest < LEAST ? 1 : limit(narrow) / largest;
  }

  /** The multiplier for a factor that is given. */
  public float inverseOf(float factor, int columns) {
    return 1 / (factor * root(hadamard, columns));
  }

  /** Rounds a transformed row times a multiplier to codes, to nearest even and saturating. */
  public void round(float[] row, float inverse, double[] codes) {
    float limit = limit(narrow);
    for (int d = 0; d < row.length; d++) {
      float scaled = row[d] * inverse;
      codes[d] = Float.isFinite(row[d]) ? narrow.round(Math.clamp(scaled, -limit, limit)) : Double.NaN;
    }
  }
}
