package tilewright.sm100.attention;

import java.util.ArrayList;
import java.util.List;
import tilewright.async.atom.Mbarrier;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.Vector;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.ScoreMask;
import tilewright.kernel.tiled.Fragment;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
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
  /** Rescaling is put off until a probability would exceed 2⁸ (FlashAttention-4, section 3.2). */
  private static final float THRESHOLD = 8;

  private static final int CHUNK = Sm100AttentionConfig.CHUNK;

  private final Scope k;
  private final Sm100AttentionConfig config;
  private final AttentionWork work;
  private final AttentionMemory memory;
  private final AttentionSignals signals;
  private final RowFactors factors;
  private final I32 thread;
  private final I32 warp;
  private final I32 which;
  private final FragmentRows rows;
  private final Exponentials exponentials;
  private final Signals.Waiter sFull;
  private final Signals.Waiter statsEmpty;

  /**
   * @param thread its number in the warpgroup
   * @param which of the two tiles, 0 or 1
   */
  SoftmaxWarpgroup(Scope k, AttentionWork work, AttentionMemory memory, AttentionSignals signals, RowFactors factors,
      I32 thread, I32 warp, I32 which) {
    this.k = k;
    this.config = work.config();
    this.work = work;
    this.memory = memory;
    this.signals = signals;
    this.factors = factors;
    this.thread = thread;
    this.warp = warp;
    this.which = which;
    rows = FragmentRows.of(TensorMemoryAccess.rows(config.shape().keys()).partition());
    exponentials = new Exponentials(k, config.shape().emulated());
    sFull = signals.sFull().waiter(which);
    statsEmpty = signals.statsEmpty().waiterButFirst(which);
  }

  void compute(Tile tile) {
    var scale = config.modification().softmaxScale(k, k.scalar("scale"));
    var softmax = OnlineSoftmax.lazy(k, rows, scale, THRESHOLD);
    var visits = work.blocks(tile);
    visits.all(k, (place, masked) -> {
      // 1. Load S and mask it.
      sFull.await();
      TensorFence.afterSync(k);
      var scores = scores(tile, visits.block().apply(place), masked);
      // 2. The new maximum, and the factor that rescales O.
      var maximum = softmax.maximum(scores);
      // The correction rescales O, which is complete once S is.
      TensorFence.beforeSync(k);
      send(maximum.factors().getFirst());
      // 3. P = 2^(scale·S − maximum) in S's place, and the row's sum.
      var sum = storeProbabilities(scores, scale, maximum.shifts().getFirst());
      softmax.add(List.of(sum));
    });
    var total = softmax.finish().getFirst();
    send(total.inverse());
    if (config.lse()) send(total.logSumExp());
  }

  private I32 query(Tile tile) {
    return tile.query().plus(which.times(Sm100AttentionConfig.ROWS));
  }

  private List<F32> scores(Tile tile, I32 block, boolean masked) {
    int keys = config.shape().keys();
    var loaded = Fragment.of(k, PtxType.F32, keys / CHUNK, CHUNK);
    var columns = memory.scores(which);
    for (int i = 0; i < keys / CHUNK; i++) {
      TensorMemoryAccess.rows(CHUNK).load(k, columns, warp, i * CHUNK,
          new Fragment(List.of(loaded.group(i))));
    }
    TensorFence.waitForLoads(k);
    var key = block.times(keys).settled();
    var place = new Modification.Place(tile.batch(), tile.head(), query(tile), key);
    var all = config.modification().apply(k, thread, rows, k.scalar("scale"), place,
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
    var store = TensorMemoryAccess.rows(CHUNK / 2);
    var place = memory.probabilities(which);
    var row = exponentials.of(scale, shift);
    for (int first = 0; first < scores.size(); first += CHUNK) {
      var probabilities = row.probabilities(scores.subList(first, first + CHUNK), first + CHUNK < scores.size());
      var packed = new ArrayList<Operand.Register>();
      for (int i = 0; i < CHUNK; i += 2) {
        packed.add(Vector.pack(k, config.type(), probabilities.get(i), probabilities.get(i + 1)));
      }
      store.store(k, place, warp, first / 2, new Fragment(List.of(List.copyOf(packed))));
      if (first + CHUNK == config.early()) signal(signals.pFull().of(which));
    }
    signal(signals.pRestFull().of(which));
    return row.sum();
  }

  private void signal(Mbarrier barrier) {
    TensorFence.waitForStores(k);
    TensorFence.beforeSync(k);
    WarpSync.arrive(k, thread, barrier);
  }

}
