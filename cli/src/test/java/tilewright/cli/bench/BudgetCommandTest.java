package tilewright.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;

class BudgetCommandTest {
  private static final String[] GEMM = "budget gemm --arch sm90 --set m=1024 --set n=1024 --set k=1024".split(" ");

  private static String[] with(String... more) {
    return Stream.of(GEMM, more).flatMap(Arrays::stream).toArray(String[]::new);
  }

  @Test
  void theBudgetNamesItsBoundAndSaysThatItIsAModel() {
    var run = Cli.run(GEMM);
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertTrue(run.out().contains("a model, not a measurement"), run.out());
    assertTrue(run.out().lines().anyMatch(line -> line.startsWith("bound by the ")), run.out());
  }

  @Test
  void programsGetOneObjectAConfigurationTheFastestFirst() {
    var rows = Cli.run(with("--most", "2", "--json")).json();
    assertEquals(2, rows.size());
    assertTrue(rows.getFirst().get("model").asBoolean(), rows.toString());
    assertTrue(rows.get(0).get("expectedTflops").asDouble() >= rows.get(1).get("expectedTflops").asDouble());
    assertTrue(rows.getFirst().get("attainable").asDouble() <= 1, rows.toString());
  }

  @Test
  void whatAKernelRefusesHasNoBudget() {
    var run = Cli.run("budget", "attention", "--arch", "sm90", "--set", "dtype=mxf8");
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.out());
    assertTrue(run.err().contains("mxf8 operands need tensor cores with block scales"), run.err());
  }

  @Test
  void whatIsNoRecordIsRefused(@TempDir Path folder) throws IOException {
    var file = folder.resolve("record.json");
    for (var text : List.of("", "{", "{}", "{\"rows\": [{}]}")) {
      Files.writeString(file, text);
      var run = Cli.run("budget", "gemm", "--compare", file.toString());
      assertEquals(Exit.BAD_INPUT, run.exitCode(), text + run.err());
      assertEquals(1, run.err().lines().count(), run.err());
    }
  }
}
