package tilewright.sm100.attention.backward;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.Modification.Place;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.ScoreMask;
import tilewright.kernel.collective.attention.ScoreMod.Sloped;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernels.attention.backward.KeyBlock;
import tilewright.sm100.atom.TensorMemoryAccess;

/** Scores of a key and neighbouring queries in a thread's registers: changed by the user's functions, and masked. */
record TransposedScores(Scope k, Sm100BackwardConfig config, KeyBlock block, I32 thread) {
  /**
   * Changes and masks the scores.
   *
   * @param query the first, counted from the tile's first
   */
  List<Sloped> of(KeyBlock.Walk walk, I32 query, Fragment scores) {
    var rows = rows(scores);
    var modification = config.modification();
    var place = place(walk, query);
    var changed = modification.sloped(k, thread, rows, k.scalar("scale"), place, false, rows.values(k, scores));
    // Ahead of the mask, which overwrites the scores that slopes may be computed from.
    var slopes = changed.stream().map(score -> score.slope().known().isPresent() ? score.slope()
        : score.slope().settled()).toList();
    if (!modification.equals(Modification.NONE)) rows.set(k, scores, changed.stream().map(Sloped::value).toList());
    var mask = new ScoreMask(config.band(), block.sequence(), rows);
    k.when(walk.masked(), () -> rows.set(k, scores, mask.apply(k, thread, place, rows.values(k, scores))));
    var values = rows.values(k, scores);
    return IntStream.range(0, values.size()).mapToObj(i ->
        new Sloped(values.get(i), slopes.get(i), changed.get(i).finite())).toList();
  }

  /**
   * Adds to the gradients of captured tensors what neighbouring queries' scores have read, where functions only add: it
   * is found again, so that it takes no registers before.
   *
   * @param query the first, counted from the tile's first
   * @param scores registers that functions may read: what is added does not depend on them
   * @param gradients by the scores
   */
  void addCaptured(KeyBlock.Walk walk, I32 query, Fragment scores, List<F32> gradients) {
    if (config.modification().captures().differentiated().isEmpty()) return;
    var rows = rows(scores);
    config.modification().differentiated(k, thread, rows, k.scalar("scale"), place(walk, query), false,
        rows.values(k, scores)).captured().add(k, thread, gradients);
  }

  private static FragmentRows rows(Fragment scores) {
    return FragmentRows.of(TensorMemoryAccess.rows(scores.group(0).size()).partition());
  }

  private Place place(KeyBlock.Walk walk, I32 query) {
    var tile = walk.tile();
    var first = tile.number().times(Sm100BackwardConfig.QUERIES).plus(query).settled();
    return new Place(tile.batch(), tile.head(), first, block.firstKey()).inTransposed().in(block.sequence(), false);
  }
}
