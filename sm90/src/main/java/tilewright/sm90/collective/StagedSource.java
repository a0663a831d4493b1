package tilewright.sm90.collective;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;

/**
 * A matrix that D is made of, on its way in: tensor copies bring a block into the stage from where D's block will leave
 * (CUTLASS, epilogues that reuse C's shared memory). Each warpgroup has stages, and a barrier for each, of its own.
 */
final class StagedSource {
  private final Scope k;
  private final TensorTile tile;
  private final Partition partition;
  private final int neighbours;
  private final int stages;
  private final int used;
  private final I32 barriers;
  private final List<I32.Variable> parities;

  private StagedSource(Scope k, TensorTile tile, Partition partition, int neighbours, int stages, int used,
      I32 barriers) {
    this.k = k;
    this.tile = tile;
    this.partition = partition;
    this.neighbours = neighbours;
    this.stages = stages;
    this.used = used;
    this.barriers = barriers;
    parities = IntStream.range(0, used).mapToObj(_ -> k.variable(k.constant(0), 1)).toList();
  }

  /**
   * Sets the barriers aside and has one thread initialise them; {@link Mbarrier#publish} follows.
   *
   * @param spec with neighbours along the mode that the output's have
   * @param output whose stages are shared
   * @param partition of a block among a warpgroup's threads
   * @param stages of each of so many warpgroups
   * @param used of them
   */
  static StagedSource of(Scope k, TensorSpec spec, StagedOutput output, Partition partition, int groups, int stages,
      int used, Pred first) {
    var barriers = k.sharedBytes(groups * used * Mbarrier.BYTES);
    k.when(first, () -> {
      for (int i = 0; i < groups * used; i++) {
        new Mbarrier(k, barriers.plus(i * Mbarrier.BYTES)).initialise(1);
      }
    });
    var tile = TensorTile.over(k, spec, output.stages());
    return new StagedSource(k, tile, partition, output.neighbours(), stages, used, barriers);
  }

  private Mbarrier landed(I32 group, int stage) {
    return new Mbarrier(k, barriers.plus(group.times(used).plus(stage).times(Mbarrier.BYTES)));
  }

  /** One thread begins to fill a stage that nothing reads any more. */
  void begin(I32 group, int stage, I32... coordinate) {
    var landed = landed(group, stage);
    landed.arriveExpecting(k.constant(tile.bytes()));
    tile.load(k, group.times(stages).plus(stage), landed, coordinate);
  }

  /** Waits until a stage is full. */
  void await(I32 group, int stage) {
    var parity = parities.get(stage);
    landed(group, stage).await(parity.value());
    parity.set(parity.value().xor(k.constant(1)));
  }

  /** Reads so many neighbours of a full stage, of which the first has this number in the partition. */
  List<F32> read(I32 lane, I32 stage, int value, int count) {
    return IntStream.iterate(value, i -> i < value + count, i -> i + neighbours).boxed().flatMap(i -> {
      var at = partition.coordinate(lane, i);
      return tile.shared().at(at[0], at[1], stage).vector(neighbours).valuesLater().stream();
    }).toList();
  }
}
