package tilewright.reference;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import tilewright.numerics.ElementType;

/**
 * Caches "K" and "V" (B,rows,H,D), or pages of them where "pageTable" (B,N) names those of each batch entry, after the
 * keys "newK" and values "newV" (B,S,H,D) have come to the positions before the lengths "keyLengths" (B); and queries
 * "newQ" in "Q". The first columns of keys and queries are turned by rows of "C" and "T", and elements of 8 bits are
 * codes, by "descaleQ", "descaleK" and "descaleV" (B,H).
 *
 * @param rows of a batch entry or page of the cache
 * @param turned columns that are turned
 */
public record CacheAppendReference(int tokens, int heads, int keyHeads, int dim, int valueDim, int rows,
    ElementType cache, Rotation rotation, int turned, boolean paged) implements Reference {

  @Override
  public List<Expected> of(Map<String, double[]> tensors) {
    var results = new ArrayList<Expected>();
    results.add(Expected.bits("K", appended(tensors, "K", dim, turned)));
    results.add(Expected.bits("V", appended(tensors, "V", valueDim, 0)));
    if (tensors.containsKey("newQ")) results.add(Expected.bits("Q", queries(tensors)));
    return results;
  }

  private double[] appended(Map<String, double[]> tensors, String name, int columns, int turnedColumns) {
    var to = tensors.get(name).clone();
    var from = tensors.get("new" + name);
    var lengths = tensors.get("keyLengths");
    for (int row = 0; row * columns < from.length; row++) {
      int head = row % keyHeads;
      int entry = row / keyHeads / tokens;
      int position = (int) lengths[entry] - tokens + row / keyHeads % tokens;
      if (position < 0) continue;
      int slot = paged ? (int) tensors.get("pageTable")[entry * pages(tensors) + position / rows] : entry;
      int at = ((slot * rows + (paged ? position % rows : position)) * keyHeads + head) * columns;
      var values = moved(tensors, name, from, row, columns, turnedColumns, position, entry * keyHeads + head);
      System.arraycopy(values, 0, to, at, columns);
    }
    return to;
  }

  private static int pages(Map<String, double[]> tensors) {
    return tensors.get("pageTable").length / tensors.get("keyLengths").length;
  }

  /** The queries; those of tokens without a position are zeros. */
  private double[] queries(Map<String, double[]> tensors) {
    var from = tensors.get("newQ");
    var results = new double[from.length];
    for (int row = 0; row * dim < from.length; row++) {
      int entry = row / heads / tokens;
      int position = (int) tensors.get("keyLengths")[entry] - tokens + row / heads % tokens;
      var at = position < 0 ? new double[dim]
          : moved(tensors, "Q", from, row, dim, turned, position, entry * heads + row % heads);
      if (position < 0 && cache.bits() == 8) at = codes(new float[dim], tensors, "Q", entry * heads + row % heads);
      System.arraycopy(at, 0, results, row * dim, dim);
    }
    return results;
  }

  private double[] moved(Map<String, double[]> tensors, String name, double[] from, int row, int columns,
      int turnedColumns, int position, int factor) {
    var values = new float[columns];
    for (int d = 0; d < columns; d++) values[d] = (float) from[row * columns + d];
    if (turnedColumns > 0) {
      var angles = new HeadQuantizer.Tables(new float[][] {angles(tensors.get("C"), position)},
          new float[][] {angles(tensors.get("T"), position)}, new float[0]);
      var first = Arrays.copyOfRange(from, row * columns, row * columns + turnedColumns);
      var result = new HeadQuantizer(ElementType.E4M3, rotation, false).stepwise(new double[][] {first}, angles)[0];
      System.arraycopy(result, 0, values, 0, turnedColumns);
    }
    if (cache.bits() == 8) return codes(values, tensors, name, factor);
    var rounded = new double[columns];
    for (int d = 0; d < columns; d++) rounded[d] = cache.round(values[d]);
    return rounded;
  }

  private double[] codes(float[] values, Map<String, double[]> tensors, String name, int factor) {
    var quantizer = new HeadQuantizer(cache, Rotation.NONE, false);
    var codes = new double[values.length];
    float descale = (float) tensors.get("descale" + name)[factor];
    quantizer.round(values, quantizer.inverseOf(descale, values.length), codes);
    return codes;
  }

  private float[] angles(double[] table, int position) {
    var angles = new float[turned / 2];
    for (int pair = 0; pair < angles.length; pair++) angles[pair] = (float) table[position * angles.length + pair];
    return angles;
  }
}
