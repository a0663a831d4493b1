package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.List;
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
import tilewright.kernel.Vector;
import tilewright.kernel.collective.LastBlock;
import tilewright.kernel.collective.ThreadGroup;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.reference.SumReference;

/**
 * Y = Σ X(i), or Σ X(i)·Z(i), over N elements: every thread adds its own, then the threads of a block, then the
 * blocks. Each addition is rounded to the accumulator's type, and so is Y. A NaN, or infinities of both signs, make it
 * NaN.
 *
 * @param inputs X, or X and Z
 * @param bytes of an input that a thread reads at once
 * @param blocks of the grid
 * @param resident blocks that an SM is to have room for
 */
record Total(String family, List<String> inputs, ElementType type, ElementType accumulator, int vector,
    int threads, int bytes, int blocks, int resident) implements Kernel {
  private static final int MOST_THREADS = 1024;
  /** Bytes of all inputs together that a thread has in flight. */
  private static final int BYTES = 64;
  /**
   * Bytes of an input per block, about. There are far more blocks than run at once, because SMs do not get equal shares
   * of the bandwidth, and none shall be alone at the end.
   */
  private static final int BLOCK_BYTES = 256 << 10;

  static final List<Family> FAMILIES = List.of(
      new TotalFamily(Chip.A100, Target.SM90A, "sum", "Y = Σ X over (N)", List.of("X"),
          List.of("f32", "f16", "bf16", "e4m3", "e5m2")),
      new TotalFamily(Chip.A100, Target.SM90A, "dot", "Y = Σ X · Z over (N)", List.of("X", "Z"),
          List.of("f32", "f16", "bf16")));

  /** @param ofBytes the target where elements have 8 bits */
  private record TotalFamily(Chip chip, Target ofBytes, String name, String formula, List<String> inputs,
      List<String> types) implements Family {
    @Override
    public List<Setting> settings() {
      return List.of(Setting.extent("n", 1 << 20), Setting.option("dtype", types.toArray(String[]::new)),
          RowFamily.ACCUMULATOR, Setting.option("vec", "16", "4", "1"), Setting.tuning("threads"),
          Setting.tuning("bytes"), Setting.tuning("blocks"));
    }

    @Override
    public boolean supports(Choice choice) {
      boolean pairs = choice.type("dtype").bits() == 16;
      return (choice.text("acc").equals("f32") || choice.type("dtype") != ElementType.F32)
          && (!choice.text("vec").equals("4") || pairs);
    }

    @Override
    public Target target(Choice choice) {
      return choice.type("dtype").bits() == 8 ? ofBytes : Target.SM80;
    }

    @Override
    public List<List<Integer>> awkward() {
      return List.of(List.of(0), List.of(1), List.of(4099), List.of(70001));
    }

    @Override
    public List<List<Integer>> measured() {
      return List.of(List.of(1 << 29));
    }

    @Override
    public Family on(int capability) {
      return new TotalFamily(Chip.largest(capability), Target.ofBytes(capability), name, formula, inputs, types);
    }

    @Override
    public Workload workload(Choice choice) {
      var type = choice.type("dtype");
      var accumulator = RowFamily.accumulator(choice, type);
      int vector = choice.vector("vec", type);
      var sm = chip.multiprocessor();
      int threads = choice.tuned("threads", threads(chip));
      int bytes = choice.tuned("bytes", BYTES / inputs.size());
      int n = choice.number("n");
      int tiles = Math.ceilDiv(n, partition(type, vector, threads, bytes).size());
      int blocks = Math.clamp(tiles, 1, choice.tuned("blocks", blocks(chip, (long) n * type.bytes())));
      var kernel = new Total(name, inputs, type, accumulator, vector, threads, bytes, blocks,
          sm.ctasOf(threads));
      var operands = new ArrayList<Operand>();
      for (var input : inputs) operands.add(Operand.input(input, type, choice, "n"));
      operands.add(Operand.output("Y", accumulator, choice, "1"));
      operands.add(Operand.scratch("partial", ElementType.F32, new Operand.Fill.Poison(), blocks));
      operands.add(Operand.scratch("tickets", ElementType.I32, new Operand.Fill.Zeros(), 1));
      return Workload.of(kernel, target(choice), blocks, SumReference.total(accumulator, inputs,
          () -> kernel.order(n)), operands.toArray(Operand[]::new));
    }
  }

  @Override
  public String name() {
    return family + "_" + type.text() + "_" + accumulator.text() + "_x" + vector;
  }

  /** The most that divide an SM's threads: a power of two. */
  private static int threads(Chip chip) {
    return Math.min(MOST_THREADS, Integer.lowestOneBit(chip.multiprocessor().threads()));
  }

  private static int blocks(Chip chip, long inputBytes) {
    long each = Math.ceilDiv(inputBytes, (long) chip.multiprocessors() * BLOCK_BYTES);
    return chip.grid(Math.toIntExact(Math.max(chip.multiprocessor().ctasOf(threads(chip)), each)));
  }

  private static Partition partition(ElementType type, int vector, int threads, int bytes) {
    return Partition.runs(threads, vector, bytes / type.bytes() / vector);
  }

  private Partition partition() {
    return partition(type, vector, threads, bytes);
  }

  /** By block and thread the elements it adds, in its order: whole tiles run by run, the last one across threads. */
  private int[][][] order(int n) {
    var mine = partition();
    return IntStream.range(0, blocks).mapToObj(block -> IntStream.range(0, threads).mapToObj(thread ->
        IntStream.iterate(block * mine.size(), from -> from < n, from -> from + blocks * mine.size())
            .flatMap(from -> n - from < mine.size() ? IntStream.iterate(from + thread, i -> i < n, i -> i + threads)
                : IntStream.range(0, mine.values())
                    .map(v -> from + (int) mine.layout().apply((long) v * threads + thread))).toArray())
        .toArray(int[][]::new)).toArray(int[][][]::new);
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(threads);
    k.blocksPerMultiprocessor(resident);
    var mine = partition();
    var x = inputs.stream().map(name -> k.global(TensorSpec.of(name, type, "N").contiguous("N").aligned(vector)
        .passingReads())).toList();
    var y = k.global(TensorSpec.of("Y", accumulator, "one"));
    var group = new ThreadGroup(k, thread, threads, threads);
    var sum = k.accumulator();

    k.loop(k.blockX(), x.getFirst().extent(0).ceilDiv(mine.size()), blocks, tile -> {
      var tiles = x.stream().map(t -> t.tile(List.of(mine.size()), tile)).toList();
      k.when(tiles.getFirst().contains(k.constant(mine.size() - 1)),
          () -> loadAll(mine, thread, tiles).forEach(vectors -> addRun(sum, vectors)),
          () -> k.loop(thread, tiles.getFirst().remaining(0, mine.size()), threads, i ->
              add(sum, tiles.stream().map(t -> t.at(i).load()).toList())));
    });
    new LastBlock(k, group, blocks).sum(group.reduce(sum.value(), this::plus),
        total -> y.at(k.constant(0)).store(total));
  }

  /** All loads of a tile are under way before the first addition. */
  private List<List<Vector>> loadAll(Partition mine, I32 thread, List<GlobalTensor> tiles) {
    var loaded = new ArrayList<List<Vector>>();
    for (int v = 0; v < mine.values(); v += vector) {
      var first = mine.coordinate(thread, v);
      loaded.add(tiles.stream().map(t -> t.at(first).vector(vector)).toList());
    }
    return loaded;
  }

  private void addRun(F32.Accumulator sum, List<Vector> vectors) {
    var values = vectors.stream().map(Vector::values).toList();
    for (int i = 0; i < vector; i++) {
      int element = i;
      add(sum, values.stream().map(v -> v.get(element)).toList());
    }
  }

  private void add(F32.Accumulator sum, List<F32> factors) {
    if (accumulator == ElementType.F32 && factors.size() == 2) {
      sum.fma(factors.get(0), factors.get(1));
    } else {
      sum.set(plus(sum.value(), factors.stream().reduce(F32::times).orElseThrow()));
    }
  }

  private F32 plus(F32 a, F32 b) {
    return a.plus(b).roundedTo(accumulator);
  }
}
