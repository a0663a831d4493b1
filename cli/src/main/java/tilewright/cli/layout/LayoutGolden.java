package tilewright.cli.layout;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Exit;
import tilewright.cli.io.TextTable;
import tilewright.verification.golden.GoldenReport;
import tilewright.verification.golden.GoldenVectors;
import tilewright.verification.golden.JudgedRecord;
import tilewright.verification.golden.MalformedGoldenException;

/** {@code tilewright layout golden}: judges what other implementations of the algebra answered. */
@Command(name = "golden", description = {
    "Judge golden vectors: records of what CuTe C++, pycute and tract answer, one JSON object a line.",
    "Every record of every *.jsonl or *.jsonl.gz below the folder is compared with ours by the definitions."})
public final class LayoutGolden implements Callable<Integer> {
  private final Console console;

  @Parameters(paramLabel = "DIR", description = "The folder of golden vectors.")
  private Path folder;

  public LayoutGolden(Console console) {
    this.console = console;
  }

  record Row(String op, long records, long mismatches) {}

  record Total(long total, long mismatches) {}

  @Override
  public Integer call() {
    var report = judge();
    print(report);
    for (var mismatch : report.mismatches()) console.text(describe(mismatch));
    var total = new Total(report.records().size(), report.mismatches().size());
    console.result(total, total.total + " records, " + total.mismatches + " mismatches");
    return total.mismatches == 0 ? Exit.OK : Exit.CHECK_FAILED;
  }

  private GoldenReport judge() {
    try {
      return GoldenVectors.judge(folder);
    } catch (MalformedGoldenException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private void print(GoldenReport report) {
    var table = new TextTable("operation", "records", "agreed", "refused", "dialect", "mismatches");
    for (var count : report.operations()) {
      if (console.json()) console.result(new Row(count.operation(), count.records(), count.mismatches()), "");
      table.add(count.operation(), "" + count.records(), "" + count.agreed(), "" + count.refused(),
          "" + count.dialect(), "" + count.mismatches());
    }
    if (!console.json()) console.text(table.toString());
  }

  private static String describe(JudgedRecord judged) {
    return judged.id() + " " + judged.arguments() + ": expected " + judged.expected() + ", got " + judged.ours();
  }
}
