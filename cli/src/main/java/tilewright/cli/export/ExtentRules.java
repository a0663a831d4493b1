package tilewright.cli.export;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import tilewright.kernel.TensorSpec;

/**
 * The rules that an exported kernel assumes of extents that no setting determines. An extent that was the same in every
 * traced launch keeps that value; one that counts the tiles of another follows it, such as the scales of a matrix.
 *
 * @param complete whether every such extent has a rule
 */
record ExtentRules(Map<String, Integer> same, Map<String, Count> counts, boolean complete) {
  /** No rules. */
  static final ExtentRules NONE = new ExtentRules(Map.of(), Map.of(), true);

  private static final int LARGEST_TILE = 1 << 10;

  ExtentRules {
    same = Map.copyOf(same);
    counts = Map.copyOf(counts);
  }

  /** The extent is ⌈{@code of} / {@code each}⌉. */
  record Count(String of, int each) {
    private boolean holds(String name, Map<String, Integer> extents) {
      return extents.get(name) == Math.ceilDiv(extents.get(of), each);
    }
  }

  /**
   * @param free extents that can be set
   * @param seen the extents of launches of one kernel
   */
  static ExtentRules of(Set<String> free, List<Map<String, Integer>> seen) {
    var same = new HashMap<String, Integer>();
    var counts = new HashMap<String, Count>();
    var others = seen.isEmpty() ? Set.<String>of() : new HashSet<>(seen.getFirst().keySet());
    others.removeAll(free);
    for (var name : others) {
      if (seen.stream().map(extents -> extents.get(name)).distinct().count() == 1) {
        same.put(name, seen.getFirst().get(name));
      } else {
        count(name, free, seen).ifPresent(count -> counts.put(name, count));
      }
    }
    return new ExtentRules(same, counts, same.size() + counts.size() == others.size());
  }

  private static Optional<Count> count(String name, Set<String> free, List<Map<String, Integer>> seen) {
    return free.stream().sorted().flatMap(of -> IntStream.rangeClosed(1, LARGEST_TILE).mapToObj(e -> new Count(of, e)))
        .filter(count -> seen.stream().allMatch(extents -> count.holds(name, extents))).findFirst();
  }

  /** The extents of a tensor that have to be what they are. */
  Map<String, Integer> fixed(TensorSpec tensor) {
    var fixed = new TreeMap<>(same);
    fixed.keySet().retainAll(tensor.extents());
    fixed.putAll(tensor.fixed());
    return fixed;
  }
}
