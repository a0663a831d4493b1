package tilewright.simulator;

/**
 * Global-memory traffic of one instruction over a whole launch. Global memory is fetched in sectors of 32 bytes.
 *
 * @param line of the PTX text
 * @param instruction its text
 * @param source {@code File.java:12} from {@code .loc}, or the empty text
 * @param accesses warp accesses
 * @param sectors different sectors that they touched, warp access by warp access
 * @param ideal sectors that would do if every access were contiguous and aligned
 */
public record GlobalTraffic(int line, String instruction, String source, long accesses, long sectors, long ideal) {

  /** Sectors fetched or written in vain. */
  public long excess() {
    return sectors - ideal;
  }
}
