package tilewright.cli.kernel;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import tilewright.verification.TracedKernel;

/**
 * The PTX of kernels beside that of the same configurations before a change. A configuration is known by its kernel and
 * its settings; where several have the same, the sets of their texts are compared.
 */
final class PtxComparison {
  /** Differences that are shown; the others are listed by name only. */
  private static final int SHOWN = 5;
  private static final int LINES = 8;

  private final PtxFolder before;
  private final Map<Key, Set<String>> hashesBefore = new TreeMap<>();
  private final Map<Key, Set<String>> hashesAfter = new TreeMap<>();
  /** The first new texts, by their configuration. */
  private final Map<Key, TracedKernel> shown = new TreeMap<>();

  PtxComparison(PtxFolder before) {
    this.before = before;
    before.index().configurations().forEach(entry -> add(hashesBefore, entry));
  }

  private record Key(String kernel, String config) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int order = kernel.compareTo(other.kernel);
      return order == 0 ? config.compareTo(other.config) : order;
    }

    @Override
    public String toString() {
      return kernel + " " + config;
    }
  }

  /**
   * A configuration whose PTX differs.
   *
   * @param lines the first lines that differ, as {@code diff} writes them; empty where they are not shown
   */
  record Difference(String kernel, String config, String lines) {}

  /**
   * The outcome.
   *
   * @param before the commit of the folder that was compared with
   * @param compared configurations that are there before and after; {@code equal} or among {@code different}
   * @param renamed configurations that are gone by their name, but whose text another one has after the change
   * @param onlyBefore configurations that are gone
   * @param onlyAfter number of configurations whose names are new
   */
  record Result(String before, int compared, int equal, List<Difference> different, int renamed,
      List<String> onlyBefore, int onlyAfter) {
    /** Whether all that was there before is the same. */
    boolean same() {
      return different.isEmpty() && onlyBefore.isEmpty();
    }

    String text() {
      var text = new StringBuilder();
      for (var difference : different) {
        text.append("different: ").append(difference.kernel).append(' ').append(difference.config).append('\n')
            .append(difference.lines);
      }
      onlyBefore.forEach(name -> text.append("only before: ").append(name).append('\n'));
      return text + ("%d configurations compared with %s: %d the same, %d different; %d renamed, %d only before, "
          + "%d only after").formatted(compared, before, equal, different.size(), renamed, onlyBefore.size(),
          onlyAfter);
    }
  }

  /** Adds what a kernel is after the change. */
  void add(TracedKernel traced) {
    var entry = PtxFolder.entry(traced);
    var key = add(hashesAfter, entry);
    var known = hashesBefore.get(key);
    if (known != null && !known.contains(entry.ptx()) && shown.size() < SHOWN) shown.putIfAbsent(key, traced);
  }

  private static Key add(Map<Key, Set<String>> hashes, PtxFolder.Entry entry) {
    var key = new Key(entry.kernel(), entry.config());
    hashes.computeIfAbsent(key, _ -> new TreeSet<>()).add(entry.ptx());
    return key;
  }

  /** @param kernels those that were traced: the others are none that are gone */
  Result result(Predicate<String> kernels) {
    var onlyBefore = new ArrayList<Key>();
    var different = new ArrayList<Difference>();
    int compared = 0;
    for (var key : hashesBefore.keySet()) {
      if (!kernels.test(key.kernel)) continue;
      var after = Optional.ofNullable(hashesAfter.get(key));
      if (after.isEmpty()) {
        onlyBefore.add(key);
      } else {
        compared++;
        if (!after.get().equals(hashesBefore.get(key))) different.add(difference(key));
      }
    }
    var texts = new HashSet<String>();
    hashesAfter.values().forEach(texts::addAll);
    // A configuration that is gone by its name is there by its text if any other has that now.
    var gone = onlyBefore.stream().filter(key -> !texts.containsAll(hashesBefore.get(key))).map(Key::toString).toList();
    int fresh = (int) hashesAfter.keySet().stream().filter(key -> !hashesBefore.containsKey(key)).count();
    return new Result(before.index().commit(), compared, compared - different.size(), different,
        onlyBefore.size() - gone.size(), gone, fresh);
  }

  private Difference difference(Key key) {
    var lines = Optional.ofNullable(shown.get(key)).map(after -> {
      var gone = hashesBefore.get(key).stream().filter(hash -> !hashesAfter.get(key).contains(hash)).findFirst();
      return firstDifferences(gone.or(() -> hashesBefore.get(key).stream().findFirst()).map(before::text).orElseThrow(),
          after.ptx());
    });
    return new Difference(key.kernel, key.config, lines.orElse(""));
  }

  /** The lines from the first that differs on, a few of each text. */
  private static String firstDifferences(String before, String after) {
    var old = before.lines().toList();
    var now = after.lines().toList();
    int first = 0;
    while (first < old.size() && first < now.size() && old.get(first).equals(now.get(first))) first++;
    var text = new StringBuilder("  line ").append(first + 1).append('\n');
    old.stream().skip(first).limit(LINES).forEach(line -> text.append("  - ").append(line).append('\n'));
    now.stream().skip(first).limit(LINES).forEach(line -> text.append("  + ").append(line).append('\n'));
    return text.toString();
  }
}
