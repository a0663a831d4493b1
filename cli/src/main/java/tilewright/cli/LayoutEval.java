package tilewright.cli;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tilewright.layout.ComposedLayout;
import tilewright.layout.IntTuple;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.expression.Expression;
import tilewright.layout.expression.Value;

/** {@code tilewright layout eval}: what layouts are, and which offsets they have. */
@Command(name = "eval", description = {"Evaluate layouts and operations on them, one result a line.",
    "Examples: '(4,(2,2)):(1,(4,8))', 'Sw<3,4,3>o0o(8,64):(64,1)', 'logical_divide((8,4):(4,1), [4;2])',",
    "'(4,2):(1,4) ∘ 2:4' (or 'o'), '(4,2):(1,4)(3,1)'."})
final class LayoutEval implements Callable<Integer> {
  /** Larger layouts are reported without their table of offsets. */
  private static final long LARGEST_TABLE = 1 << 16;
  private static final int OFFSETS_IN_TEXT = 32;
  /** Characters of an expression that a row repeats. */
  private static final int LONGEST = 1000;

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

  /** @param value a number or a truth as such, all else in CuTe's notation */
  record ValueRow(String expr, Object value) {
    static ValueRow of(String expression, Value value) {
      return new ValueRow(expression, switch (value) {
        case Value.Integers(IntTuple.Leaf leaf) -> leaf.value();
        case Value.Truth truth -> truth.holds();
        default -> value.toString();
      });
    }
  }

  record ErrorRow(String expr, LayoutProblem error) {}

  @Override
  public Integer call() {
    if (!expressions.isEmpty()) {
      var exitCode = Exit.OK;
      for (var expression : expressions) if (!evaluate(expression)) exitCode = Exit.BAD_INPUT;
      return exitCode;
    }
    try (var lines = new BoundedLines(console.in(), Expression.LONGEST + 1)) {
      var exitCode = Exit.OK;
      for (var line = lines.next(); line.isPresent(); line = lines.next()) {
        if (!line.get().isBlank() && !evaluate(line.get())) exitCode = Exit.BAD_INPUT;
      }
      return exitCode;
    } catch (IOException e) {
      throw CommandFailure.badInput("standard input cannot be read: " + e.getMessage());
    }
  }

  private boolean evaluate(String expression) {
    var shown = excerpt(expression, LONGEST);
    try {
      var value = Expression.parse(expression).evaluate();
      if (value instanceof Value.Mapping mapping) {
        var row = Row.of(shown, mapping.map());
        console.result(row, row.toText());
      } else {
        console.result(ValueRow.of(shown, value), value.toString());
      }
      return true;
    } catch (IllegalArgumentException | ArithmeticException e) {
      var problem = LayoutProblem.of(e);
      if (console.json()) {
        console.result(new ErrorRow(shown, problem), "");
      } else {
        console.note(problem.line(expression));
      }
      return false;
    }
  }

  static String excerpt(String text, int longest) {
    return text.length() <= longest ? text : text.substring(0, longest) + "…";
  }
}
