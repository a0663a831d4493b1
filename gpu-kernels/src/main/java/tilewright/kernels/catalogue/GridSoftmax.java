package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Vector;
import tilewright.kernel.collective.GridPhases;
import tilewright.kernel.collective.ThreadGroup;
import tilewright.numerics.ElementType;
import tilewright.reference.RowReference;

/**
 * Y(i) = exp(X(i) - s) / Σ exp(X - s) over all N elements, s the largest: blocks reduce their parts, each to a maximum
 * and a sum relative to it, and once all have, blocks combine these and write. A NaN or +∞ makes all of Y NaN, -∞
 * becomes 0. No result is known before the last element has been read, and no chip holds half a gibibyte: what has to
 * be moved is X twice and Y once.
 *
 * @param blocks of each phase
 */
record GridSoftmax(ElementType type, int vector, int blocks) implements Kernel {
  private static final int THREADS = 256;
  private static final int BYTES = 64;
  /** Every block of the second phase combines so many partial results. */
  private static final int MOST_BLOCKS = 32 * 132;

  static final Family FAMILY = new Family() {
    @Override
    public String name() {
      return "grid_softmax";
    }

    @Override
    public String formula() {
      return "Y = softmax(X) over all of (N)";
    }

    @Override
    public List<Setting> settings() {
      return List.of(Setting.extent("n", 1 << 20), Setting.option("dtype", "f32", "f16", "bf16"),
          Setting.option("vec", "16", "1"), Setting.tuning("blocks"));
    }

    @Override
    public List<List<Integer>> awkward() {
      return List.of(List.of(0), List.of(1), List.of(4099), List.of(70001));
    }

    @Override
    public List<List<Integer>> measured() {
      return List.of(List.of(1 << 28));
    }

    @Override
    public Workload workload(Choice choice) {
      var type = choice.type("dtype");
      int n = choice.number("n");
      int vector = Math.max(1, choice.number("vec") / type.bytes());
      int blocks = Math.clamp(Math.ceilDiv(n, partition(type, vector).size()), 1,
          choice.tuned("blocks", MOST_BLOCKS));
      return Workload.of(new GridSoftmax(type, vector, blocks), Target.SM80, 2L * blocks,
          RowReference.softmax(type, n, true), Operand.input("X", type, choice, "n"),
          Operand.output("Y", type, choice, "n"),
          Operand.scratch("partial", ElementType.F32, new Operand.Fill.Poison(), 2L * blocks),
          Operand.scratch("tickets", ElementType.I32, new Operand.Fill.Zeros(), 2)).moving(3L * n * type.bytes());
    }
  };

  @Override
  public String name() {
    return "grid_softmax_" + type.text() + "_x" + vector;
  }

  private static Partition partition(ElementType type, int vector) {
    return Partition.runs(THREADS, vector, BYTES / type.bytes() / vector);
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(THREADS);
    var x = k.global(tensor("X").lastingReads());
    var y = k.global(tensor("Y"));
    var partial = k.global(TensorSpec.of("partial", ElementType.F32, "both").contiguous("both").aligned(2));
    var group = new ThreadGroup(k, thread, THREADS, THREADS);

    new GridPhases(k, thread, blocks).run(block -> {
      var sum = new Sum(k);
      eachRun(k, thread, block, x, false, (_, _, values) -> sum.set(OnlineSum.add(sum.value(), values)));
      var mine = group.reduceAll(sum.value(), OnlineSum::merge);
      k.when(thread.equalTo(0), () -> {
        var both = partial.tile(List.of(2), block);
        for (int i = 0; i < mine.size(); i++) both.at(k.constant(i)).store(mine.get(i));
      });
    }, block -> {
      var sum = new Sum(k);
      k.loop(thread, k.constant(blocks), THREADS, i ->
          sum.set(OnlineSum.merge(sum.value(), partial.tile(List.of(2), i).at(k.constant(0)).load(2))));
      var all = group.reduceAll(sum.value(), OnlineSum::merge);
      var factor = all.get(1).reciprocal();
      // From the end on, which is what L2 still has.
      eachRun(k, thread, block, x, true, (tile, place, values) -> tiles(y, tile).at(place)
          .store(values.stream().map(v -> OnlineSum.scale(v, all.get(0)).times(factor)).toList()));
    });
  }

  private TensorSpec tensor(String name) {
    return TensorSpec.of(name, type, "N").contiguous("N").aligned(vector);
  }

  private GlobalTensor tiles(GlobalTensor whole, I32 tile) {
    return whole.tile(List.of(partition(type, vector).size()), tile);
  }

  /** A maximum and a sum that change. */
  private static final class Sum {
    private final F32.Accumulator max;
    private final F32.Accumulator sum;

    private Sum(Scope k) {
      max = k.accumulator(OnlineSum.LOWEST);
      sum = k.accumulator();
    }

    List<F32> value() {
      return List.of(max.value(), sum.value());
    }

    void set(List<F32> next) {
      // Both are computed before the first variable changes.
      next.forEach(F32::register);
      max.set(next.get(0));
      sum.set(next.get(1));
    }
  }

  /** What to do with a run of a tile. */
  private interface Body {
    void of(I32 tile, I32 place, List<F32> values);
  }

  /** Each run of every {@code blocks}-th tile; the last tile goes element by element. */
  private void eachRun(Scope k, I32 thread, I32 block, GlobalTensor x, boolean fromEnd, Body body) {
    var mine = partition(type, vector);
    var count = x.extent(0).ceilDiv(mine.size());
    k.loop(block, count, blocks, number -> {
      var tile = fromEnd ? count.minus(number).plus(-1).max(0) : number;
      var from = tiles(x, tile);
      k.when(from.contains(k.constant(mine.size() - 1)), () -> {
        var loaded = new ArrayList<Vector>();
        for (int v = 0; v < mine.values(); v += vector) {
          loaded.add(from.at(mine.coordinate(thread, v)).vector(vector));
        }
        for (int v = 0; v < mine.values(); v += vector) {
          body.of(tile, mine.coordinate(thread, v)[0], loaded.get(v / vector).values());
        }
      }, () -> k.loop(thread, from.remaining(0, mine.size()), THREADS,
          i -> body.of(tile, i, List.of(from.at(i).load()))));
    });
  }
}
