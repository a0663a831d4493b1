package tilewright.simulator;

/**
 * Shared-memory traffic of one instruction over a whole launch. Shared memory has 32 banks of four bytes; a warp's
 * access takes one wavefront for each set of addresses that the banks can serve together.
 *
 * @param line of the PTX text
 * @param instruction its text
 * @param source {@code File.java:12} from {@code .loc}, or the empty text
 * @param accesses warp accesses
 * @param wavefronts what they took
 * @param ideal what they would take without any bank conflict
 */
public record BankConflicts(int line, String instruction, String source, long accesses, long wavefronts, long ideal) {

  /** Wavefronts spent on conflicts. */
  public long conflicts() {
    return wavefronts - ideal;
  }
}
