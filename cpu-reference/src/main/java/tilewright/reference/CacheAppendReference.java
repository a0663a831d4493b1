package tilewright.reference;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.numerics.ElementType;

/**
 * Caches "K" and "V" (B,rows,H,D), or pages of them where "pageTable" (B,N) names those of each batch entry, after the
 * keys "newK" and values "newV" (B,S,H,D) have come to the positions before the lengths "keyLengths" (B); and queries
 * "newQ" in "Q". The first columns of keys and queries are turned by rows of "C" and "T", and elements of 8 bits are
 * codes, by "descaleQ", "descaleK" and "descaleV" (B,H), or by the largest magnitude of each of their rows, from which
 * "descaleK" and "descaleV" (B,rows,H), or of pages, come.
 *
 * @param rows of a batch entry or page of the cache
 * @param queries type of queries in "Q"
 * @param ranges the factors of rows of keys and of values, none where factors are given
 * @param turned columns that are turned
 */
public record CacheAppendReference(int tokens, int heads, int keyHeads, int dim, int valueDim, int rows,
    ElementType cache, ElementType queries, Map<String, Range> ranges, Rotation rotation, int turned, boolean paged)
    implements Reference {

  /** The bounds of a row's factor. */
  public record Range(float least, float most) {
    private float factor(float[] row) {
      float largest = HeadQuantizer.largest(new float[][] {row}, 0, 1);
      return Math.clamp(largest / HeadQuantizer.limit(ElementType.E4M3), least, most);
    }
  }

  @Override
  public List<Expected> of(Map<String, double[]> tensors) {
    var results = new ArrayList<Expected>();
    appended(tensors, "K", dim, turned, results);
    appended(tensors, "V", valueDim, 0, results);
    if (tensors.containsKey("newQ")) results.add(Expected.bits("Q", queriesOf(tensors)));
    return results;
  }

  private void appended(Map<String, double[]> tensors, String name, int columns, int turnedColumns,
      List<Expected> results) {
    var to = tensors.get(name).clone();
    var from = tensors.get("new" + name);
    var lengths = tensors.get("keyLengths");
    var range = Optional.ofNullable(ranges.get(name));
    var factors = range.map(_ -> tensors.get("descale" + name).clone()).orElseGet(() -> new double[0]);
    for (int row = 0; row * columns < from.length; row++) {
      int head = row % keyHeads;
      int entry = row / keyHeads / tokens;
      int position = (int) lengths[entry] - tokens + row / keyHeads % tokens;
      if (position < 0) continue;
      int slot = paged ? (int) tensors.get("pageTable")[entry * pages(tensors) + position / rows] : entry;
      int at = (slot * rows + (paged ? position % rows : position)) * keyHeads + head;
      var values = turnedRow(tensors, from, row, columns, turnedColumns, position);
      range.ifPresent(r -> factors[at] = r.factor(values));
      double[] stored = cache.bits() == 8 ? codes(values, range.isPresent() ? factors[at]
          : tensors.get("descale" + name)[entry * keyHeads + head]) : rounded(cache, values);
      System.arraycopy(stored, 0, to, at * columns, columns);
    }
    results.add(Expected.bits(name, to));
    if (range.isPresent()) results.add(Expected.bits("descale" + name, factors));
  }

  private static int pages(Map<String, double[]> tensors) {
    return tensors.get("pageTable").length / tensors.get("keyLengths").length;
  }

  /** The queries; those of tokens without a position are zeros. */
  private double[] queriesOf(Map<String, double[]> tensors) {
    var from = tensors.get("newQ");
    var results = new double[from.length];
    for (int row = 0; row * dim < from.length; row++) {
      int entry = row / heads / tokens;
      int position = (int) tensors.get("keyLengths")[entry] - tokens + row / heads % tokens;
      var values = position < 0 ? new float[dim] : turnedRow(tensors, from, row, dim, turned, position);
      var stored = queries.bits() == 8 ? codes(values, tensors.get("descaleQ")[entry * heads + row % heads])
          : rounded(queries, values);
      System.arraycopy(stored, 0, results, row * dim, dim);
    }
    return results;
  }

  /** A row of new tokens, of which the first columns are turned. */
  private float[] turnedRow(Map<String, double[]> tensors, double[] from, int row, int columns, int turnedColumns,
      int position) {
    var values = new float[columns];
    for (int d = 0; d < columns; d++) values[d] = (float) from[row * columns + d];
    if (turnedColumns > 0) {
      var angles = new HeadQuantizer.Tables(new float[][] {angles(tensors.get("C"), position)},
          new float[][] {angles(tensors.get("T"), position)}, new float[0]);
      var first = Arrays.copyOfRange(from, row * columns, row * columns + turnedColumns);
      var result = new HeadQuantizer(ElementType.E4M3, rotation, false).stepwise(new double[][] {first}, angles)[0];
      System.arraycopy(result, 0, values, 0, turnedColumns);
    }
    return values;
  }

  private static double[] rounded(ElementType type, float[] values) {
    var rounded = new double[values.length];
    for (int d = 0; d < values.length; d++) rounded[d] = type.round(values[d]);
    return rounded;
  }

  private static double[] codes(float[] values, double factor) {
    var quantizer = new HeadQuantizer(ElementType.E4M3, Rotation.NONE, false);
    var codes = new double[values.length];
    quantizer.round(values, quantizer.inverseOf((float) factor, values.length), codes);
    return codes;
  }

  private float[] angles(double[] table, int position) {
    var angles = new float[turned / 2];
    for (int pair = 0; pair < angles.length; pair++) angles[pair] = (float) table[position * angles.length + pair];
    return angles;
  }
}
