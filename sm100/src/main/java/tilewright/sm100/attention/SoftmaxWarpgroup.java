package tilewright.sm100.attention;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.async.atom.Mbarrier;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.Vector;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.ScoreMask;
import tilewright.kernel.collective.attention.Sinks;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.NarrowPack;
import tilewright.sm100.atom.TensorFence;
import tilewright.sm100.atom.TensorMemoryAccess;
import tilewright.sm100.collective.Signals;
import tilewright.sm100.collective.WarpSync;

/**
 * The warpgroup that computes the softmax of one tile, one row per thread: it loads S from Tensor Memory into
 * registers, stores P in its place, and hands the factor by which the row's O must be rescaled to the correction
 * warpgroup.
 */
final class SoftmaxWarpgroup {
  /**
   * log₂ of the largest P. Rescaling of 16-bit P is put off until one would exceed it (FlashAttention-4, section 3.2).
   * 8-bit P has no such room, since e4m3 ends at 448: the row's largest P is 2⁸ in every block.
   */
  private static final float LARGEST = 8;

  private static final int CHUNK = Sm100AttentionConfig.CHUNK;

  private final Scope k;
  private final Sm100AttentionConfig config;
  private final AttentionWork work;
  private final AttentionMemory memory;
  private final AttentionSignals signals;
  private final RowFactors factors;
  private final Optional<OperandFactors> operands;
  private final I32 thread;
  private final I32 warp;
  private final I32 which;
  private final FragmentRows rows;
  private final Exponentials exponentials;
  private final Optional<Sinks> sinks;
  private final Signals.Waiter sFull;
  private final Signals.Waiter statsEmpty;

  /**
   * @param operands the factors of Q, K and V, if they have any
   * @param thread its number in the warpgroup
   * @param which of the two tiles, 0 or 1
   */
  SoftmaxWarpgroup(Scope k, AttentionWork work, AttentionMemory memory, AttentionSignals signals, RowFactors factors,
      Optional<OperandFactors> operands, I32 thread, I32 warp, I32 which) {
    this.k = k;
    this.config = work.config();
    this.work = work;
    this.memory = memory;
    this.signals = signals;
    this.factors = factors;
    this.operands = operands;
    this.thread = thread;
    this.warp = warp;
    this.which = which;
    rows = FragmentRows.of(TensorMemoryAccess.rows(config.shape().keys()).partition());
    sinks = config.sinks() ? Optional.of(new Sinks(k, k.global(AttentionSpecs.sinks()), HeadPacking.NONE))
        : Optional.empty();
    exponentials = new Exponentials(k, config.shape().emulated());
    sFull = signals.sFull().waiter(which);
    statsEmpty = signals.statsEmpty().waiterButFirst(which);
  }

  void compute(Tile tile) {
    var scaling = RowScaling.of(k, config, operands, tile, () -> query(tile).plus(thread));
    var softmax = config.quantized().isPresent() ? OnlineSoftmax.lazy(k, rows, scaling.softmaxScale(), 0, LARGEST)
        : OnlineSoftmax.lazy(k, rows, scaling.softmaxScale(), LARGEST);
    var visits = work.blocks(tile);
    visits.all(k, (place, masked) -> {
      // 0. The block's factors, while the MMA computes S.
      var block = scaling.block(() -> visits.block().apply(place).times(config.shape().keys()));
      // 1. Load S and mask it.
      sFull.await();
      TensorFence.afterSync(k);
      var loaded = load(!masked && config.leavesScores());
      var scores = scores(tile, visits.block().apply(place), block.scale(), masked, loaded.values);
      // 2. The new maximum, and the factor that rescales O.
      var maximum = loaded.largest.map(largest -> softmax.maximumOf(List.of(largest), block::logarithms))
          .orElseGet(() -> softmax.maximum(scores, block::logarithms));
      // The correction rescales O, which is complete once S is.
      TensorFence.beforeSync(k);
      send(maximum.factors().getFirst());
      // 3. P = 2^(scale·S − maximum) in S's place, and the row's sum.
      var sum = storeProbabilities(scores, block.softmaxScale(), block.shift(maximum.shifts().getFirst()));
      softmax.add(List.of(block.sum(sum)));
    });
    var logits = sinks.map(s -> s.of(tile.head(), query(tile), thread, rows));
    var sums = softmax.finish();
    var total = logits.map(of -> of.addTo(sums)).orElse(sums).getFirst();
    send(scaling.output(total.inverse()));
    if (config.lse()) send(total.logSumExp());
  }

