package tilewright.layout.bank;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** Closed forms of the wavefronts of one phase, without counting words. */
public final class BankDegree {
  private BankDegree() {}

  /**
   * Lanes a constant number of words apart, one word each: they return to a bank after banks / gcd(distance, banks).
   *
   * @param lanes of the phase
   * @param words from each to the next; 0 where all read the same
   */
  public static int stride(int lanes, long words, BankGeometry memory) {
    if (words == 0) return 1;
    var period = memory.banks() / Math.min(memory.banks(), Long.lowestOneBit(words));
    return Math.toIntExact(Math.ceilDiv((long) lanes, period));
  }

  /**
   * Lanes whose addresses are linear over F2 in the bits of the lane, up to a constant: with the words W and their
   * banks πW as matrices over F2, 2^(rank W − rank πW).
   *
   * @param bytes where the lanes of a phase begin, each a multiple of the access
   * @return nothing if the addresses are not linear, or the lanes no power of two
   */
  public static OptionalInt linear(List<Long> bytes, int accessBytes, BankGeometry memory) {
    if (Integer.bitCount(bytes.size()) != 1 || bytes.stream().anyMatch(at -> at < 0)) return OptionalInt.empty();
    long origin = bytes.getFirst();
    for (var lane = 0; lane < bytes.size(); lane++) {
      var bit = Integer.lowestOneBit(lane);
      if (bytes.get(lane) != (origin ^ bytes.get(bit) ^ bytes.get(lane ^ bit))) return OptionalInt.empty();
    }
    var words = new ArrayList<Long>();
    for (var bit = 1; bit < bytes.size(); bit *= 2) words.add(memory.word(origin ^ bytes.get(bit)));
    for (long within = 1; within * memory.wordBytes() < accessBytes; within *= 2) words.add(within);
    var banks = words.stream().map(word -> word % memory.banks()).toList();
    return OptionalInt.of(1 << rank(words) - rank(banks));
  }

  /** The rank of vectors of bits over F2, by elimination of leading bits. */
  private static int rank(List<Long> vectors) {
    var reduced = new ArrayList<Long>();
    for (long vector : vectors) {
      var rest = vector;
      for (long pivot : reduced) rest = Math.min(rest, rest ^ pivot);
      if (rest != 0) reduced.add(rest);
    }
    return reduced.size();
  }
}
