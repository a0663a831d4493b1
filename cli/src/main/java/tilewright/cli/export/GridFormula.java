package tilewright.cli.export;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tilewright.ptx.Dim3;

/**
 * The grid as a function of run-time extents: in each direction a factor times the product of ⌈extent / tile⌉, at least
 * one and at most a limit. It is found by asking for the grid of many extents, and holds for every one asked for.
 *
 * @param directions x, y and z
 */
record GridFormula(List<Direction> directions) {
  private static final int LARGEST_TILE = 1 << 16;
  /** Around powers of two, and multiples of 32 between them for kernels that want aligned extents. */
  private static final int[] PROBES = {1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 192, 255, 256, 257, 320,
      448, 511, 513, 640, 1023, 1024, 1025, 1088, 1152, 2049, 4095, 4096, 4097, 4160, 8192, 8193, 16384, 16385, 65536,
      65537};
  /** Fewer grids of an extent than that say nothing about how it enters. */
  private static final int LEAST_PROBES = 3;

  GridFormula {
    directions = List.copyOf(directions);
  }

  /**
   * One direction of the grid.
   *
   * @param tiles by extent; extents that do not matter are missing
   * @param most what a kernel that goes on to further tiles by itself asks for at most; absent without a limit
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record Direction(int factor, Map<String, Integer> tiles, Optional<Integer> most) {
    Direction {
      tiles = new TreeMap<>(tiles);
    }

    long at(Map<String, Integer> extents) {
      long blocks = factor;
      for (var tile : tiles.entrySet()) blocks *= Math.ceilDiv(extents.get(tile.getKey()), tile.getValue());
      return Math.clamp(blocks, 1, most.orElse(Integer.MAX_VALUE));
    }

    @Override
    public String toString() {
      var factors = tiles.entrySet().stream().map(e -> e.getValue() == 1 ? e.getKey() : "ceil(" + e.getKey() + "/"
          + e.getValue() + ")").collect(Collectors.joining(" * "));
      var product = factors.isEmpty() ? "" + factor : factor == 1 ? factors : factor + " * " + factors;
      return most.map(limit -> "min(" + limit + ", " + product + ")").orElse(product);
    }
  }

  /** The grid for these extents. */
  List<Long> at(Map<String, Integer> extents) {
    return directions.stream().map(d -> d.at(extents)).toList();
  }

  /**
   * Finds the formula.
   *
   * @param base extents that there is a grid for
   * @param grid the grid for other extents; nothing where the kernel is another one then, or there is none
   * @return nothing where no formula of this form gives the grids
   */
  static Optional<GridFormula> find(Map<String, Integer> base, Function<Map<String, Integer>, Optional<Dim3>> grid) {
    var asked = new LinkedHashMap<Map<String, Integer>, List<Long>>();
    asked.put(base, blocks(grid.apply(base).orElseThrow()));
    for (var name : base.keySet()) {
      for (int probe : PROBES) ask(with(base, name, probe), grid, asked);
    }
    // Extents together, not only one by one.
    for (int probe : PROBES) {
      var together = new TreeMap<String, Integer>();
      int shift = 0;
      for (var name : base.keySet()) together.put(name, Math.max(1, probe >> shift++));
      ask(together, grid, asked);
    }
    var directions = IntStream.range(0, 3).mapToObj(d -> direction(d, base, asked)).toList();
    if (directions.stream().anyMatch(Optional::isEmpty)) return Optional.empty();
    var formula = new GridFormula(directions.stream().map(Optional::orElseThrow).toList());
    boolean holds = asked.entrySet().stream().allMatch(e -> formula.at(e.getKey()).equals(e.getValue()));
    return holds ? Optional.of(formula) : Optional.empty();
  }

  private static void ask(Map<String, Integer> extents, Function<Map<String, Integer>, Optional<Dim3>> grid,
      Map<Map<String, Integer>, List<Long>> asked) {
    if (!asked.containsKey(extents)) grid.apply(extents).ifPresent(g -> asked.put(extents, blocks(g)));
  }

  private static Map<String, Integer> with(Map<String, Integer> base, String name, int value) {
    var changed = new TreeMap<>(base);
    changed.put(name, value);
    return changed;
  }

  private static List<Long> blocks(Dim3 grid) {
    return List.of((long) grid.x(), (long) grid.y(), (long) grid.z());
  }

  private static Optional<Direction> direction(int d, Map<String, Integer> base,
      Map<Map<String, Integer>, List<Long>> asked) {
    return product(d, base, asked).or(() -> {
      long most = asked.values().stream().mapToLong(blocks -> blocks.get(d)).max().orElseThrow();
      var below = new LinkedHashMap<>(asked);
      below.values().removeIf(blocks -> blocks.get(d) == most);
      return below.containsKey(base) ? product(d, base, below).map(p -> new Direction(p.factor, p.tiles,
          Optional.of(Math.toIntExact(most)))) : Optional.empty();
    });
  }

  private static Optional<Direction> product(int d, Map<String, Integer> base,
      Map<Map<String, Integer>, List<Long>> asked) {
    var tiles = new TreeMap<String, Integer>();
    long rest = asked.get(base).get(d);
    for (var name : base.keySet()) {
      var blocks = new TreeMap<Integer, Long>();
      asked.forEach((extents, grid) -> {
        if (extents.equals(with(base, name, extents.get(name)))) blocks.put(extents.get(name), grid.get(d));
      });
      if (blocks.size() < LEAST_PROBES) return Optional.empty();
      if (blocks.values().stream().distinct().count() == 1) continue;
      var tile = tile(base.get(name), blocks);
      if (tile.isEmpty()) return Optional.empty();
      tiles.put(name, tile.get());
      long factor = Math.ceilDiv(base.get(name), tile.get());
      if (rest % factor != 0) return Optional.empty();
      rest /= factor;
    }
    return Optional.of(new Direction(Math.toIntExact(rest), tiles, Optional.empty()));
  }

  /** The least tile by which all blocks are in proportion. */
  private static Optional<Integer> tile(int base, Map<Integer, Long> blocks) {
    return IntStream.rangeClosed(1, LARGEST_TILE).filter(tile -> blocks.entrySet().stream().allMatch(e ->
        e.getValue() * Math.ceilDiv(base, tile) == blocks.get(base) * Math.ceilDiv(e.getKey(), tile)))
        .boxed().findFirst();
  }
}
