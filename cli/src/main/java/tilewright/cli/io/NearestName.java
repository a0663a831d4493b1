package tilewright.cli.io;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** The known name that a misspelt one probably stands for. */
public final class NearestName {
  private NearestName() {}

  /**
   * The nearest of the known names by edits: inserting, deleting or replacing a character, or swapping two neighbours
   * (the optimal string alignment distance). Case does not count, and hyphens are underscores. A name is near if a
   * third of its characters at most differ, or if one of the two begins with the other.
   */
  static Optional<String> of(String name, Collection<String> known) {
    var plain = plain(name);
    if (plain.isEmpty() || plain.length() > 64) return Optional.empty();
    return known.stream().filter(k -> isNear(plain, plain(k)))
        .min(Comparator.<String>comparingInt(k -> distance(plain, plain(k))).thenComparing(Comparator.naturalOrder()));
  }

  /** A hint such as {@code "; did you mean grid?"}, or {@code otherwise} where no known name is near. */
  public static String hint(String name, Collection<String> known, String otherwise) {
    return of(name, known).map(near -> "; did you mean " + near + "?").orElse(otherwise);
  }

  /**
   * The failure of a value that is none of the known ones.
   *
   * @param what the kind of value, such as {@code --on}
   */
  public static CommandFailure unknown(String what, String name, Collection<String> known) {
    var all = "there " + (known.size() == 1 ? "is " : "are ") + String.join(", ", known);
    return CommandFailure.badInput("no " + what + " " + name + hint(name, known, "") + "; " + all);
  }

  private static String plain(String name) {
    return name.toLowerCase(Locale.ROOT).replace('-', '_');
  }

  private static boolean isNear(String name, String known) {
    int longer = Math.max(name.length(), known.length());
    boolean begins = name.length() >= 3 && known.startsWith(name) || known.length() >= 3 && name.startsWith(known);
    return begins || distance(name, known) <= Math.max(1, longer / 3) && distance(name, known) < longer;
  }

  private static int distance(String a, String b) {
    var before = new int[b.length() + 1];
    var last = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) last[j] = j;
    for (int i = 1; i <= a.length(); i++) {
      var row = new int[b.length() + 1];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = last[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, 1 + Math.min(last[j], row[j - 1]));
        boolean swapped = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        if (swapped) row[j] = Math.min(row[j], before[j - 2] + 1);
      }
      before = last;
      last = row;
    }
    return last[b.length()];
  }
}
