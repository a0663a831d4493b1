package tilewright.simulator.core;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import tilewright.simulator.BankConflicts;

/**
 * Counts shared-memory wavefronts: 32 banks of 4 bytes; accesses of 8 bytes go by half warps, of 16 bytes by quarter
 * warps; different words in one bank take a wavefront each, the same word is broadcast.
 */
final class BankCounter {
  private static final int BANKS = 32;
  private static final int ACCESSES = 0;
  private static final int WAVEFRONTS = 1;
  private static final int IDEAL = 2;

  private final List<Site> sites;
  private final AtomicLongArray counts;

  BankCounter(List<Site> sites) {
    this.sites = sites;
    counts = new AtomicLongArray(3 * sites.size());
  }

  void count(int site, int[] offsets, int mask, int bytes) {
    int words = Math.max(1, bytes / 4);
    int lanesAtOnce = Warp.LANES / words;
    int wavefronts = 0;
    int phases = 0;
    for (int first = 0; first < Warp.LANES; first += lanesAtOnce) {
      int lanes = mask >>> first & (int) ((1L << lanesAtOnce) - 1);
      if (lanes == 0) continue;
      phases++;
      wavefronts += phase(offsets, first, lanes, words);
    }
    counts.getAndIncrement(3 * site + ACCESSES);
    counts.getAndAdd(3 * site + WAVEFRONTS, wavefronts);
    counts.getAndAdd(3 * site + IDEAL, phases);
  }

  private static int phase(int[] offsets, int first, int lanes, int words) {
    var seen = new int[BANKS];
    int used = 0;
    int extra = 0;
    var more = new int[BANKS];
    var perBank = new int[BANKS];
    int worst = 1;
    for (int lane = 0; lanes >>> lane != 0 && lane < Warp.LANES; lane++) {
      if ((lanes >>> lane & 1) == 0) continue;
      for (int k = 0; k < words; k++) {
        int word = (offsets[first + lane] >> 2) + k;
        int bank = word & BANKS - 1;
        if ((used >>> bank & 1) == 0) {
          used |= 1 << bank;
          seen[bank] = word;
          perBank[bank] = 1;
        } else if (seen[bank] != word && !contains(more, extra, word)) {
          more[extra++] = word;
          worst = Math.max(worst, ++perBank[bank]);
        }
      }
    }
    return worst;
  }

  private static boolean contains(int[] words, int count, int word) {
    for (int i = 0; i < count; i++) if (words[i] == word) return true;
    return false;
  }

  List<BankConflicts> list() {
    var list = new ArrayList<BankConflicts>();
    for (int i = 0; i < sites.size(); i++) {
      if (counts.get(3 * i) == 0) continue;
      var site = sites.get(i);
      list.add(new BankConflicts(site.line(), site.text(), site.source(), counts.get(3 * i),
          counts.get(3 * i + WAVEFRONTS),
          counts.get(3 * i + IDEAL)));
    }
    list.sort(java.util.Comparator.comparingInt(BankConflicts::line));
    return list;
  }
}
