package tilewright.cli.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.verification.Verification;

class VerifyCommandTest {
  @TempDir
  Path folder;

  @Test
  void theCommandKnowsEveryKernelThatIsVerified() {
    var registry = KernelRegistry.builtIn();
    assertEquals(Set.copyOf(registry.names()), Set.copyOf(Verification.kernels(registry)));
  }

  @Test
  void verifiesAKernelInTheSimulatorAndWritesAReport() throws IOException {
    var report = folder.resolve("report.html");
    var run = Cli.run("verify", "vector-add", "--on", "sim", "--json", "--report", report.toString());
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertTrue(run.json().stream().anyMatch(row -> row.get("backend").asString().equals("sim")), run.out());
    for (var row : run.json()) {
      assertEquals("vector_add", row.get("kernel").asString());
      assertEquals("sm80", row.get("arch").asString());
      assertEquals("pass", row.get("status").asString(), row.toString());
      if (row.get("backend").asString().equals("sim")) assertEquals(0, row.get("maxError").asDouble());
    }
    assertTrue(Files.readString(report).contains("vector_add"));
    assertTrue(run.err().contains("report: " + report), run.err());
  }

  @Test
  void aRowStandsForAllSeeds() {
    var run = Cli.run("verify", "bulk-vector-add", "--on", "sim", "--seeds", "3", "--json", "--report",
        folder.resolve("report.html").toString());
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertTrue(run.json().getFirst().get("config").asString().endsWith(" seeds=3"), run.out());
    assertEquals(run.json().size(), Set.copyOf(run.json().stream().map(r -> r.get("config").asString()).toList())
        .size(), run.out());
  }

  @Test
  void settingsChooseOneConfiguration() {
    var run = Cli.run("verify", "relu", "--set", "dtype=f16", "--set", "vec=4", "--on", "sim", "--json", "--report",
        folder.resolve("report.html").toString());
    assertEquals(Exit.OK, run.exitCode(), run.err());
    for (var row : run.json()) {
      var config = row.get("config").asString();
      assertTrue(config.contains("dtype=f16 vec=4 math=single"), config);
      assertEquals("pass", row.get("status").asString(), row.toString());
    }
    assertEquals(5, run.json().size(), run.out());
  }

  /** Whether numbers go together with a kernel is known only when it is traced. */
  @ParameterizedTest
  @ValueSource(strings = {"threads=0", "threads=7", "bytes=3", "blocks=0"})
  void tuningsThatNoKernelHasAreRefused(String tuning) {
    var run = Cli.run("verify", "sum", "--set", tuning, "--on", "sim");
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
    assertTrue(run.err().contains("there is no sum with " + tuning + ": "), run.err());
    assertTrue(run.err().contains("leave tunings out, or try others"), run.err());
  }

  @Test
  void aChipRunsWhatItsArchitectureRuns() {
    var run = Cli.run("verify", "vector-add", "bulk-vector-add", "--chip", "a100", "--json", "--report",
        folder.resolve("report.html").toString());
    assertEquals(Exit.OK, run.exitCode(), run.err());
    for (var row : run.json()) {
      assertEquals("sim", row.get("backend").asString());
      boolean hopper = row.get("kernel").asString().equals("bulk_vector_add");
      assertEquals(hopper ? "skipped" : "pass", row.get("status").asString(), row.toString());
      if (hopper) assertEquals("needs sm90, the a100 is sm80", row.get("reason").asString());
    }
  }

  @Test
  void refusesWhatItDoesNotKnow() {
    for (var arguments : List.of("verify no_such_kernel", "verify --arch sm70", "verify --on moon",
        "verify --seeds 0", "verify --set dtype=f16", "verify vector_add --set n=1", "verify relu --set color=red",
        "verify relu --set dtype=e4m3", "verify relu --chip rtx4090 --on gpu", "verify relu --chip rtx1")) {
      var run = Cli.run(arguments.split(" "));
      assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
      assertEquals(1, run.err().lines().count(), run.err());
    }
  }
}
