package tilewright.verification;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * One of the parts that a sweep is divided into. A hash of its key alone decides which part a run belongs to, so
 * machines agree without asking each other.
 *
 * @param number from 1 to {@code count}
 */
public record Shard(int number, int count) {
  /** The only shard of a sweep that is not divided. */
  public static final Shard WHOLE = new Shard(1, 1);
  /** More shards than any sweep has cases. */
  private static final int MOST = 1_000_000;
  private static final Pattern TEXT = Pattern.compile("(\\d{1,7})/(\\d{1,7})");

  public Shard {
    if (count < 1 || count > MOST || number < 1 || number > count) {
      throw new IllegalArgumentException("there is no shard " + number + "/" + count
          + "; needed is I/N, such as 3/16, with I from 1 to N and N at most " + MOST);
    }
  }

  /** @throws IllegalArgumentException if the text is not of the form {@code 3/16} */
  public static Shard of(String text) {
    var match = TEXT.matcher(text);
    if (!match.matches()) {
      throw new IllegalArgumentException("'" + text + "' is no shard; needed is I/N, such as 3/16, with I from 1 to N");
    }
    return new Shard(Integer.parseInt(match.group(1)), Integer.parseInt(match.group(2)));
  }

  /** Returns whether the run with this key belongs to this shard. */
  public boolean holds(String key) {
    var hash = new CRC32();
    hash.update(key.getBytes(StandardCharsets.UTF_8));
    return hash.getValue() % count == number - 1;
  }

  @Override
  public String toString() {
    return number + "/" + count;
  }
}
