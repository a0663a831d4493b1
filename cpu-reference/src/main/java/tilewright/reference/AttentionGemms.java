package tilewright.reference;

import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
import tilewright.numerics.TensorCoreModel;
import tilewright.numerics.TensorCoreOperands;

/** The two GEMMs of attention, S = Q·Kᵀ and O += P·V. */
interface AttentionGemms {

  /** The element of S for a row of Q and a row of K. */
  double score(int query, int key);

  /**
   * Adds P·V of some keys to a row of O.
   *
   * @param p of neighbouring keys of one tile, rounded; 0 for keys that are not seen
   * @param first key of them
   */
  void addValues(double[] o, double[] p, AttentionReference.Scores scores, int first);

  /** GEMMs that add products one by one. */
  static AttentionGemms of(Precision precision, AttentionReference.Operands operands) {
    return new AttentionGemms() {
      @Override
      public double score(int query, int key) {
        return precision.dot(operands.q()[query], operands.k()[key]);
      }

      @Override
      public void addValues(double[] o, double[] p, AttentionReference.Scores scores, int first) {
        for (int i = 0; i < p.length; i++) {
          if (scores.sees(first + i)) precision.addRow(o, p[i], operands.v()[scores.read()[first + i]]);
        }
      }
    };
  }

  /** GEMMs of a model of tensor cores, bit by bit. */
  final class OnTensorCores implements AttentionGemms {
    private final AttentionReference attention;
    private final TensorCoreModel forScores;
    private final TensorCoreModel forValues;
    private final double unit;
    private final TensorCoreOperands[] q;
    private final TensorCoreOperands[] k;
    /** For each head of V of each batch entry, and each tile of keys, its columns. */
    private final TensorCoreOperands[][][] v;

    /** @param unit of P's codes */
    OnTensorCores(AttentionReference attention, TensorCoreModel forScores, TensorCoreModel forValues, double unit,
        int tile) {
      this.attention = attention;
      this.forScores = forScores;
      this.forValues = forValues;
      this.unit = unit;
      this.q = decoded(attention.q().type(), AttentionReference.rows(attention.q()));
      this.k = decoded(attention.k().type(), AttentionReference.rows(attention.k()));
      this.v = columns(AttentionReference.rows(attention.v()), tile);
    }

    private static TensorCoreOperands[] decoded(ElementType type, double[][] rows) {
      var all = new TensorCoreOperands[rows.length];
      for (int row = 0; row < rows.length; row++) all[row] = decoded(type, rows[row]);
      return all;
    }

    private static TensorCoreOperands decoded(ElementType type, double[] values) {
      var bits = new long[values.length];
      for (int i = 0; i < bits.length; i++) bits[i] = type.fromDouble(values[i], Rounding.NEAREST_EVEN);
      return new TensorCoreOperands(type, bits);
    }

    private TensorCoreOperands[][][] columns(double[][] rows, int tile) {
      int batches = attention.batches();
      int keys = attention.keys();
      int width = AttentionReference.extent(attention.v(), 3);
      int entries = keys == 0 ? 0 : rows.length / keys;
      var all = new TensorCoreOperands[entries][Math.ceilDiv(keys, tile)][width];
      for (int entry = 0; entry < entries; entry++) {
        for (int key = 0; key < keys; key += tile) {
          for (int d = 0; d < width; d++) {
            var column = new double[Math.min(tile, keys - key)];
            for (int i = 0; i < column.length; i++) {
              column[i] = rows[entry % batches + batches * (key + i + keys * (entry / batches))][d];
            }
            all[entry][key / tile][d] = decoded(attention.v().type(), column);
          }
        }
      }
      return all;
    }

    @Override
    public double score(int query, int key) {
      return ElementType.F32.toDouble(forScores.dot(0, q[query], k[key]));
    }

    @Override
    public void addValues(double[] o, double[] p, AttentionReference.Scores scores, int first) {
      int row = scores.read()[0];
      int entry = row % attention.batches() + attention.batches() * (row / attention.batches() / attention.keys());
      var columns = v[entry];
      int tile = columns[0][0].count();
      var codes = new double[columns[first / tile][0].count()];
      for (int i = 0; i < p.length; i++) codes[first % tile + i] = p[i] / unit;
      var decoded = decoded(forValues.a(), codes);
      for (int d = 0; d < o.length; d++) {
        long sum = ElementType.F32.fromDouble(o[d] / unit, Rounding.NEAREST_EVEN);
        o[d] = ElementType.F32.toDouble(forValues.dot(sum, decoded, columns[first / tile][d])) * unit;
      }
    }
  }
}