  private I32 query(Tile tile) {
    return tile.query().plus(which.times(Sm100AttentionConfig.ROWS));
  }

  /**
   * A row of S from Tensor Memory.
   *
   * @param largest score, where the loads found it
   */
  private record Loaded(Fragment values, Optional<F32> largest) {}

  /** @param asTheyAre whether S is what the softmax takes, neither changed nor masked */
  private Loaded load(boolean asTheyAre) {
    int keys = config.shape().keys();
    var loaded = Fragment.of(k, PtxType.F32, keys / CHUNK, CHUNK);
    var columns = memory.scores(which);
    var access = TensorMemoryAccess.rows(CHUNK);
    var largest = new ArrayList<F32>();
    for (int i = 0; i < keys / CHUNK; i++) {
      var chunk = new Fragment(List.of(loaded.group(i)));
      if (config.reducing() && asTheyAre) {
        largest.add(access.loadWithMaximum(k, columns, warp, i * CHUNK, chunk));
      } else {
        access.load(k, columns, warp, i * CHUNK, chunk);
      }
    }
    TensorFence.waitForLoads(k);
    return new Loaded(loaded, largest.stream().reduce(F32::max));
  }

  private List<F32> scores(Tile tile, I32 block, F32 scale, boolean masked, Fragment loaded) {
    int keys = config.shape().keys();
    var first = block.times(keys);
    // Settled: what a mask reads for its batch entry is found here, and not held in registers.
    var place = new Modification.Place(tile.batch().settled(), tile.head(), query(tile), first)
        .in(tile.sequence(), !masked);
    var all = config.modification().apply(k, thread, rows, scale, place,
        config.blockMask() && !masked, rows.values(k, loaded));
    if (!masked) return all;
    return new ScoreMask(config.band(), tile.sequence(), rows).apply(k, thread, place, all);
  }

  /** Sends a statistic of this thread's row to the correction warpgroup. */
  private void send(F32 value) {
    value.register();
    statsEmpty.await();
    factors.store(which, thread, value);
    WarpSync.arrive(k, thread, signals.statsFull().of(which));
  }

  /** Stores P in S's place, signals in two parts, and returns the row's sum. */
  private F32 storeProbabilities(List<F32> scores, F32 scale, F32 shift) {
    var store = TensorMemoryAccess.rows(config.columnsOfP(CHUNK));
    var place = memory.probabilities(which);
    var row = exponentials.of(scale, shift);
    for (int first = 0; first < scores.size(); first += CHUNK) {
      var probabilities = row.probabilities(scores.subList(first, first + CHUNK), first + CHUNK < scores.size());
      store.store(k, place, warp, config.columnsOfP(first), new Fragment(List.of(packed(probabilities))));
      if (first + CHUNK == config.early()) signal(signals.pFull().of(which));
    }
    signal(signals.pRestFull().of(which));
    return row.sum();
  }

  /** Rounds probabilities, neighbours side by side in a register. */
  private List<Operand.Register> packed(List<F32> probabilities) {
    var type = config.probabilities();
    if (type.bytes() == 1) return NarrowPack.words(k, MmaFormat.of(type), probabilities);
    var packed = new ArrayList<Operand.Register>();
    for (int i = 0; i < probabilities.size(); i += 2) {
      packed.add(Vector.pack(k, type, probabilities.get(i), probabilities.get(i + 1)));
    }
    return List.copyOf(packed);
  }

  private void signal(Mbarrier barrier) {
    TensorFence.waitForStores(k);
    TensorFence.beforeSync(k);
    WarpSync.arrive(k, thread, barrier);
  }
}
