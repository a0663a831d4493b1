package tilewright.reference;

import java.util.Comparator;
import java.util.stream.IntStream;
import tilewright.numerics.ElementType;

/**
 * Matrices (M, K, L) whose rows have, of every chunk of neighbours along k, at most half that are not zero: two of four
 * ("2:4"), or one of two of tf32 (Mishra et al., "Accelerating Sparse Deep Neural Networks"; PTX ISA, Sparse matrix
 * storage). Compressed, half of the elements are stored, and four bits per chunk say where they stood.
 *
 * @param chunk elements, of which half are stored
 */
public record StructuredSparsity(int chunk) {
  private static final int POSITION_BITS = 2;
  /** The bits of a pair of tf32's halves, of which each has a position. */
  private static final int[] OF_ONE = {0x4, 0xE};

  public StructuredSparsity {
    if (chunk != 4 && chunk != 2) {
      throw new IllegalArgumentException("no tensor core takes half of " + chunk + " elements: of 4, or of 2 of tf32");
    }
  }

  /** The sparsity that tensor cores have for a type. */
  public static StructuredSparsity of(ElementType type) {
    return new StructuredSparsity(type == ElementType.TF32 ? 2 : 4);
  }

  /** Elements of a chunk that are stored. */
  private int kept() {
    return chunk / 2;
  }

  /** Chunks of a row of k elements, of which the last may have fewer. */
  public int chunks(int k) {
    return Math.ceilDiv(k, chunk);
  }

  /** Elements that are stored of a row of k. */
  public int stored(int k) {
    return chunks(k) * kept();
  }

  /** Sets to zero all but the larger half of each chunk by magnitude, of equal ones the first; NaN is the largest. */
  public void prune(TensorView matrix) {
    eachChunk(matrix, chunks(extent(matrix, 1)), (row, at, batch) -> {
      var largest = IntStream.range(0, Math.min(chunk, extent(matrix, 1) - at * chunk)).boxed()
          .sorted(Comparator.<Integer>comparingDouble(
              i -> Math.abs(matrix.value(index(matrix, row, at * chunk + i, batch)))).reversed()).skip(kept());
      largest.forEach(i -> matrix.set(index(matrix, row, at * chunk + i, batch), 0));
    });
  }

  /**
   * Compresses a matrix. Places beyond its extents are filled as if it were zero there.
   *
   * @param matrix (M, K, L)
   * @param stored (M or more, {@link #stored} or more, L), for the elements
   * @param positions (M or more, {@link #chunks} or more, L) of four bits, for the chunks
   * @throws IllegalArgumentException if more than half of a chunk are not zero
   */
  public void compress(TensorView matrix, TensorView stored, TensorView positions) {
    eachChunk(positions, extent(positions, 1), (row, at, batch) ->
        positions.setBits(index(positions, row, at, batch), bits(IntStream.range(0, kept()).toArray())));
    for (long i = 0; i < stored.size(); i++) stored.setBits(i, 0);
    eachChunk(matrix, chunks(extent(matrix, 1)), (row, at, batch) -> {
      int[] kept = kept(matrix, row, at, batch);
      positions.setBits(index(positions, row, at, batch), bits(kept));
      for (int i = 0; i < kept.length; i++) {
        int k = at * chunk + kept[i];
        if (k >= extent(matrix, 1)) continue;
        stored.setBits(index(stored, row, at * kept() + i, batch), matrix.bits(index(matrix, row, k, batch)));
      }
    });
  }

  /**
   * The places of a row from one to before another that are multiplied: of each chunk all that are not zero, and of the
   * first zeros as many as are missing.
   *
   * @param row of which places beyond its end are zeros
   */
  int[] multiplied(double[] row, int from, int to) {
    return IntStream.iterate(from, at -> at < to, at -> at + chunk).flatMap(at -> {
      var byPresence = IntStream.range(at, at + chunk).boxed()
          .sorted(Comparator.comparing(place -> place >= row.length || row[place] == 0));
      return byPresence.limit(kept()).mapToInt(place -> place).sorted();
    }).toArray();
  }

  /** Positions in a chunk of what is stored, in order: all that are not zero, and the first zeros if too few are. */
  private int[] kept(TensorView matrix, int row, int at, int batch) {
    int present = Math.min(chunk, extent(matrix, 1) - at * chunk);
    int[] nonzero = IntStream.range(0, present)
        .filter(i -> matrix.value(index(matrix, row, at * chunk + i, batch)) != 0).toArray();
    if (nonzero.length > kept()) {
      throw new IllegalArgumentException("row " + row + (extent(matrix, 2) > 1 ? " of batch entry " + batch : "")
          + ", columns " + at * chunk + " to " + (at * chunk + present - 1) + " have " + nonzero.length
          + " elements that are not zero: at most " + kept() + " of " + chunk + " may be, so prune the matrix first");
    }
    var zeros = IntStream.range(0, chunk).filter(i -> IntStream.of(nonzero).noneMatch(n -> n == i));
    return IntStream.concat(IntStream.of(nonzero), zeros.limit(kept() - nonzero.length)).sorted().toArray();
  }

  private int bits(int[] kept) {
    return kept.length == 1 ? OF_ONE[kept[0]] : kept[0] | kept[1] << POSITION_BITS;
  }

  private interface Chunk {
    void at(int row, int chunk, int batch);
  }

  private static void eachChunk(TensorView matrix, int chunks, Chunk body) {
    for (int batch = 0; batch < extent(matrix, 2); batch++) {
      for (int at = 0; at < chunks; at++) {
        for (int row = 0; row < extent(matrix, 0); row++) body.at(row, at, batch);
      }
    }
  }

  private static int extent(TensorView tensor, int mode) {
    return Math.toIntExact(tensor.layout().mode(mode).size());
  }

  private static long index(TensorView tensor, int row, int column, int batch) {
    return row + (long) extent(tensor, 0) * (column + (long) extent(tensor, 1) * batch);
  }
}
