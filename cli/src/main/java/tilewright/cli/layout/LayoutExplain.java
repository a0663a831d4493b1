package tilewright.cli.layout;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.layout.expression.Explanation;
import tilewright.layout.expression.Expression;
import tilewright.layout.expression.Value;

/** {@code tilewright layout explain}: how an operation gets its result, or why it has none. */
@Command(name = "explain", description = {
    "Derive the value of an expression step by step, or say why an operation in it is undefined."})
@Examples({"layout explain 'composition((6,2):(8,2), (4,3):(3,1))'",
    "layout explain 'complement((2,3):(3,2), 12)'"})
public final class LayoutExplain implements Callable<Integer> {
  private final Console console;

  @Parameters(paramLabel = "EXPR", description = "An operation on layouts, as layout eval takes it.")
  private String expression;

  @Option(names = "--dialect", paramLabel = "NAME", defaultValue = "cute-cpp",
      converter = LayoutDialect.Converter.class, description = LayoutDialect.DESCRIPTION)
  private LayoutDialect dialect;

  public LayoutExplain(Console console) {
    this.console = console;
  }

  /** @param value in CuTe's notation; nothing if the last step's operation is undefined */
  record Row(String expr, List<StepRow> steps, Optional<String> value) {}

  /** @param because the derivation, one fact per line */
  record StepRow(String operation, String outcome, List<String> because) {
    static StepRow of(Explanation.Step step) {
      return new StepRow(step.operation(), step.outcome(), step.because());
    }
  }

  @Override
  public Integer call() {
    try {
      var explanation = Expression.parse(expression).explain(dialect.dialect());
      console.result(new Row(expression, explanation.steps().stream().map(StepRow::of).toList(),
          explanation.value().map(Value::toString)),
          explanation.toText());
      return Exit.OK;
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw CommandFailure.badInput(LayoutProblem.of(e).line(expression));
    }
  }
}
