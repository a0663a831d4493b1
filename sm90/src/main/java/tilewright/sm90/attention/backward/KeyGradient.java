package tilewright.sm90.attention.backward;

import java.util.List;
import java.util.Optional;
import tilewright.async.atom.StoreMatrix;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.tiled.Fragment;
import tilewright.layout.OffsetMap;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.sm90.atom.RegisterOperand;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.RegisterWgmma;
import tilewright.sm90.collective.TiledWgmma;

/**
 * A warpgroup's part of dV += Pᵀ·dO, or of dK += dSᵀ·Q. Operand A comes of the warpgroup's accumulators of Sᵀ or
 * dPᵀ: from registers where the warpgroup has all queries of its keys, else from shared memory.
 */
final class KeyGradient {
  private final Scope k;
  private final Sm90BackwardConfig config;
  private final Optional<SharedTensor> exchange;
  private final SharedTensor operandB;
  private final Optional<RegisterWgmma> fromRegisters;
  private final Optional<TiledWgmma> fromShared;
  private final RegisterOperand operand;
  private final StoreMatrix store;
  private final Fragment accumulators;

  /**
   * @param exchange (queries, keys, stages), where other GEMMs read the operand
   * @param operandB dO or Q, with the head dimension as its rows
   */
  KeyGradient(Scope k, Sm90BackwardConfig config, Optional<SharedTensor> exchange, SharedTensor operandB) {
    this.k = k;
    this.config = config;
    this.exchange = exchange;
    this.operandB = operandB;
    var layout = operandB.layout();
    var scores = config.atomOfScores();
    if (config.shape().sharesHeadDim()) {
      fromRegisters = Optional.empty();
      fromShared = Optional.of(TiledWgmma.alongColumns(config.atomOfShare(dim(layout)),
          config.transposedDS(), layout, config.shape().consumers()));
      accumulators = fromShared.get().undefinedAccumulators(k);
    } else {
      fromRegisters = Optional.of(RegisterWgmma.of(config.type(), layout));
      fromShared = Optional.empty();
      accumulators = fromRegisters.get().accumulators(k);
    }
    operand = RegisterOperand.of(scores, new WgmmaAtom(config.type(), Math.min(WgmmaAtom.M, dim(layout))));
    store = StoreMatrix.of(scores.partition(), false);
  }

  private static int dim(OffsetMap layout) {
    return Math.toIntExact(layout.shape().mode(0).size());
  }

  Fragment accumulators() {
    return accumulators;
  }

  void clear() {
    accumulators.clear(k, PtxType.F32);
  }

  /** Rounds the thread's values of Pᵀ or dSᵀ, and stores them to the exchange where there is one. */
  List<List<Operand.Register>> round(List<F32> values, I32 lane, I32 group, I32 stage) {
    var rounded = operand.registers(k);
    operand.round(k, values, rounded);
    exchange.ifPresent(tile -> {
      for (int slice = 0; slice < rounded.size(); slice++) {
        var row = store.row(lane, slice);
        store.store(k, tile.at(row[1].plus(config.firstQuery(group)), row[0].plus(config.firstKey(group)), stage),
            rounded.get(slice));
      }
    });
    return rounded;
  }

  /** Begins the multiplications with a stage of dO or Q; a fence comes before, and a commit follows. */
  void issue(I32 group, List<List<Operand.Register>> rounded, I32 stage, I32 stageOfB) {
    fromRegisters.ifPresent(gemm -> gemm.issue(k, rounded, operandB, stageOfB, accumulators, true));
    fromShared.ifPresent(gemm -> gemm.issue(k, group, exchange.orElseThrow().as(config.transposedDS()), stage, operandB,
        stageOfB, accumulators, true));
  }
}
