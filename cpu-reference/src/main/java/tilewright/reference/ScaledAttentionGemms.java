package tilewright.reference;

import java.util.Arrays;
import tilewright.numerics.BlockScaledModel;
import tilewright.numerics.ElementType;
import tilewright.numerics.ScaledFactors;
import tilewright.reference.AttentionFactors.BlockScales;

/** The GEMMs of mxf8 operands on SM100's tensor cores, bit by bit. P has the scale one. */
final class ScaledAttentionGemms implements AttentionGemms {
  /** The exponent of the least normal scale of type ue8m0. */
  private static final int LEAST_SCALE = -127;

  private final AttentionReference attention;
  private final ElementType probabilities;
  private final double unit;
  private final int tile;
  private final ScaledFactors[] q;
  private final ScaledFactors[] k;
  /** For each head of V of each batch entry, and each tile of keys, its columns. */
  private final ScaledFactors[][][] v;

  /** @param unit of P's codes */
  ScaledAttentionGemms(AttentionReference attention, BlockScales scales, ElementType probabilities, double unit,
      int tile) {
    this.attention = attention;
    this.probabilities = probabilities;
    this.unit = unit;
    this.tile = tile;
    q = rows(attention.q(), scales.q());
    k = rows(attention.k(), scales.k());
    v = columns(AttentionReference.rows(attention.v()), AttentionReference.rows(scales.v()));
  }

  private static ScaledFactors[] rows(TensorView codes, TensorView scales) {
    var values = AttentionReference.rows(codes);
    var ofRows = AttentionReference.rows(scales);
    var all = new ScaledFactors[values.length];
    for (int row = 0; row < all.length; row++) all[row] = factors(codes.type(), values[row], ofRows[row]);
    return all;
  }

  private static ScaledFactors factors(ElementType type, double[] values, double[] scales) {
    return new ScaledFactors(values, leastExponent(type), scales, LEAST_SCALE, BlockScales.NEIGHBOURS);
  }

  private static int leastExponent(ElementType type) {
    return type == ElementType.E4M3 ? -6 : -14;
  }

  private ScaledFactors[][][] columns(double[][] rows, double[][] scales) {
    int batches = attention.batches();
    int keys = attention.keys();
    int width = AttentionReference.extent(attention.v(), 3);
    int entries = keys == 0 ? 0 : rows.length / keys;
    int blocks = Math.ceilDiv(keys, BlockScales.NEIGHBOURS);
    var all = new ScaledFactors[entries][Math.ceilDiv(keys, tile)][width];
    for (int entry = 0; entry < entries; entry++) {
      int batch = entry % batches;
      int head = entry / batches;
      for (int first = 0; first < keys; first += tile) {
        int count = Math.min(tile, keys - first);
        for (int d = 0; d < width; d++) {
          var column = new double[count];
          for (int i = 0; i < count; i++) column[i] = rows[batch + batches * (first + i + keys * head)][d];
          var ofColumn = new double[Math.ceilDiv(count, BlockScales.NEIGHBOURS)];
          for (int i = 0; i < ofColumn.length; i++) {
            ofColumn[i] = scales[batch + batches * (first / BlockScales.NEIGHBOURS + i + blocks * head)][d];
          }
          all[entry][first / tile][d] = factors(attention.v().type(), column, ofColumn);
        }
      }
    }
    return all;
  }

  @Override
  public double score(int query, int key) {
    return BlockScaledModel.MXF8F6F4.dot(0, q[query], k[key]);
  }

  @Override
  public void addValues(double[] o, double[] p, AttentionReference.Scores scores, int first) {
    int row = scores.read()[0];
    int batches = attention.batches();
    var columns = v[row % batches + batches * (row / batches / attention.keys())][first / tile];
    var codes = new double[columns[0].count()];
    for (int i = 0; i < p.length; i++) codes[first % tile + i] = p[i] / unit;
    var ones = new double[Math.ceilDiv(codes.length, BlockScales.NEIGHBOURS)];
    Arrays.fill(ones, 1);
    var decoded = factors(probabilities, codes, ones);
    for (int d = 0; d < o.length; d++) {
      o[d] = BlockScaledModel.MXF8F6F4.dot((float) (o[d] / unit), decoded, columns[d]) * unit;
    }
  }
}
