package tilewright.kernel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tilewright.layout.Layout;

/**
 * The elements of a tile that each thread has: a thread–value layout (threads, values) → column-major index in the
 * tile. Made only when coordinates of a thread and a value simply add up, which is checked on the whole domain.
 */
public final class Partition {
  /** Far more than a CTA's registers hold. */
  private static final long LARGEST = 1 << 20;

  private final Layout threadValue;
  private final long[] tile;
  private final List<Leaf> threadLeaves;

  /** {@code extent} steps of {@code step} elements that stay in one mode of the tile. */
  private record Leaf(long extent, long step) {}

  private Partition(Layout threadValue, long[] tile) {
    this.threadValue = threadValue;
    this.tile = tile;
    this.threadLeaves = leaves(threadValue.mode(0), tile);
  }

  /** The thread mode's leaves, cut where they run from one mode of the tile into the next. */
  private static List<Leaf> leaves(Layout threads, long[] tile) {
    var leaves = new ArrayList<Leaf>();
    long[] shape = threads.flatShape();
    long[] stride = threads.flatStride();
    for (int i = 0; i < shape.length; i++) {
      long extent = shape[i];
      long step = stride[i];
      long border = 1;
      for (long mode : tile) {
        border *= mode;
        if (step > 0 && step < border && extent * step > border && border % step == 0
            && extent % (border / step) == 0) {
          leaves.add(new Leaf(border / step, step));
          extent /= border / step;
          step = border;
        }
      }
      leaves.add(new Leaf(extent, step));
    }
    return List.copyOf(leaves);
  }

  /** A partition in which threads may share elements, as operands that several warps read. */
  public static Partition shared(Layout threadValue, long... tile) {
    if (threadValue.rank() != 2) throw new TraceException("not a thread-value layout: " + threadValue + " has rank "
        + threadValue.rank());
    if (threadValue.size() > LARGEST) throw new TraceException("cannot share out " + threadValue.size()
        + " elements among threads: at most " + LARGEST);
    var partition = new Partition(threadValue, tile.clone());
    partition.requireAdditive();
    return partition;
  }

  /** A partition that gives every element of the tile to exactly one thread and value. */
  public static Partition exact(Layout threadValue, long... tile) {
    var partition = shared(threadValue, tile);
    long size = Arrays.stream(tile).reduce(1, Math::multiplyExact);
    if (threadValue.size() == size && threadValue.isBijective()) return partition;
    var seen = new boolean[Math.toIntExact(size)];
    for (long i = 0; i < threadValue.size(); i++) {
      int element = Math.toIntExact(threadValue.apply(i));
      if (seen[element]) throw new TraceException(threadValue + " gives element " + element + " of tile "
          + Arrays.toString(tile) + " away twice");
      seen[element] = true;
    }
    for (int i = 0; i < seen.length; i++) {
      if (!seen[i]) throw new TraceException(threadValue + " leaves out element " + i + " of tile "
          + Arrays.toString(tile));
    }
    return partition;
  }

  /** A partition into {@code accesses} vectors per thread; with each access the threads cover a run without gaps. */
  public static Partition runs(int threads, int vector, int accesses) {
    if (Math.min(Math.min(threads, vector), accesses) < 1) {
      throw new TraceException("cannot share out elements among " + threads + " threads, each with " + accesses
          + " accesses of " + vector + ": one of each at least");
    }
    long stripe = (long) threads * vector;
    var values = Layout.of(Layout.of(vector, 1), Layout.of(accesses, stripe));
    return exact(Layout.of(Layout.of(threads, vector), values), stripe * accesses);
  }

  public int threads() {
    return Math.toIntExact(threadValue.mode(0).size());
  }

  /** Elements of the tile. */
  public int size() {
    return Math.toIntExact(Arrays.stream(tile).reduce(1, Math::multiplyExact));
  }

  public int values() {
    return Math.toIntExact(threadValue.mode(1).size());
  }

  public Layout layout() {
    return threadValue;
  }

  /** The tile's extents. */
  public List<Long> tile() {
    return Arrays.stream(tile).boxed().toList();
  }

  @Override
  public String toString() {
    return threadValue + " on " + tile();
  }

  /** The coordinate in the tile of a thread's value, one number a mode of the tile. */
  public I32[] coordinate(I32 thread, int value) {
    var k = thread.k;
    k.partitioned(this);
    long[] fixed = split(threadValue.mode(1).apply(value));
    var coordinate = new Linear[tile.length];
    for (int mode = 0; mode < tile.length; mode++) coordinate[mode] = Linear.of(fixed[mode]);
    long below = 1;
    for (var leaf : threadLeaves) {
      var digit = Arithmetic.remainder(k, Arithmetic.divide(k, thread.value, below), leaf.extent());
      long[] step = split(leaf.step());
      for (int mode = 0; mode < tile.length; mode++) coordinate[mode] = coordinate[mode].plus(digit.times(step[mode]));
      below *= leaf.extent();
    }
    return Arrays.stream(coordinate).map(c -> new I32(k, c)).toArray(I32[]::new);
  }

  private long[] split(long index) {
    var coordinate = new long[tile.length];
    for (int mode = 0; mode < tile.length; mode++) {
      coordinate[mode] = mode + 1 < tile.length ? index % tile[mode] : index;
      index /= tile[mode];
    }
    return coordinate;
  }

  private void requireAdditive() {
    var values = threadValue.mode(1);
    for (int mode = 0; mode < tile.length; mode++) {
      int thread = farthestThread(mode);
      int value = farthestValue(values, mode);
      long coordinate = digits(thread)[mode] + split(values.apply(value))[mode];
      if (coordinate >= tile[mode]) {
        throw new TraceException("thread-value layout " + threadValue + " leaves tile " + Arrays.toString(tile)
            + ": thread " + thread + ", value " + value + " has coordinate " + coordinate + " in mode " + mode);
      }
    }
  }

  /** The first thread whose coordinate is the largest: of digits that add up, each is at its end if it counts. */
  private int farthestThread(int mode) {
    long thread = 0;
    long below = 1;
    for (var leaf : threadLeaves) {
      if (leaf.extent() > 1 && split(leaf.step())[mode] > 0) thread += (leaf.extent() - 1) * below;
      below *= leaf.extent();
    }
    return Math.toIntExact(thread);
  }

  /** The first value whose coordinate is the largest. */
  private int farthestValue(Layout values, int mode) {
    int farthest = 0;
    long largest = -1;
    for (int value = 0; value < values(); value++) {
      long coordinate = split(values.apply(value))[mode];
      if (coordinate > largest) {
        farthest = value;
        largest = coordinate;
      }
    }
    return farthest;
  }

  private long[] digits(long thread) {
    var coordinate = new long[tile.length];
    for (var leaf : threadLeaves) {
      long[] step = split(leaf.step());
      for (int mode = 0; mode < tile.length; mode++) coordinate[mode] += thread % leaf.extent() * step[mode];
      thread /= leaf.extent();
    }
    return coordinate;
  }
}
