package tilewright.reference;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import tilewright.layout.Layout;

/**
 * The codes "Y" and factors "Factor" of "X" (B,S,H,D), with angles "C" and "T" (S,D/2) and signs "Signs" (D) where the
 * quantizer uses them, and the largest magnitudes "Amax" (B,H) or the factors (B,H) where these are given.
 */
public final class HeadQuantizerReference {
  /** All rows of a head share a factor. */
  public static final int WHOLE = Integer.MAX_VALUE;

  private HeadQuantizerReference() {}

  /** The extents of X. */
  public record Extents(int batches, int sequence, int heads, int columns) {
    private long elements() {
      return (long) batches * sequence * heads * columns;
    }

    /** (column, row, head, batch entry) → offset in X. */
    private Layout rows() {
      return Layout.of(Layout.of(columns, 1), Layout.of(sequence, (long) heads * columns), Layout.of(heads, columns),
          Layout.of(batches, (long) sequence * heads * columns));
    }

    /** (column, row, head, batch entry) → offset in the transposed codes, whose rows have so many keys. */
    private Layout transposed(long pitch) {
      return Layout.of(Layout.of(columns, pitch), Layout.of(sequence, 1), Layout.of(heads, columns * pitch),
          Layout.of(batches, heads * columns * pitch));
    }
  }

  /**
   * The codes in the order of X.
   *
   * @param block rows of a factor, or {@link #WHOLE}
   */
  public static Reference rows(HeadQuantizer quantizer, Extents extents, int block) {
    return tensors -> quantized(quantizer, extents, tensors, block, extents.elements(), extents.rows());
  }

  /** The codes with keys contiguous, in rows of {@code pitch} of which the last are zeros. */
  public static Reference transposed(HeadQuantizer quantizer, Extents extents, int block, long pitch) {
    return tensors -> quantized(quantizer, extents, tensors, block,
        pitch * extents.heads * extents.columns * extents.batches, extents.transposed(pitch));
  }

  /** The largest magnitude of each head. */
  public static Reference maxima(HeadQuantizer quantizer, Extents extents) {
    return tensors -> List.of(Expected.bits("Amax", heads(extents, tensors.get("X")).stream().mapToDouble(rows ->
        HeadQuantizer.largest(quantizer.stepwise(rows, tables(quantizer, extents, tensors)), 0, rows.length))
        .toArray()));
  }

  private static List<Expected> quantized(HeadQuantizer quantizer, Extents extents, Map<String, double[]> tensors,
      int block, long size, Layout places) {
    var tables = tables(quantizer, extents, tensors);
    var codes = new double[Math.toIntExact(size)];
    var factors = new ArrayList<Double>();
    var at = extents.elements() == 0 ? new long[0] : places.offsets();
    int next = 0;
    var heads = heads(extents, tensors.get("X"));
    for (int head = 0; head < heads.size(); head++) {
      var result = block == WHOLE ? whole(quantizer, extents, heads.get(head), tables, tensors, head)
          : quantizer.perBlock(heads.get(head), extents.columns, tables, block);
      for (var row : result.codes()) {
        for (double code : row) codes[Math.toIntExact(at[next++])] = code;
      }
      for (float factor : result.factors()) factors.add((double) factor);
    }
    var expected = new ArrayList<>(List.of(Expected.bits("Y", codes)));
    boolean given = block == WHOLE && !tensors.containsKey("Amax");
    if (!given) expected.add(Expected.bits("Factor", factors.stream().mapToDouble(f -> f).toArray()));
    return expected;
  }

  /** The rows of every head, heads of a batch entry after each other. */
  private static List<double[][]> heads(Extents e, double[] x) {
    var at = e.elements() == 0 ? new long[0] : e.rows().offsets();
    return IntStream.range(0, e.batches * e.heads).mapToObj(head -> IntStream.range(0, e.sequence).mapToObj(row ->
        IntStream.range(0, e.columns).mapToDouble(column ->
            x[Math.toIntExact(at[column + e.columns * (row + e.sequence * head)])]).toArray())
        .toArray(double[][]::new)).toList();
  }

  private static HeadQuantizer.Result whole(HeadQuantizer quantizer, Extents extents, double[][] rows,
      HeadQuantizer.Tables tables, Map<String, double[]> tensors, int head) {
    float inverse;
    float factor = 0;
    if (tensors.containsKey("Amax")) {
      float largest = (float) tensors.get("Amax")[head];
      inverse = quantizer.inverse(largest);
      factor = quantizer.factor(largest, extents.columns);
    } else {
      inverse = quantizer.inverseOf((float) tensors.get("Factor")[head], extents.columns);
    }
    var codes = new double[rows.length][extents.columns];
    var transformed = quantizer.stepwise(rows, tables);
    for (int s = 0; s < rows.length; s++) quantizer.round(transformed[s], inverse, codes[s]);
    return new HeadQuantizer.Result(codes, new float[] {factor});
  }

  private static HeadQuantizer.Tables tables(HeadQuantizer quantizer, Extents extents, Map<String, double[]> tensors) {
    boolean turned = quantizer.rotation() != Rotation.NONE;
    return new HeadQuantizer.Tables(turned ? table(extents, tensors.get("C")) : new float[0][],
        turned ? table(extents, tensors.get("T")) : new float[0][],
        quantizer.hadamard() ? floats(tensors.get("Signs")) : new float[0]);
  }

  private static float[][] table(Extents extents, double[] values) {
    int pairs = extents.columns / 2;
    return IntStream.range(0, extents.sequence).mapToObj(s ->
        floats(Arrays.copyOfRange(values, s * pairs, (s + 1) * pairs))).toArray(float[][]::new);
  }

  private static float[] floats(double[] values) {
    var floats = new float[values.length];
    for (int i = 0; i < values.length; i++) floats[i] = (float) values[i];
    return floats;
  }
}
