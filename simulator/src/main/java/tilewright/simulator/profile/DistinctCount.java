package tilewright.simulator.profile;

/** A set of at most 32 numbers that is emptied at no cost, for counting what one warp access touches. */
final class DistinctCount {
  private static final int SLOTS = 128;
  private static final int SHIFT = Integer.SIZE - 7;
  /** 2³² over the golden ratio (Fibonacci hashing). */
  private static final int SPREAD = 0x9E3779B9;

  private final int[] numbers = new int[SLOTS];
  private final int[] rounds = new int[SLOTS];
  private int round;

  void clear() {
    round++;
  }

  /** Whether the number was not there yet. */
  boolean add(int number) {
    int slot = number * SPREAD >>> SHIFT;
    while (rounds[slot] == round) {
      if (numbers[slot] == number) return false;
      slot = slot + 1 & SLOTS - 1;
    }
    rounds[slot] = round;
    numbers[slot] = number;
    return true;
  }
}
