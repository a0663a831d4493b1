package tilewright.layout.bank;

import java.util.ArrayList;
import java.util.List;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;

/**
 * Accesses of one warp's lanes by one instruction: a number of bytes from one element each. {@code ldmatrix} and
 * {@code stmatrix} are patterns of 16 bytes: eight lanes address the rows of a matrix.
 *
 * @param name says which access it is
 * @param indices the colexicographic index in the memory's shape at which each lane begins
 * @param accessBytes 1, 2, 4, 8 or 16 for each lane
 */
public record AccessPattern(String name, List<Long> indices, int accessBytes) {
  private static final int WARP = BankGeometry.WARP;
  private static final int MATRIX_ROWS = 8;
  private static final int ROW_BYTES = 16;

  public AccessPattern {
    indices = List.copyOf(indices);
    if (Integer.bitCount(accessBytes) != 1 || accessBytes < 1 || accessBytes > ROW_BYTES) {
      throw new IllegalArgumentException("invalid access of " + accessBytes
          + " bytes: a lane accesses 1, 2, 4, 8 or 16");
    }
    if (indices.isEmpty() || indices.size() > WARP) {
      throw new IllegalArgumentException("invalid access by " + indices.size() + " lanes: a warp has 1 to " + WARP);
    }
  }

  /** @param lanes lane → index, for at most 32 lanes */
  public static AccessPattern of(String name, OffsetMap lanes, int accessBytes) {
    return new AccessPattern(name, table(lanes, 0, (int) Math.min(lanes.size(), WARP + 1)), accessBytes);
  }

  private static List<Long> table(OffsetMap map, long first, int count) {
    var table = new ArrayList<Long>();
    for (var i = 0; i < count; i++) table.add(map.apply(first + i));
    return table;
  }

  /**
   * Neighbouring lanes walk along a mode; where it ends, they go on in the next ones. Lanes that access several
   * elements take steps as long along the mode in which elements are neighbours.
   *
   * @throws IllegalArgumentException if no mode has as many neighbouring elements as a lane accesses
   */
  public static AccessPattern along(OffsetMap memory, int mode, int elementBytes, int accessBytes) {
    var walk = Walk.of(memory, elementBytes, accessBytes);
    var order = new ArrayList<Integer>();
    order.add(mode);
    for (var i = 0; i < memory.rank(); i++) if (i != mode) order.add(i);
    var indices = new ArrayList<Long>();
    for (var lane = 0L; lane < Math.min(WARP, walk.steps()); lane++) indices.add(walk.index(order, lane));
    return new AccessPattern("along mode " + mode, indices, accessBytes);
  }

  /**
   * The row addresses of {@code ldmatrix} or {@code stmatrix} with 1, 2 or 4 matrices of eight rows of 16 bytes: first
   * below each other, two at most, then beside each other.
   *
   * @throws IllegalArgumentException if the memory has no mode with neighbouring elements, or too few rows
   */
  public static AccessPattern matrices(OffsetMap memory, int count, int elementBytes) {
    if (count != 1 && count != 2 && count != 4) {
      throw new IllegalArgumentException("invalid ldmatrix of " + count + " matrices: there are 1, 2 or 4");
    }
    var walk = Walk.of(memory, elementBytes, ROW_BYTES);
    var rows = walk.contiguous() == 0 ? 1 : 0;
    if (memory.rank() != 2 || walk.extent(rows) < MATRIX_ROWS) {
      throw new IllegalArgumentException(memory + " has no " + MATRIX_ROWS + " rows of " + ROW_BYTES
          + " bytes: ldmatrix needs two modes, one of neighbours");
    }
    var below = Math.min(2, walk.extent(rows) / MATRIX_ROWS);
    if (walk.extent(walk.contiguous()) < Math.ceilDiv(count, below)) {
      throw new IllegalArgumentException(memory + " has too few elements for " + count + " matrices of ldmatrix");
    }
    var indices = new ArrayList<Long>();
    for (var lane = 0; lane < MATRIX_ROWS * count; lane++) {
      var matrix = lane / MATRIX_ROWS;
      var step = lane % MATRIX_ROWS + MATRIX_ROWS * (matrix % below) + matrix / below * walk.extent(rows);
      indices.add(walk.index(List.of(rows, walk.contiguous()), step));
    }
    return new AccessPattern("ldmatrix.x" + count, indices, ROW_BYTES);
  }

  /**
   * All accesses of a thread-value layout, for each warp one after the other.
   *
   * @param threadValue (thread, value) → index
   * @param values that a thread accesses at once; divides the number of values
   */
  public static List<AccessPattern> ofThreadValues(Layout threadValue, int values, int elementBytes) {
    if (threadValue.rank() != 2) {
      throw new IllegalArgumentException(threadValue + " has rank " + threadValue.rank()
          + "; a thread-value layout has a mode of threads and a mode of values");
    }
    var threads = threadValue.shape().mode(0).size();
    var all = threadValue.shape().mode(1).size();
    if (values < 1 || all % values != 0) {
      throw new IllegalArgumentException("invalid access of " + values + " values at once: " + all
          + " values of a thread are no multiple of it");
    }
    var patterns = new ArrayList<AccessPattern>();
    for (long warp = 0; warp < threads; warp += WARP) {
      for (long value = 0; value < all; value += values) {
        var lanes = (int) Math.min(WARP, threads - warp);
        var name = (threads > WARP ? "warp " + warp / WARP + ", " : "") + "value " + value;
        patterns.add(new AccessPattern(name, table(threadValue, value * threads + warp, lanes),
            Math.multiplyExact(values, elementBytes)));
      }
    }
    return patterns;
  }

  /** Where each lane begins, in bytes. */
  List<Long> bytes(OffsetMap memory, int elementBytes) {
    long factor = ElementBytes.check(elementBytes);
    return indices.stream().map(index -> Math.multiplyExact(memory.apply(index), factor)).toList();
  }
}
