package tilewright.kernels.attention.decoding;

import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.collective.attention.FragmentRows;

/**
 * The factors of a block's tokens, which come to shared memory with the block's keys and values. Each is read where it
 * is used: held from S to P they would take the registers that the tiles need.
 *
 * @param rows of S or P
 * @param member the thread's number in its group
 */
record TokenFactors(FragmentRows rows, I32 member) {
  /**
   * Multiplies the thread's values of S or P by the factors of their columns.
   *
   * @param factor from a key of the group's part of the block to the factor of its token
   */
  List<F32> times(List<F32> values, Function<I32, F32> factor) {
    var first = rows.column(member).settled();
    var ofColumns = new TreeMap<Integer, F32>();
    for (int value = 0; value < values.size(); value++) {
      ofColumns.computeIfAbsent(rows.columnOffset(value), column -> factor.apply(first.plus(column).settled()));
    }
    var products = IntStream.range(0, values.size())
        .mapToObj(value -> values.get(value).times(ofColumns.get(rows.columnOffset(value)))).toList();
    products.forEach(F32::register);
    return products;
  }
}
