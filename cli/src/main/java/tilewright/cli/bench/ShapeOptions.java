package tilewright.cli.bench;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;
import tilewright.cli.io.CommandFailure;
import tilewright.verification.bench.GemmDraw;

/** The shapes of matrix products: those that are given, or some that are drawn at random. */
final class ShapeOptions {
  private static final List<String> SQUARES = List.of("1024x1024x1024", "2048x2048x2048", "4096x4096x4096",
      "8192x8192x8192");
  private static final String RANGE = "[1-9]\\d{0,8}-[1-9]\\d{0,8}";

  @Option(names = "--shape", split = ",", paramLabel = "MxNxK",
      description = "Shapes, commas between (default: squares from 1024 to 8192).")
  private List<String> given = List.of();

  @Option(names = "--draw", paramLabel = "N",
      description = "Draw that many shapes at random instead, log-uniformly: N and K in steps of 8 from 512 on.")
  private Optional<Integer> drawn = Optional.empty();

  @Option(names = "--seed", paramLabel = "S", description = "Of the shapes drawn (default: 1).")
  private Optional<Long> seed = Optional.empty();

  @Option(names = "--rows", paramLabel = "LO-HI", description = "The range that M is drawn from (default: 1-8192).")
  private Optional<String> range = Optional.empty();

  /**
   * The shapes, such as {@code 16x4096x4096}.
   *
   * @param order of the operands, such as TN
   */
  List<String> of(String order) {
    if (drawn.isEmpty()) {
      if (seed.isPresent() || range.isPresent()) throw CommandFailure.badInput("--seed and --rows need --draw");
      return given.isEmpty() ? SQUARES : given;
    }
    if (!given.isEmpty()) throw CommandFailure.badInput("--draw and --shape exclude each other");
    if (drawn.get() < 1) {
      throw CommandFailure.badInput("invalid --draw " + drawn.get() + ": needed is an integer from 1 on");
    }
    var rows = rows();
    if (!rows.matches(RANGE)) {
      throw CommandFailure.badInput("invalid --rows " + rows + ": needed is LO-HI, such as 65-511");
    }
    var ends = Stream.of(rows.split("-")).mapToInt(Integer::parseInt).toArray();
    try {
      return new GemmDraw(seed(), new GemmDraw.Range(ends[0], ends[1]), order.startsWith("N")).first(drawn.get()).stream()
          .map(GemmDraw.Shape::toString).toList();
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput("--rows: " + e.getMessage());
    }
  }

  private long seed() {
    return seed.orElse(1L);
  }

  private String rows() {
    return range.orElse("1-8192");
  }

  /** The options that make these shapes again. */
  List<String> arguments(String order) {
    return drawn.map(count -> List.of("--draw", "" + count, "--seed", "" + seed(), "--rows", rows()))
        .orElseGet(() -> List.of("--shape", String.join(",", of(order))));
  }
}
