package tilewright.sm90.attention;

import java.util.List;
import java.util.stream.Stream;
import tilewright.kernel.F32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.tiled.Fragment;
import tilewright.ptx.PtxType;

/** The sums of O += P·V over the blocks of a tile. */
sealed interface OutputSums {

  /** The accumulators of the next P·V. */
  Fragment accumulators();

  /** Whether P·V is added to what the accumulators have; it replaces that otherwise. */
  boolean accumulates();

  /** Begins a tile. */
  void begin();

  /** Takes in the P·V that is complete, and multiplies the rows by a step's factors. */
  void next(OnlineSoftmax softmax, OnlineSoftmax.Step step);

  /** Takes in a tile's last P·V and returns the sums. */
  Fragment finish();

  /**
   * Sums that the tensor cores accumulate over all blocks.
   *
   * @param seldom whether rows are rescaled only where some factor is not one
   */
  record Fast(Scope k, FragmentRows rows, boolean seldom, Fragment accumulators) implements OutputSums {
    @Override
    public boolean accumulates() {
      return true;
    }

    @Override
    public void begin() {
      accumulators.clear(k, PtxType.F32);
    }

    @Override
    public void next(OnlineSoftmax softmax, OnlineSoftmax.Step step) {
      if (seldom) softmax.rescale(step, rows, accumulators);
      else rows.scale(k, accumulators, step.factors());
    }

    @Override
    public Fragment finish() {
      return accumulators;
    }
  }

  /**
   * Sums in FP32 of each block's P·V. The tensor cores keep 13 fraction bits of sums of 8-bit products and truncate:
   * over all keys, sums of one sign lose in proportion to the number of keys. The addition costs no instruction,
   * because it is fused with the rescaling, which waits for the next block: O = O·f + P·V.
   *
   * @param sums of the blocks before the last
   * @param factors one a row of the thread, by which these are still to be multiplied
   */
  record Promoted(Scope k, FragmentRows rows, Fragment accumulators, Fragment sums, List<F32.Accumulator> factors)
      implements OutputSums {
    static Promoted of(Scope k, FragmentRows rows, Fragment accumulators, Fragment sums) {
      return new Promoted(k, rows, accumulators, sums, Stream.generate(k::accumulator).limit(rows.count()).toList());
    }

    @Override
    public boolean accumulates() {
      return false;
    }

    @Override
    public void begin() {
      sums.clear(k, PtxType.F32);
      factors.forEach(factor -> factor.set(k.constant(1f)));
    }

    @Override
    public void next(OnlineSoftmax softmax, OnlineSoftmax.Step step) {
      add();
      for (int row = 0; row < rows.count(); row++) factors.get(row).set(step.factors().get(row));
    }

    @Override
    public Fragment finish() {
      add();
      return sums;
    }

    private void add() {
      rows.scaleAndAdd(k, sums, factors.stream().map(F32.Accumulator::value).toList(), accumulators);
    }
  }
}
