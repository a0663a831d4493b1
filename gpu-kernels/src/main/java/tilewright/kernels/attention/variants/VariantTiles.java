package tilewright.kernels.attention.variants;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.tiled.TiledCopy;
import tilewright.layout.Layout;

/**
 * Q, K and V on their way through shared memory: a block of keys is a few steps, each on one chunk of K or V in a slot
 * of its own or of all, and while a step is computed the next chunk is copied if its slot is another one.
 */
final class VariantTiles {
  private final Scope k;
  private final I32 thread;
  private final VariantConfig config;
  private final GlobalTensor q;
  private final GlobalTensor keys;
  private final GlobalTensor values;
  private final SharedTensor tileQ;
  private final SharedTensor tileK;
  private final SharedTensor tileV;
  private final List<Step> steps;

  /**
   * One chunk of a product.
   *
   * @param scores whether of S = Q·Kᵀ, else of O = P·V
   * @param chunk of the head dimension; {@code last} of the product
   * @param slot of shared memory; {@code stage} of its tensor
   */
  record Step(boolean scores, int chunk, boolean last, int slot, int stage) {}

  /**
   * @param q (queries, head dimension, 1, 1) from the tile's origin on
   * @param keys (keys, head dimension, 1, 1); {@code values} (head dimension, keys, 1, 1)
   */
  VariantTiles(Scope k, I32 thread, VariantConfig config, GlobalTensor q, GlobalTensor keys, GlobalTensor values) {
    this.k = k;
    this.thread = thread;
    this.config = config;
    this.q = q;
    this.keys = keys;
    this.values = values;
    int slots = config.slots();
    tileK = k.shared(config.type(), config.alongColumns("k", config.tileN(), config.chunkOfScores(), slots));
    var layoutQ = config.alongColumns("q", config.tileM(), config.chunkOfScores(), config.way().tilesScores() ? 2 : 1);
    tileQ = config.way() == Way.SHARED_QKV ? tileK.under(layoutQ) : k.shared(config.type(), layoutQ);
    tileV = config.way() == Way.TILED_QK
        ? k.shared(config.type(), config.alongRows(config.dim(), config.tileN(), 1))
        : tileK.under(config.alongRows(config.chunkOfOutput(), config.tileN(), slots));
    steps = steps();
  }

  private List<Step> steps() {
    var all = new ArrayList<Step>();
    int scores = config.dim() / config.chunkOfScores();
    int outputs = config.dim() / config.chunkOfOutput();
    for (int i = 0; i < scores; i++) {
      all.add(new Step(true, i, i + 1 == scores, i % config.slots(), i % config.slots()));
    }
    for (int i = 0; i < outputs; i++) {
      int slot = (scores + i) % config.slots();
      boolean apart = config.way() == Way.TILED_QK;
      all.add(new Step(false, i, i + 1 == outputs, apart ? config.slots() : slot, apart ? 0 : slot));
    }
    return all;
  }

  SharedTensor queries() {
    return tileQ;
  }

  SharedTensor keys() {
    return tileK;
  }

  SharedTensor values() {
    return tileV;
  }

  /** Whether others may still read what lies where values begin when a thread is done with the last step. */
  boolean valuesAreInUse() {
    return steps.getLast().stage == 0 && steps.getLast().slot != steps.getFirst().slot;
  }

  /** Copies what the first block of keys needs first. */
  void begin(I32 block) {
    if (!config.way().tilesScores()) copyQueries(0, 0);
    if (config.way() != Way.SHARED_QKV) copy(steps.getFirst(), block);
  }

  /** Where queries had keys' place and are in registers now: copies the first keys. */
  void takePlace(I32 block) {
    k.barrier();
    copy(steps.getFirst(), block);
  }

  /** What this thread copied has landed, and what the others did. */
  void settle() {
    CpAsync.commit(k);
    CpAsync.waitFor(k, 0);
    k.barrier();
  }

  /** Goes through the steps of a block of keys; {@code next} follows it where there is {@code more}. */
  void visit(I32 block, I32 next, Pred more, Consumer<Step> compute) {
    for (var step : steps) {
      settle();
      boolean last = step.equals(steps.getLast());
      var following = last ? steps.getFirst() : steps.get(steps.indexOf(step) + 1);
      if (step.slot == following.slot) {
        compute.accept(step);
        k.barrier();
      }
      if (last) k.when(more, () -> copy(following, next));
      else copy(following, block);
      if (step.slot != following.slot) compute.accept(step);
    }
  }

  private void copy(Step step, I32 block) {
    var zero = k.constant(0);
    var key = block.settled().times(config.tileN());
    if (step.scores) {
      if (config.way().tilesScores()) copyQueries(step.chunk, step.stage);
      var column = k.constant(step.chunk * config.chunkOfScores());
      copy(copy(config.chunkOfScores(), true), keys.from(key, column, zero, zero), 0, tileK, step.stage);
    } else {
      var row = k.constant(step.chunk * config.chunkOfOutput());
      copy(copy(config.chunkOfOutput(), false), values.from(row, key, zero, zero), 1, tileV, step.stage);
    }
  }

  private void copyQueries(int chunk, int stage) {
    var zero = k.constant(0);
    copy(copy(config.chunkOfScores(), true), q.from(zero, k.constant(chunk * config.chunkOfScores()), zero, zero), 0,
        tileQ, stage);
  }

  /** Registers are short: one address a tile, from which the others are added up, and no pointer through the loop. */
  private void copy(TiledCopy copy, GlobalTensor from, int along, SharedTensor to, int stage) {
    var zero = k.constant(0);
    copy.copy(thread.settled(), from.climbing(along, copy.step(along)), to, k.constant(stage), zero, zero);
  }

  /** Of tiles with that head dimension: threads run along it first. */
  TiledCopy copy(int dim, boolean rowsFirst) {
    var atom = new CpAsync(k, VariantConfig.VECTOR, config.type().bytes());
    int along = Math.min(Integer.lowestOneBit(dim), 64) / VariantConfig.VECTOR;
    int across = config.threads() / along;
    return rowsFirst
        ? TiledCopy.of(atom, Layout.of(Layout.of(across, along), Layout.of(along, 1)),
            Layout.columnMajor(1, VariantConfig.VECTOR))
        : TiledCopy.of(atom, Layout.of(Layout.of(along, 1), Layout.of(across, along)),
            Layout.columnMajor(VariantConfig.VECTOR, 1));
  }
}
