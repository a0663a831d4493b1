package tilewright.simulator.profile;

import java.util.Arrays;
import tilewright.simulator.core.Warp;

/**
 * Counts the wavefronts of one warp access to shared memory: 32 banks of 4 bytes; accesses of 8 bytes go by half warps,
 * of 16 bytes by quarter warps; different words in one bank take a wavefront each, the same word is broadcast.
 */
final class BankCount {
  private static final int BANKS = 32;
  private static final int WORD = 4;

  private final DistinctCount words = new DistinctCount();
  /** How many different words of a phase each bank has. */
  private final int[] inBank = new int[BANKS];

  private static int lanesAtOnce(int bytes) {
    return Warp.LANES / Math.max(1, bytes / WORD);
  }

  /** How many groups of lanes have one that takes part: the wavefronts without any conflict. */
  static int phases(int mask, int bytes) {
    int lanes = lanesAtOnce(bytes);
    if (lanes == Warp.LANES) return mask == 0 ? 0 : 1;
    int phases = 0;
    for (int first = 0; first < Warp.LANES; first += lanes) if ((mask >>> first & (1 << lanes) - 1) != 0) phases++;
    return phases;
  }

  int wavefronts(int[] offsets, int mask, int bytes) {
    int each = Math.max(1, bytes / WORD);
    int lanes = lanesAtOnce(bytes);
    int wavefronts = 0;
    for (int first = 0; first < Warp.LANES; first += lanes) {
      int part = lanes == Warp.LANES ? mask : mask >>> first & (1 << lanes) - 1;
      if (part != 0) wavefronts += phase(offsets, first, part, each);
    }
    return wavefronts;
  }

  private int phase(int[] offsets, int first, int lanes, int each) {
    words.clear();
    Arrays.fill(inBank, 0);
    int worst = 0;
    int last = -1;
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int word = offsets[first + Integer.numberOfTrailingZeros(rest)] >> 2;
      if (word == last) continue;
      last = word;
      for (int k = 0; k < each; k++) {
        if (words.add(word + k)) worst = Math.max(worst, ++inBank[word + k & BANKS - 1]);
      }
    }
    return worst;
  }
}
