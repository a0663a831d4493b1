package tilewright.kernels.attention.merging;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.choice.Formula;

/**
 * Splits of a problem's keys in the blocks of a kernel.
 *
 * @param count of splits
 * @param blocks of keys of each
 */
public record BlockSplits(int count, int blocks) {
  /** Why the keys of a problem stay together, if they have to. */
  public static Optional<String> refusal(AttentionProblem p) {
    if (p.packed().isPresent()) {
      return Optional.of("keys of packed sequences are not split: give each sequence a batch entry");
    }
    return p.blockMask() ? Optional.of("keys of listed blocks are not split: skip no blocks") : Optional.empty();
  }

  /** Why a kernel without a schedule cannot compute a problem, if it cannot. */
  public static Optional<String> refusalOfBalance(AttentionProblem p) {
    return p.serving().splits() instanceof KeySplits.Balanced
        ? Optional.of("balanced splits need sm80_decode_attention, sm80_mla_decode or sm90_mla_decode")
        : Optional.empty();
  }

  /**
   * The splits of a problem's keys, where it has any.
   *
   * @param keys of a block
   * @param tiles of queries, of all heads and batch entries
   * @param resident tiles that a GPU works on at a time
   * @throws IllegalArgumentException for splits that are no whole blocks
   */
  public static Optional<BlockSplits> of(AttentionProblem p, int keys, long tiles, int resident) {
    int blocks = Math.max(1, Math.ceilDiv(p.sizes().keys(), keys));
    return switch (p.serving().splits()) {
      case KeySplits.Fixed(var ofSplit) -> {
        if (ofSplit % keys != 0) {
          throw new IllegalArgumentException("splits of " + ofSplit + " keys are no whole blocks: take a multiple of "
              + keys);
        }
        yield Optional.of(of(blocks, ofSplit / keys));
      }
      case KeySplits.Ranges(var count) -> Optional.of(of(blocks, Math.ceilDiv(blocks, count)))
          .filter(splits -> splits.count() > 1);
      case KeySplits.Balanced _ -> Optional.empty();
      case KeySplits.Automatic() -> automatic(p, keys, blocks, tiles, resident);
    };
  }

  private static BlockSplits of(int blocks, int each) {
    return new BlockSplits(Math.ceilDiv(blocks, each), each);
  }

  private static Optional<BlockSplits> automatic(AttentionProblem p, int keys, int blocks, long tiles, int resident) {
    if (refusal(p).isPresent()) return Optional.empty();
    var s = p.sizes();
    var rule = new SplitRule(Formula.of(s.keys()), Formula.of(window(p).orElse(s.keys())), Formula.of(keys),
        Formula.of(tiles), Formula.of((double) s.queries() * s.sharers()), p.serving().lengths().isPresent());
    return Optional.of(of(blocks, (int) rule.each(resident).at(Map.of()))).filter(splits -> splits.count() > 1);
  }

  /** The keys that all queries see together, where a left bound limits them. */
  private static OptionalInt window(AttentionProblem p) {
    var band = p.band();
    return band.left().isEmpty() || band.right().isEmpty() ? OptionalInt.empty()
        : OptionalInt.of((int) Math.min(p.sizes().keys(),
            (long) band.left().getAsInt() + band.right().getAsInt() + p.sizes().queries()));
  }
}
