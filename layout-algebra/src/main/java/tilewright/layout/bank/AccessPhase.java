package tilewright.layout.bank;

import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Lanes that shared memory serves together. One wavefront gives one word of each bank, to any number of lanes.
 *
 * @param wavefronts the most distinct words of one bank
 * @param ideal as many as the distinct words of all banks need at least
 * @param conflict the first bank that takes longest, if that is longer than needed
 */
public record AccessPhase(int firstLane, int lanes, int wavefronts, int ideal, Optional<BankConflict> conflict) {

  /**
   * Counts the words of each bank: the definition.
   *
   * @param bytes where the lanes of the phase begin
   * @throws IllegalArgumentException if a lane's address is no multiple of the access
   */
  static AccessPhase count(int firstLane, List<Long> bytes, int accessBytes, BankGeometry memory) {
    var lanesByWord = Stream.<TreeMap<Long, Integer>>generate(TreeMap::new).limit(memory.banks()).toList();
    for (var i = 0; i < bytes.size(); i++) {
      long first = bytes.get(i);
      if (first % accessBytes != 0) {
        throw new IllegalArgumentException("lane " + (firstLane + i) + " accesses " + accessBytes + " bytes at byte "
            + first + ", which is no multiple of " + accessBytes);
      }
      for (var at = first; at < first + accessBytes; at += memory.wordBytes()) {
        lanesByWord.get(memory.bank(at)).putIfAbsent(memory.word(at), firstLane + i);
      }
    }
    var worst = 0;
    var words = 0;
    for (var bank = 0; bank < memory.banks(); bank++) {
      words += lanesByWord.get(bank).size();
      if (lanesByWord.get(bank).size() > lanesByWord.get(worst).size()) worst = bank;
    }
    var most = lanesByWord.get(worst);
    var ideal = Math.ceilDiv(words, memory.banks());
    var conflict = most.size() <= ideal ? Optional.<BankConflict>empty()
        : Optional.of(new BankConflict(worst, List.copyOf(most.values()), List.copyOf(most.keySet())));
    return new AccessPhase(firstLane, bytes.size(), most.size(), ideal, conflict);
  }

  public boolean conflictFree() {
    return conflict.isEmpty();
  }
}
