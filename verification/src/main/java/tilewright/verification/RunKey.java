package tilewright.verification;

/**
 * The identity of one run of a verification, the same on every machine.
 *
 * @param number counts the cases of equal configuration, from 1: few have an equal one
 */
public record RunKey(String kernel, String arch, String backend, String config, long seed, int number) {

  /** Returns the key as a line of text, which no other key has. */
  public String text() {
    return "%s %s %s %s seed=%d%s".formatted(kernel, arch, backend, config, seed, number == 1 ? "" : " #" + number);
  }
}
