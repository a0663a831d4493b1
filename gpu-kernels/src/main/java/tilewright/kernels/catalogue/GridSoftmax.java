package tilewright.kernels.catalogue;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import tilewright.kernel.Chip;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.Exponential;
import tilewright.kernel.collective.GridPhases;
import tilewright.kernel.collective.ThreadGroup;
import tilewright.kernel.collective.TwoPartSum;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.reference.RowReference;

/**
 * Y(i) = exp(X(i) - s) / Σ exp(X - s) over all N elements, s the largest: blocks reduce their parts, each to a maximum
 * and a sum relative to it, the last of them combines these, and then blocks write. A NaN or +∞ makes all of Y NaN,
 * and so does nothing but -∞; else -∞ becomes 0. Threads' sums are added relative to one maximum, found before,
 * and in two parts: of a single row nothing hides what its sum is off by. No result is known before the last element
 * has been read, and no chip holds half a gibibyte: what has to be moved is X twice and Y once.
 *
 * @param blocks of each phase
 */
record GridSoftmax(ElementType type, int vector, int blocks) implements Kernel {
  private static final int THREADS = 256;
  /** Blocks of FP32 that an SM has room for with 80 registers per thread. */
  private static final int RESIDENT = 3;
  /** Elements of a tile that a thread has. */
  private static final int VALUES = 32;
  /** Numbers of a partial result: a maximum and the two parts of a sum, in the end those of its reciprocal. */
  private static final int PARTIAL = 3;
  /** Blocks for each SM at most: a single one combines the partial results of all. */
  private static final int MOST_BLOCKS = 32;

  static final List<Family> FAMILIES = List.of(new GridSoftmaxFamily(Chip.A100));

  private record GridSoftmaxFamily(Chip chip) implements Family {
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
    public Family on(int capability) {
      return new GridSoftmaxFamily(Chip.largest(capability));
    }

    @Override
    public Workload workload(Choice choice) {
      var type = choice.type("dtype");
      int n = choice.number("n");
      int vector = choice.vector("vec", type);
      int blocks = Math.clamp(Math.ceilDiv(n, partition(vector).size()), 1,
          choice.tuned("blocks", chip.grid(MOST_BLOCKS)));
      return Workload.of(new GridSoftmax(type, vector, blocks), Target.SM80, 2L * blocks,
          RowReference.softmax(type, n, true), Operand.input("X", type, choice, "n"),
          Operand.output("Y", type, choice, "n"),
          Operand.scratch("partial", ElementType.F32, new Operand.Fill.Poison(), (long) PARTIAL * blocks),
          Operand.scratch("total", ElementType.F32, new Operand.Fill.Poison(), PARTIAL),
          Operand.scratch("tickets", ElementType.I32, new Operand.Fill.Zeros(), 2)).moving(3L * n * type.bytes());
    }
  }

  @Override
  public String name() {
    return "grid_softmax_" + type.text() + "_x" + vector;
  }

