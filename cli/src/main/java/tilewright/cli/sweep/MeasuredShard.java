package tilewright.cli.sweep;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.verification.bench.RowMeasurement;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Measures one shard of the rows of a command, or resumes it. */
public final class MeasuredShard {
  private MeasuredShard() {}

  /**
   * Returns the shard's rows: first those that its file held already, then the others as they were measured.
   *
   * @param type of a row, whose JSON is the payload of its result
   * @param each takes every row as soon as it is there
   */
  public static <R> List<R> run(DividedCommand command, RowMeasurement<R> measurement, Class<R> type,
      SweepOptions sweep, Consumer<R> each, Console console) {
    var shard = sweep.shard();
    if (sweep.results().isEmpty()) {
      return measurement.keys().stream().filter(shard::holds).map(measurement::measure).peek(each).toList();
    }
    var rows = new ArrayList<R>();
    var source = new SweepSource(command.name(), command.commit(), Optional.of(measurement.device()));
    var plan = SweepPlan.of(source, command.arguments(), shard, measurement.keys());
    try (var writer = ResultsWriter.open(sweep.results().get(), plan, console)) {
      writer.done().forEach(result -> rows.add(row(result, type)));
      rows.forEach(each);
      for (var run : writer.pending()) {
        var row = measurement.measure(run);
        writer.append(SweepResult.measured(source, run, row));
        rows.add(row);
        each.accept(row);
      }
    }
    return rows;
  }

  private static <R> R row(SweepResult result, Class<R> type) {
    try {
      return JsonMapper.shared().treeToValue(result.payload(), type);
    } catch (JacksonException e) {
      throw CommandFailure.badInput("the result of " + result.run() + " is no row (" + e.getOriginalMessage()
          + "); name another folder with --results");
    }
  }
}
