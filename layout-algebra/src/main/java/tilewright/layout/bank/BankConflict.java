package tilewright.layout.bank;

import java.util.List;

/**
 * Lanes that want different words of one bank at once.
 *
 * @param lanes one for each word
 * @param words the numbers of the words, from the address 0
 */
public record BankConflict(int bank, List<Integer> lanes, List<Long> words) {
  public BankConflict {
    lanes = List.copyOf(lanes);
    words = List.copyOf(words);
  }

  @Override
  public String toString() {
    return "lanes " + lanes + " want the words " + words + " of bank " + bank;
  }
}
