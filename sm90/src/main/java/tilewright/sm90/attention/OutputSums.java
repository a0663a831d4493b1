package tilewright.sm90.attention;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.F32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.OnlineSoftmax.Total;
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

  /** Takes in the P·V that is complete; {@link #next} follows unless what came before keeps its factor. */
  default void complete() {}

  /** Multiplies the rows by a step's factors. */
  void next(OnlineSoftmax softmax, OnlineSoftmax.Step step);

  /** Takes in a tile's last P·V and returns the sums. */
  Fragment finish();

  /**
   * The rows' totals with the factors that turn the sums into O.
   *
   * @param ofKeys the totals of the softmax; {@code ofAll} with what does not come from keys
   */
  default List<Total> totals(List<Total> ofKeys, List<Total> ofAll) {
    return ofAll;
  }

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
   * Sums that the tensor cores accumulate, beside those of the rounded P itself: {@link #ONES} columns of ones follow
   * V's. O is divided by these, so that a row with one dominant key is exact whatever that key's P is rounded to. The
   * tensor cores truncate, which sums of one sign would lose by in each block: those of P are added in FP32.
   *
   * @param all of these columns; {@code columns} of them are O's
   * @param rowSums of the rounded P, one per row of the thread
   */
  record WithRowSums(Scope k, Fast all, int columns, List<F32.Accumulator> rowSums) implements OutputSums {
    /** The fewest columns of wgmma. */
    static final int ONES = 8;

    static WithRowSums of(Scope k, Fast all, int columns) {
      return new WithRowSums(k, all, columns, Stream.generate(k::accumulator).limit(all.rows.count()).toList());
    }

    @Override
    public Fragment accumulators() {
      return all.accumulators;
    }

    @Override
    public boolean accumulates() {
      return all.accumulates();
    }

    @Override
    public void begin() {
      all.begin();
      rowSums.forEach(sum -> sum.set(k.constant(0f)));
    }

    @Override
    public void complete() {
      var values = all.rows.values(k, all.accumulators);
      for (int row = 0; row < rowSums.size(); row++) rowSums.get(row).add(values.get(all.rows.of(row).getLast()));
      part(outputGroups(), all.accumulators.groups().size()).clear(k, PtxType.F32);
    }

    @Override
    public void next(OnlineSoftmax softmax, OnlineSoftmax.Step step) {
      all.next(softmax, step);
      for (int row = 0; row < rowSums.size(); row++) {
        rowSums.get(row).set(rowSums.get(row).value().times(step.factors().get(row)));
      }
    }

    @Override
    public Fragment finish() {
      complete();
      return part(0, outputGroups());
    }

    private int outputGroups() {
      return all.accumulators.groups().size() * columns / (columns + ONES);
    }

    private Fragment part(int from, int to) {
      return new Fragment(all.accumulators.groups().subList(from, to));
    }

    @Override
    public List<Total> totals(List<Total> ofKeys, List<Total> ofAll) {
      return IntStream.range(0, ofAll.size()).mapToObj(row -> {
        var rowSum = rowSums.get(row).value();
        var rounding = ofKeys.get(row).inverse().times(rowSum).where(rowSum.notEqualTo(0f), k.constant(1f));
        return ofAll.get(row).with(ofAll.get(row).inverse().times(rounding.reciprocal()));
      }).toList();
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
