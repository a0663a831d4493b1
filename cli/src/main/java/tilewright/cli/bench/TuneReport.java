package tilewright.cli.bench;

import java.util.List;
import tilewright.cli.sweep.SweepReport;
import tools.jackson.databind.JsonNode;

/** One table of the rows that the shards of {@code tune} have measured, with the fastest of each problem. */
public final class TuneReport implements SweepReport {
  static final String COMMAND = "tune";

  @Override
  public String command() {
    return COMMAND;
  }

  @Override
  public Joined join(List<JsonNode> rows) {
    if (rows.getFirst().has("tile")) {
      var shapes = BenchReport.read(rows, TuneCommand.Row.class);
      return new Joined(shapes, shapes, TuneCommand.table(shapes));
    }
    var ranked = FamilyTuning.rankedRows(BenchReport.read(rows, FamilyTuning.Row.class));
    return new Joined(ranked, ranked, FamilyTuning.table(ranked));
  }
}