  private static Partition partition(int vector) {
    return Partition.runs(THREADS, vector, VALUES / vector);
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(THREADS);
    // Left alone, the driver's compiler leaves room for two, which is 2 % slower, and ptxas spills to fit in a fourth.
    if (exponential() == Exponential.PRECISE) k.blocksPerMultiprocessor(RESIDENT);
    var x = k.global(tensor("X").lastingReads());
    var y = k.global(tensor("Y"));
    var partial = k.global(TensorSpec.of("partial", ElementType.F32, "all").contiguous("all"));
    var total = k.global(TensorSpec.of("total", ElementType.F32, "three").contiguous("three"));
    var group = new ThreadGroup(k, thread, THREADS, THREADS);
    var exponential = exponential();
    var online = new OnlineSum(exponential);

    new GridPhases(k, thread, blocks).run(block -> {
      var sum = new Variables(k, OnlineSum.NONE);
      eachTile(k, thread, block, x, false, (_, runs) -> sum.set(online.add(sum.value(),
          runs.stream().flatMap(run -> run.values().stream()).toList())));
      var max = group.max(sum.value().get(0));
      var mine = group.reduceAll(List.of(online.relative(sum.value().get(1), sum.value().get(0), max), k.constant(0f)),
          TwoPartSum::merge);
      k.when(thread.equalTo(0), () -> storeAll(k, partial, block, max, mine));
    }, () -> {
      var largest = new Variables(k, List.of(OnlineSum.LOWEST));
      k.loop(thread, k.constant(blocks), THREADS, i ->
          largest.set(List.of(largest.value().get(0).max(loadAll(k, partial, i).get(0)))));
      var max = group.max(largest.value().get(0));
      var sum = new Variables(k, TwoPartSum.NONE);
      k.loop(thread, k.constant(blocks), THREADS, i -> {
        var theirs = loadAll(k, partial, i);
        sum.set(TwoPartSum.merge(sum.value(), theirs.subList(1, PARTIAL).stream()
            .map(part -> online.relative(part, theirs.get(0), max)).toList()));
      });
      var factor = TwoPartSum.reciprocal(group.reduceAll(sum.value(), TwoPartSum::merge));
      k.when(thread.equalTo(0), () -> storeAll(k, total, k.constant(0), max, factor));
    }, block -> {
      var all = loadAll(k, total, k.constant(0));
      // From the end on, which is what L2 still has.
      eachTile(k, thread, block, x, true, (tile, runs) -> runs.forEach(run -> tiles(y, tile).at(run.place())
          .store(run.values().stream()
              .map(v -> exponential.times(v.minus(all.get(0)), all.get(1), all.get(2))).toList())));
    });
  }

  private Exponential exponential() {
    return Exponential.showingIn(type);
  }

  private static void storeAll(Scope k, GlobalTensor to, I32 block, F32 max, List<F32> parts) {
    var place = to.tile(List.of(PARTIAL), block);
    place.at(k.constant(0)).store(max);
    for (int i = 1; i < PARTIAL; i++) place.at(k.constant(i)).store(parts.get(i - 1));
  }

  private static List<F32> loadAll(Scope k, GlobalTensor from, I32 block) {
    var place = from.tile(List.of(PARTIAL), block);
    return IntStream.range(0, PARTIAL).mapToObj(i -> place.at(k.constant(i)).load()).toList();
  }

  private TensorSpec tensor(String name) {
    return TensorSpec.of(name, type, "N").contiguous("N").aligned(vector);
  }

  private GlobalTensor tiles(GlobalTensor whole, I32 tile) {
    return whole.tile(List.of(partition(vector).size()), tile);
  }

  /** Numbers that change together. */
  private static final class Variables {
    private final List<F32.Accumulator> all;

    private Variables(Scope k, List<Float> initial) {
      all = initial.stream().map(k::accumulator).toList();
    }

    List<F32> value() {
      return all.stream().map(F32.Accumulator::value).toList();
    }

    void set(List<F32> next) {
      // All are computed before the first changes.
      next.forEach(F32::register);
      for (int i = 0; i < next.size(); i++) all.get(i).set(next.get(i));
    }
  }

  /** Neighbours from a place of a tile on. */
  private record Run(I32 place, List<F32> values) {}

  /** Hands on what a thread has of every {@code blocks}-th tile; the last tile goes element by element. */
  private void eachTile(Scope k, I32 thread, I32 block, GlobalTensor x, boolean fromEnd,
      BiConsumer<I32, List<Run>> body) {
    var mine = partition(vector);
    var count = x.extent(0).ceilDiv(mine.size());
    k.loop(block, count, blocks, number -> {
      var tile = fromEnd ? count.minus(number).plus(-1).max(0) : number;
      var from = tiles(x, tile);
      k.when(from.contains(k.constant(mine.size() - 1)), () -> {
        var places = IntStream.range(0, mine.values() / vector)
            .mapToObj(v -> mine.coordinate(thread, v * vector)[0]).toList();
        var loaded = places.stream().map(place -> from.at(place).vector(vector)).toList();
        body.accept(tile, IntStream.range(0, places.size())
            .mapToObj(i -> new Run(places.get(i), loaded.get(i).values())).toList());
      }, () -> k.loop(thread, from.remaining(0, mine.size()), THREADS,
          i -> body.accept(tile, List.of(new Run(i, List.of(from.at(i).load()))))));
    });
  }
}
