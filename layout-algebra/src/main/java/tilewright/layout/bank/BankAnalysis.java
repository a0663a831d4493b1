package tilewright.layout.bank;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.layout.OffsetMap;

/** One access by a warp to shared memory: all lanes at once, halves for 8 bytes per lane, quarters for 16. */
public record BankAnalysis(AccessPattern pattern, List<AccessPhase> phases) {
  public BankAnalysis {
    phases = List.copyOf(phases);
  }

  /**
   * The analysis for NVIDIA's shared memory.
   *
   * @param memory index → element of shared memory, whose first element is aligned to 16 bytes
   * @throws IllegalArgumentException if a lane's address is no multiple of the access
   */
  public static BankAnalysis of(OffsetMap memory, int elementBytes, AccessPattern pattern) {
    return of(memory, elementBytes, pattern, BankGeometry.SHARED_MEMORY);
  }

  /** The analysis for other banks. */
  public static BankAnalysis of(OffsetMap memory, int elementBytes, AccessPattern pattern, BankGeometry geometry) {
    var bytes = pattern.bytes(memory, elementBytes);
    var together = geometry.lanesPerPhase(pattern.accessBytes());
    var phases = new ArrayList<AccessPhase>();
    for (var first = 0; first < bytes.size(); first += together) {
      var lanes = bytes.subList(first, Math.min(bytes.size(), first + together));
      phases.add(AccessPhase.count(first, lanes, pattern.accessBytes(), geometry));
    }
    return new BankAnalysis(pattern, phases);
  }

  public int lanes() {
    return pattern.indices().size();
  }

  /** The number of wavefronts that the access takes. */
  public int wavefronts() {
    return phases.stream().mapToInt(AccessPhase::wavefronts).sum();
  }

  /** The number of wavefronts that it would take without conflicts. */
  public int ideal() {
    return phases.stream().mapToInt(AccessPhase::ideal).sum();
  }

  /** The wavefronts of the phase that takes longest. */
  public int degree() {
    return phases.stream().mapToInt(AccessPhase::wavefronts).max().orElse(0);
  }

  public boolean conflictFree() {
    return conflict().isEmpty();
  }

  /** The first conflict, as a witness. */
  public Optional<BankConflict> conflict() {
    return phases.stream().flatMap(phase -> phase.conflict().stream()).findFirst();
  }
}
