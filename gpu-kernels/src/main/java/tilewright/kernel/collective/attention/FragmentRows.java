package tilewright.kernel.collective.attention;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernel.tiled.Fragment;
import tilewright.ptx.Operand;

/**
 * A thread's part of a tile, row by row: which values lie in which row, and which lanes of the warp have the rest of
 * it. All of it is read from the partition.
 */
public final class FragmentRows {
  /** Chains a reduction of a row's values runs in, so that one does not wait for the other. */
  static final int CHAINS = 2;

  private final Partition partition;
  private final List<List<Integer>> values;
  private final List<Integer> partners;
  private final int[] rowOf;

  private FragmentRows(Partition partition, List<List<Integer>> values, List<Integer> partners) {
    this.partition = partition;
    this.values = values;
    this.partners = partners;
    this.rowOf = new int[partition.values()];
    for (int row = 0; row < values.size(); row++) {
      for (int value : values.get(row)) rowOf[value] = row;
    }
  }

  /** @throws TraceException unless each row belongs to one warp */
  public static FragmentRows of(Partition partition) {
    return of(partition, false);
  }

  /** The rows of a partition whose rows warps may share: {@link #acrossLanes} reaches those of one warp only. */
  public static FragmentRows overWarps(Partition partition) {
    return of(partition, true);
  }

  private static FragmentRows of(Partition partition, boolean overWarps) {
    long height = partition.tile().getFirst();
    var ofValues = partition.layout().mode(1);
    var offsets = IntStream.range(0, partition.values()).mapToLong(v -> ofValues.apply(v) % height).distinct().sorted()
        .boxed().toList();
    var values = offsets.stream().map(offset -> IntStream.range(0, partition.values())
        .filter(v -> ofValues.apply(v) % height == offset).boxed().toList()).toList();
    var partners = new ArrayList<Integer>();
    for (int bit = 1; bit < (overWarps ? Warp.SIZE : partition.threads()); bit *= 2) {
      if (partition.layout().mode(0).apply(bit) % height != 0) continue;
      if (bit >= Warp.SIZE) throw new TraceException(partition + " spreads a row over warps");
      partners.add(bit);
    }
    return new FragmentRows(partition, values, List.copyOf(partners));
  }

  public Partition partition() {
    return partition;
  }

  /** Rows a thread has a part of. */
  public int count() {
    return values.size();
  }

  /** The tile's row. */
  public I32 row(I32 thread, int row) {
    return partition.coordinate(thread, values.get(row).getFirst())[0];
  }

  /** The tile's column of the thread's first value. */
  public I32 column(I32 thread) {
    return partition.coordinate(thread, 0)[1];
  }

  /** Columns from the thread's first value to another. */
  public int columnOffset(int value) {
    return Math.toIntExact(partition.layout().mode(1).apply(value) / partition.tile().getFirst());
  }

  /** Whether the thread has the other value of the pair of columns, of which the first is even, in a value's row. */
  boolean hasNeighbour(int value) {
    int beside = columnOffset(value) ^ 1;
    return values.get(rowOf[value]).stream().anyMatch(other -> columnOffset(other) == beside);
  }

  /** The number of the value in the column beside that of the thread's first value. */
  public int neighbour() {
    return values.getFirst().stream().filter(value -> columnOffset(value) == 1).findFirst()
        .orElseThrow(() -> new TraceException(partition + " gives a thread no neighbours of a row"));
  }

  /** The values of a row. */
  public List<Integer> of(int row) {
    return values.get(row);
  }

  /** The number of a value's row among the thread's. */
  int rowOf(int value) {
    return rowOf[value];
  }

  /** The present values of a fragment's registers. */
  public List<F32> values(Scope k, Fragment fragment) {
    return registers(fragment).stream().map(k::result).toList();
  }

  /** The fragment's registers in the order of the partition's values. */
  static List<Operand.Register> registers(Fragment fragment) {
    return fragment.groups().stream().flatMap(List::stream).toList();
  }

  /** Replaces the values of a fragment's registers, where only some branches do. */
  public void set(Scope k, Fragment fragment, List<F32> all) {
    var registers = registers(fragment);
    for (int value = 0; value < registers.size(); value++) {
      k.emit("mov.f32", registers.get(value), all.get(value).register());
    }
  }

  /** Each value combined with its row's number. */
  public List<F32> withRows(List<F32> all, List<F32> perRow, BinaryOperator<F32> operation) {
    return IntStream.range(0, all.size()).mapToObj(v -> operation.apply(all.get(v), perRow.get(rowOf[v]))).toList();
  }

  /** A number of each row of the thread. */
  public List<F32> perRow(IntFunction<F32> number) {
    return IntStream.range(0, count()).mapToObj(number).toList();
  }

  /** Combines each row's own values in this thread. */
  List<F32> inThread(List<F32> all, BinaryOperator<F32> operation) {
    return values.stream().map(row -> {
      var chains = IntStream.range(0, Math.min(CHAINS, row.size())).mapToObj(chain ->
          IntStream.range(0, row.size()).filter(i -> i % CHAINS == chain).mapToObj(i -> all.get(row.get(i)))
              .reduce(operation).orElseThrow()).toList();
      return chains.stream().reduce(operation).orElseThrow();
    }).toList();
  }

  /** Combines a number of each row over the lanes that share it; all of them get the same. */
  public List<F32> acrossLanes(Scope k, List<F32> perRow, BinaryOperator<F32> operation) {
    var result = perRow;
    for (int bit : partners) {
      result = result.stream().map(x -> operation.apply(x, Shuffle.butterfly(k, x, bit))).toList();
    }
    return result;
  }

  /** Multiplies the registers of each row by its factor and adds those of another fragment. */
  public void scaleAndAdd(Scope k, Fragment fragment, List<F32> factors, Fragment terms) {
    var registers = registers(fragment);
    var added = registers(terms);
    for (int row = 0; row < count(); row++) {
      var factor = factors.get(row).register();
      for (int value : values.get(row)) {
        k.emit("fma.rn.f32", registers.get(value), registers.get(value), factor, added.get(value));
      }
    }
  }

  /** Multiplies the registers of each row by its factor. */
  public void scale(Scope k, Fragment fragment, List<F32> factors) {
    var registers = registers(fragment);
    for (int row = 0; row < count(); row++) {
      var factor = factors.get(row).register();
      for (int value : values.get(row)) k.emit("mul.rn.f32", registers.get(value), registers.get(value), factor);
    }
  }
}
