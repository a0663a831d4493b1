package tilewright.verification;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The size of the tests that try many similar cases: all of them under {@code mvn -Pfull}, a sample in other builds,
 * the same one every time.
 */
public final class LongSuite {
  /** Whether this build tries every case. */
  public static final boolean EVERY_CASE = Boolean.getBoolean("tilewright.full");
  private static final int SHARE = 4;
  private static final int SAMPLED_BITS = 3;
  /** The part of the expected number that a sample has at least: hashes are not spread evenly. */
  private static final int LEAST_SHARE = 2 << SAMPLED_BITS;

  private LongSuite() {}

  /** All cases, or the first of every four. */
  public static <T> List<T> of(List<T> cases) {
    if (EVERY_CASE) return cases;
    return IntStream.range(0, cases.size()).filter(i -> i % SHARE == 0).mapToObj(cases::get).toList();
  }

  /** A number of random cases, or a quarter of it. */
  public static int count(int all) {
    return EVERY_CASE ? all : Math.ceilDiv(all, SHARE);
  }

  /** Whether this build tries a case of very many: in a sample one in eight, chosen by its hash. */
  public static boolean includes(Object c) {
    // The golden ratio as a fraction of 2³²: the upper bits of the product depend on all bits of the hash.
    return EVERY_CASE || c.hashCode() * 0x9E3779B9 >>> Integer.SIZE - SAMPLED_BITS == 0;
  }

  /** The cases to expect among those of {@link #includes}, if there are this many in all. */
  public static long least(long all) {
    return EVERY_CASE ? all : Math.max(1, all / LEAST_SHARE);
  }
}
