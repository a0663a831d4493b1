package tilewright.docs.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import tilewright.verification.golden.GoldenReport;
import tilewright.verification.golden.GoldenVectors;
import tilewright.verification.golden.JudgedRecord;
import tilewright.verification.golden.OperationCount;

/** The golden vectors as tables: counts of every operation, and where other implementations are wrong. */
public final class Golden {
  private static final Path VECTORS = Path.of("verification/src/test/resources/golden");

  private Golden() {}

  public static void write(Path root, Path generated) throws IOException {
    var report = GoldenVectors.judge(root.resolve(VECTORS));
    Files.writeString(generated.resolve("golden-counts.adoc"), counts(report));
    Files.writeString(generated.resolve("golden-wrong.adoc"), wrong(report.wrongElsewhere()));
  }

  /** A table for each oracle, its sum last. */
  static String counts(GoldenReport report) {
    var text = new StringBuilder();
    grouped(report.records(), JudgedRecord::oracle).forEach((oracle, records) -> {
      text.append(".").append(oracle).append("\n[cols=\"3,>1,>1,>1,>1,>1\"]\n|===\n");
      text.append("|Operation |Records |Agreed |Refused |Dialect |Mismatches\n\n");
      new GoldenReport(records).operations().forEach(count -> text.append(row("`" + count.operation() + "`", count)));
      text.append(row("together", OperationCount.of("", records))).append("|===\n\n");
    });
    var all = OperationCount.of("", report.records());
    return text + "In all %d records: %d agreed, %d refused, %d dialect, %d mismatches.%n".formatted(all.records(),
        all.agreed(), all.refused(), all.dialect(), all.mismatches());
  }

  private static String row(String name, OperationCount count) {
    return "|%s |%d |%d |%d |%d |%d%n".formatted(name, count.records(), count.agreed(), count.refused(),
        count.dialect(), count.mismatches());
  }

  /** A table of how often each oracle is wrong in each operation, with the first case beside ours. */
  static String wrong(List<JudgedRecord> records) {
    var text = new StringBuilder("[cols=\"2,2,>1,4,3,4\"]\n|===\n|By |Operation |Records |Of |Answers |Ours\n\n");
    grouped(records, r -> r.oracle() + " " + r.operation()).forEach((_, same) -> {
      var first = same.getFirst();
      text.append("|%s |`%s` |%d |%s |%s |%s%n".formatted(first.oracle(), first.operation(), same.size(),
          literal(arguments(first)), literal(first.theirs()), ours(first)));
    });
    return text.append("|===\n").toString();
  }

  private static String ours(JudgedRecord judged) {
    return switch (judged.outcome()) {
      case AGREED -> literal(judged.ours());
      case REFUSED -> "refused: " + literal(judged.ours());
      case DIALECT, MISMATCH -> literal(judged.ours()) + " (" + judged.outcome() + ")";
    };
  }

  /** {@code a = 4:1, b = 2:1} of a JSON object of texts. */
  private static String arguments(JudgedRecord judged) {
    return judged.arguments().replaceAll("^\\{\"|\"?}$", "").replace("\",\"", ", ").replaceAll("\":\"?", " = ");
  }

  private static String literal(String text) {
    return "`+" + text.replace("|", "\\|") + "+`";
  }

  private static Map<String, List<JudgedRecord>> grouped(List<JudgedRecord> records,
      Function<JudgedRecord, String> key) {
    return records.stream().collect(Collectors.groupingBy(key, LinkedHashMap::new, Collectors.toList()));
  }
}
