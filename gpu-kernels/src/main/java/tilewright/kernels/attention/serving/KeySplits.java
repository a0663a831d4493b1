package tilewright.kernels.attention.serving;

import java.util.Optional;
import tilewright.kernels.choice.Formula;

/** How the keys of a sequence are divided among CTAs, whose results a second launch merges (FlashDecoding). */
public sealed interface KeySplits {
  /** The kernel chooses; of many tiles, it does not split. */
  KeySplits AUTOMATIC = new Automatic();

  /** By {@link #fewest}, where the query tiles leave multiprocessors idle. */
  record Automatic() implements KeySplits {}

  /** Ranges of keys of equal length, {@code count} at most; one is the kernel without splits. */
  record Ranges(int count) implements KeySplits {
    public Ranges {
      if (count < 1 || count > MOST) {
        throw new IllegalArgumentException("invalid number of splits " + count + ": 1 to " + MOST);
      }
    }
  }

  /**
   * Ranges of that many keys from the sequence's first on, whatever the batch has besides: a sequence's results are
   * then the same to the bit in every batch.
   */
  record Fixed(int keys) implements KeySplits {
    public Fixed {
      if (keys < 1) throw new IllegalArgumentException("invalid keys per split " + keys + ": at least 1");
    }
  }

  /**
   * Ranges that give every CTA the same work, whatever the entries' lengths: they are divided by a schedule that a
   * launch computes from the lengths on the device. All layers of a decoding step may share one.
   *
   * @param schedule buffer in which an earlier launch left it; empty where the launches of attention begin with it
   */
  record Balanced(Optional<String> schedule) implements KeySplits {
    /** By a schedule of the launches' own. */
    public Balanced() {
      this(Optional.empty());
    }
  }

  /**
   * Reads {@code auto}, {@code balanced}, a number of ranges such as {@code 4}, or of keys such as {@code 512-keys}.
   *
   * @throws IllegalArgumentException for any other text
   */
  static KeySplits parse(String text) {
    if (text.equals("auto")) return AUTOMATIC;
    if (text.equals("balanced")) return new Balanced();
    if (text.matches("\\d{1,9}")) return new Ranges(Integer.parseInt(text));
    if (text.matches("\\d{1,9}-keys")) return new Fixed(Integer.parseInt(text.substring(0, text.indexOf('-'))));
    throw new IllegalArgumentException("invalid splits " + text + ": auto, balanced, a number such as 4, or keys of "
        + "each such as 512-keys");
  }

  /** The most splits. */
  int MOST = 1024;

  /** Blocks that take as long as filling and draining a work item's pipeline. */
  double OVERHEAD_BLOCKS = 1.5;
  /** Part of the time that more splits may leave at most to be worth their merging. */
  double WORTH = 0.97;
  /** The fewest blocks that are worth a work item of their own. */
  int FEWEST_BLOCKS = 4;

  /**
   * The fewest splits with which the last wave of work items comes within 3 % of its shortest end.
   *
   * @param tiles of queries, of all heads and batch entries: at least 1
   * @param blocks of keys that a tile visits: at least 1
   */
  static Formula fewest(Formula tiles, Formula blocks, int multiprocessors) {
    var most = blocks.dividedBy(Formula.of(FEWEST_BLOCKS)).max(1).min(MOST);
    var each = blocks.ceilDiv(Formula.of("candidate"));
    var items = tiles.times(blocks.ceilDiv(each));
    // The time of all waves, in blocks.
    return Formula.fewest("candidate", most, items.ceilDiv(multiprocessors).times(each.plus(OVERHEAD_BLOCKS)), WORTH);
  }
}
