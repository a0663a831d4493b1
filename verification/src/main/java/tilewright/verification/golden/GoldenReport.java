package tilewright.verification.golden;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/** All records of a folder, judged, in the order of their files. */
public record GoldenReport(List<JudgedRecord> records) {
  public GoldenReport {
    records = List.copyOf(records);
  }

  /** Counts an operation, in the order in which the operations appear. */
  public List<OperationCount> operations() {
    var groups = new LinkedHashMap<String, List<JudgedRecord>>();
    for (var judged : records) groups.computeIfAbsent(judged.operation(), _ -> new ArrayList<>()).add(judged);
    return groups.entrySet().stream().map(e -> OperationCount.of(e.getKey(), e.getValue())).toList();
  }

  /** The records that we answer wrongly or not at all. */
  public List<JudgedRecord> mismatches() {
    return records.stream().filter(JudgedRecord::isMismatch).toList();
  }

  /** The records whose oracle gives an answer that violates the definition. */
  public List<JudgedRecord> wrongElsewhere() {
    return records.stream().filter(JudgedRecord::oracleWrong).toList();
  }
}
