package tilewright.cli.bench;

import java.util.List;
import tilewright.cli.sweep.SweepReport;
import tilewright.verification.bench.BenchmarkRecord;
import tilewright.verification.bench.SimulatorRecord;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One record of the rows that the shards of {@code bench} have measured, as {@code bench --out} writes it. */
public final class BenchReport implements SweepReport {
  static final String COMMAND = "bench";

  @Override
  public String command() {
    return COMMAND;
  }

  @Override
  public Joined join(List<JsonNode> rows) {
    if (rows.getFirst().has("processor")) {
      var record = SimulatorRecord.joined(read(rows, SimulatorRecord.class));
      return new Joined(record, List.of(record), BenchTables.of(record));
    }
    var record = BenchmarkRecord.joined(read(rows, BenchmarkRecord.class));
    return new Joined(record, List.of(record), BenchTables.of(record));
  }

  static <R> List<R> read(List<JsonNode> rows, Class<R> type) {
    return rows.stream().map(row -> JsonMapper.shared().treeToValue(row, type)).toList();
  }
}
