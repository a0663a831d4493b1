package tilewright.kernels.attention.decoding;

import java.util.List;
import java.util.function.IntFunction;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.SharedProbabilities;
import tilewright.kernel.collective.attention.WarpExchange;
import tilewright.kernel.tiled.AccumulatorOperand;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernel.tiled.TiledMma;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/** How the warps of a group have the rows of a tile: each its own, or several of them parts of the same ones. */
sealed interface WarpRows {
  /**
   * The rows of a configuration's warps.
   *
   * @param scoring S = Q·Kᵀ; {@code mixing} O = P·V
   * @param keys in shared memory
   * @param member the thread's number in its group
   */
  static WarpRows of(Scope k, DecodeConfig config, TiledMma scoring, TiledMma mixing, SharedTensor keys, I32 member) {
    var shape = config.shape();
    if (!shape.warps().shareRows()) return new Own(k, shape, scoring, mixing, member);
    return new Common(k, shape, new SharedProbabilities(k, scoring, mixing, keys.under(config.layoutOfP())), member,
        k.shared(ElementType.F32, Layout.columnMajor(shape.rows(), shape.warps().along())));
  }

  /** The thread's rows of S. */
  FragmentRows ofScores();

  /** The thread's rows of O. */
  FragmentRows ofOutput();

  /** The thread's number in its group, for addresses of operands. */
  I32 member();

  /** The reduction of a row's parts. */
  OnlineSoftmax.Combination combination();

  /** P of a block as operand A, slice by slice. */
  IntFunction<Fragment> operand(I32 stage, List<F32> p);

  /** Shared memory for the rows' statistics, which nothing else uses when all warps have met behind the loop. */
  SharedTensor statistics();

  /** Each row belongs to one warp, in whose registers P stays. */
  record Own(Scope k, DecodeShape shape, TiledMma scoring, TiledMma mixing, I32 member) implements WarpRows {
    @Override
    public FragmentRows ofScores() {
      return FragmentRows.of(scoring.accumulatorPartition());
    }

    @Override
    public FragmentRows ofOutput() {
      return FragmentRows.of(mixing.accumulatorPartition());
    }

    @Override
    public OnlineSoftmax.Combination combination() {
      return (perRow, operation) -> ofScores().acrossLanes(k, perRow, operation);
    }

    @Override
    public IntFunction<Fragment> operand(I32 stage, List<F32> p) {
      var operand = AccumulatorOperand.of(scoring, mixing);
      return slice -> operand.slice(k, p, slice);
    }

    @Override
    public SharedTensor statistics() {
      return k.shared(ElementType.F32, GroupStates.layoutOfStatistics(shape));
    }
  }

  /**
   * Several warps have parts of a row, in a group that is the whole CTA: maxima, sums and P go through shared memory. O
   * takes most registers then, so that addresses are computed again where they are used: kept, they would be spilled.
   *
   * @param thread number of the thread
   * @param numbers (rows, warps that share them)
   */
  record Common(Scope k, DecodeShape shape, SharedProbabilities probabilities, I32 thread, SharedTensor numbers)
      implements WarpRows {
    @Override
    public FragmentRows ofScores() {
      return FragmentRows.overWarps(probabilities.scoring().accumulatorPartition());
    }

    @Override
    public FragmentRows ofOutput() {
      return FragmentRows.overWarps(probabilities.mixing().accumulatorPartition());
    }

    @Override
    public I32 member() {
      return isFull() ? Shuffle.own(k, thread, shape.threads() - 1) : thread.settled();
    }

    @Override
    public OnlineSoftmax.Combination combination() {
      return new WarpExchange(k, ofScores(), isFull() ? member() : thread,
          t -> t.dividedBy(Warp.SIZE * shape.warps().down()), numbers);
    }

    /** Whether ptxas 13.0 would keep addresses nevertheless: of most rows and columns, and of more than two stages. */
    private boolean isFull() {
      return shape.rows() == DecodeShape.MOST_ROWS && shape.valueDim() == LatentShapes.MOST_VALUE_DIM
          && shape.stages() > 2;
    }

    @Override
    public IntFunction<Fragment> operand(I32 stage, List<F32> p) {
      // All warps have met since they read the columns of K that were here: for the rows' maxima.
      probabilities.store(member(), stage, p);
      k.barrier();
      return slice -> probabilities.load(member(), stage, slice);
    }

    @Override
    public SharedTensor statistics() {
      return numbers.under(GroupStates.layoutOfStatistics(shape));
    }
  }
}
