package tilewright.verification.golden;

import java.util.List;

/** How the records of one operation, or of several together, were judged. */
public record OperationCount(String operation, long records, long agreed, long refused, long dialect,
    long mismatches) {

  /** Counts these records under that name. */
  public static OperationCount of(String operation, List<JudgedRecord> records) {
    return new OperationCount(operation, records.size(), count(records, Outcome.AGREED),
        count(records, Outcome.REFUSED), count(records, Outcome.DIALECT), count(records, Outcome.MISMATCH));
  }

  private static long count(List<JudgedRecord> records, Outcome outcome) {
    return records.stream().filter(r -> r.outcome() == outcome).count();
  }
}
