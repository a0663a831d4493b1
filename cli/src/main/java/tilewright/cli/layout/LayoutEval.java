package tilewright.cli.layout;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.cli.io.BoundedLines;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Excerpt;
import tilewright.cli.io.Exit;
import tilewright.layout.expression.Expression;
import tilewright.layout.expression.Value;
import tilewright.layout.tuple.IntTuple;

/** {@code tilewright layout eval}: what layouts are, and which offsets they have. */
@Command(name = "eval", description = {"Evaluate layouts and operations on them, one result a line.",
    "They are written in CuTe's notation, as in CuTe C++ or as in CuTe's Python DSL."})
@Examples({"layout eval '(4,(2,2)):(1,(4,8))' 'Sw<3,4,3>o0o(8,64):(64,1)'",
    "layout eval 'logical_divide((8,4):(4,1), [4;2])' '(4,2):(1,4) ∘ 2:4' '(4,2):(1,4) o 2:4'",
    "layout eval '(4,2):(1,4)(3,1)'",
    "layout eval 'composition(Swizzle<3,3,3>{}, Layout<Shape<_8,_64>,Stride<_64,_1>>{})'",
    "layout eval 'cute.logical_divide(cute.make_layout((8,4), stride=(4,1)), (4,2))'"})
public final class LayoutEval implements Callable<Integer> {
  /** Characters of an expression that a row repeats. */
  private static final int LONGEST = 1000;

  private final Console console;

  @Parameters(paramLabel = "EXPR", arity = "0..*",
      description = "Expressions; without any, one a line from standard input.")
  private List<String> expressions = List.of();

  @Option(names = "--dialect", paramLabel = "NAME", defaultValue = "cute-cpp",
      converter = LayoutDialect.Converter.class, description = LayoutDialect.DESCRIPTION)
  private LayoutDialect dialect;

  public LayoutEval(Console console) {
    this.console = console;
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
      throw CommandFailure.environmentLacks("standard input cannot be read: " + e.getMessage());
    }
  }

  private boolean evaluate(String expression) {
    var shown = Excerpt.of(expression, LONGEST);
    try {
      var value = Expression.parse(expression).evaluate(dialect.dialect());
      var layout = LayoutRow.of(shown, value);
      if (layout.isPresent()) {
        console.result(layout.get(), layout.get().toText());
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
}
