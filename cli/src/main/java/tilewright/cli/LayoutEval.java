package tilewright.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.UndefinedOperationException;
import tilewright.layout.Witness;

/** {@code tilewright layout eval}: what layouts are, and which offsets they have. */
@Command(name = "eval", description = {"Evaluate layouts and operations on them, one result a line.",
    "Examples: '(4,(2,2)):(1,(4,8))', 'Sw<3,4,3>o0o(8,64):(64,1)', 'logical_divide((8,4):(4,1), 4:2)',",
    "'(4,2):(1,4) ∘ 2:4'."})
final class LayoutEval implements Callable<Integer> {
  /** Larger layouts are reported without their table of offsets. */
  private static final long LARGEST_TABLE = 1 << 16;
  private static final int OFFSETS_IN_TEXT = 32;

  private final Console console;

  @Parameters(paramLabel = "EXPR", arity = "0..*",
      description = "Expressions; without any, one a line from standard input.")
  private List<String> expressions = List.of();

  LayoutEval(Console console) {
    this.console = console;
  }

  /**
   * @param cosize one more than the largest offset; nothing if that takes a table too large
   * @param offsets by colexicographic index; nothing if there are too many
   */
  record Row(String expr, String layout, String shape, String stride, long size, Optional<Long> cosize,
      Optional<long[]> offsets) {
    static Row of(String expression, OffsetMap map) {
      var layout = switch (map) {
        case Layout plain -> plain;
        case ComposedLayout composed -> composed.layout();
      };
      var offsets = map.size() > LARGEST_TABLE ? Optional.<long[]>empty()
          : Optional.of(LongStream.range(0, map.size()).map(map::apply).toArray());
      // A swizzle moves the largest offset, so that only the table knows it.
      var cosize = map instanceof Layout plain ? Optional.of(plain.cosize())
          : offsets.map(table -> LongStream.of(table).max().orElse(-1) + 1);
      return new Row(expression, map.toString(), layout.shape().toString(), layout.stride().toString(), map.size(),
          cosize, offsets);
    }

    String toText() {
      var table = offsets.map(all -> LongStream.of(all).limit(OFFSETS_IN_TEXT).mapToObj(String::valueOf).toList());
      return layout + "  size " + size + cosize.map(c -> "  cosize " + c).orElse("") + "  offsets "
          + table.map(shown -> String.join(" ", shown)).orElse("") + (size > OFFSETS_IN_TEXT ? " …" : "");
    }
  }

  record ErrorRow(String expr, Problem error) {}

  /**
   * @param condition what would have to hold; {@code syntax} if the text is no expression
   * @param witness an index at which the operation's equation fails, if one shows it
   */
  record Problem(String condition, String message, Optional<Long> witness) {
    static Problem of(RuntimeException e) {
      if (e instanceof UndefinedOperationException undefined) {
        return new Problem(undefined.reason().condition(), e.getMessage(),
            undefined.reason().witness().map(Witness::index));
      }
      if (e instanceof ArithmeticException) {
        return new Problem("sizes and offsets fit 64 bits", "a size or an offset does not fit 64 bits",
            Optional.empty());
      }
      return new Problem("syntax", e.getMessage(), Optional.empty());
    }
  }

  @Override
  public Integer call() {
    var exitCode = Exit.OK;
    try (var lines = expressions.isEmpty() ? input() : expressions.stream()) {
      for (var line : (Iterable<String>) lines::iterator) {
        if (!line.isBlank() && !evaluate(line)) exitCode = Exit.BAD_INPUT;
      }
    } catch (UncheckedIOException e) {
      throw CommandFailure.badInput("standard input cannot be read: " + e.getMessage());
    }
    return exitCode;
  }

  private Stream<String> input() {
    var reader = new BufferedReader(new InputStreamReader(console.in(), StandardCharsets.UTF_8));
    return reader.lines().onClose(() -> close(reader));
  }

  private static void close(BufferedReader reader) {
    try {
      reader.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean evaluate(String expression) {
    try {
      var row = Row.of(expression, LayoutExpression.evaluate(expression));
      console.result(row, row.toText());
      return true;
    } catch (IllegalArgumentException | ArithmeticException e) {
      var problem = Problem.of(e);
      if (console.json()) {
        console.result(new ErrorRow(expression, problem), "");
      } else {
        console.note(expression + ": " + problem.message());
      }
      return false;
    }
  }
}
