package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.run.AttentionFileOptions.Inputs;
import tilewright.kernels.attention.AttentionProblem.Apart;
import tilewright.numerics.ElementType;

/** The options of {@code run attention} that store each row's largest score and its sum of exponentials apart. */
final class ApartOptions {
  @Option(names = "--max", paramLabel = "FILE",
      description = "Where the rows' largest scores go, B×H×Sq of f32, with --sum in the place of --lse.")
  private Optional<Path> maxima;

  @Option(names = "--sum", paramLabel = "FILE",
      description = "Where the rows' sums of exponentials go, relative to the largest scores, B×H×Sq of f32.")
  private Optional<Path> sums;

  /**
   * Checks that options go together.
   *
   * @param others options that these do not go with, by name, and whether they are given
   */
  void check(Map<String, Boolean> others) {
    if (maxima.isPresent() != sums.isPresent()) {
      throw CommandFailure.badInput("--max and --sum go together: give both, or neither");
    }
    others.entrySet().stream().filter(other -> maxima.isPresent() && other.getValue()).findFirst().ifPresent(other -> {
      throw CommandFailure.badInput("--max and --sum do not go with " + other.getKey() + ": leave it out");
    });
  }

  Stream<Path> files() {
    return Stream.concat(maxima.stream(), sums.stream());
  }

  /** Changes the problem, and adds room for what it stores. */
  void apply(Inputs inputs, List<Long> shape, Arena arena) {
    if (maxima.isEmpty()) return;
    var places = Apart.dense(inputs.sizes());
    inputs.attention().maximaAndSums(places);
    for (var view : List.of(places.maxima(), places.sums())) {
      inputs.allocate(arena, view.buffer(), ElementType.F32, shape);
    }
  }

  void write(Inputs inputs, List<Long> shape) {
    inputs.attention().problem().apart().ifPresent(places -> {
      AttentionFileOptions.write(maxima.orElseThrow(), "max", ElementType.F32, shape,
          Map.of("max", inputs.buffers().get(places.maxima().buffer())));
      AttentionFileOptions.write(sums.orElseThrow(), "sum", ElementType.F32, shape,
          Map.of("sum", inputs.buffers().get(places.sums().buffer())));
    });
  }
}
