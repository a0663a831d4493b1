package tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.cli.io.Console;
import tilewright.cli.io.Exit;

class CommandLineTest {
  @TempDir
  Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"", "layout", "layout eval", "layout explain", "run", "run gemm", "sim", "gpu", "kernels",
      "ptx", "resources", "verify", "bench", "export", "layout banks", "layout draw",
      "bundle", "doctor", "tune", "budget", "new", "new kernel", "cuda", "merge", "fuzz"})
  void everyCommandHasHelp(String command) {
    var run = Cli.run((command + " --help").trim().split(" "));
    assertEquals(Exit.OK, run.exitCode());
    assertTrue(run.out().startsWith("Usage: tilewright" + (command.isEmpty() ? "" : " " + command)), run.out());
    assertTrue(run.out().contains("--json"), run.out());
    assertEquals("", run.err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"nonsense", "doctor --nonsense", "run", "run gemm", "run gemm --a", "sim", "ptx",
      "ptx no-such-kernel", "ptx vector-add --set n=-1", "ptx vector-add --set n=many", "ptx vector-add --set x=1",
      "ptx naive-gemm --set order=XY", "ptx add --set threads=0", "ptx add --set bytes=1", "ptx add --set n=０",
      "ptx row-sum --set n=128 --set each=65536", "ptx sum --set threads=3", "ptx softmax --set lanes=65536",
      "ptx sm80-attention --set batch=2147483647", "bench no_such_kernel", "bench --measure luck",
      "bench --seconds 0", "bench sm80_gemm --set m=0", "bench sm90_attention --set q=0", "bench --size 100000000",
      "export add --out x --cubin ../x", "sim x --limit-memory 0", "sim x --limit-memory 9223372036854775807",
      "tune --shape 4096", "tune --dtype f32", "tune --order XY", "bench --size 0",
      "tune --draw 0", "tune --draw 2 --shape 8x8x8", "tune --draw 2 --rows 9", "tune --draw 2 --rows 9-8",
      "tune --draw 2 --rows 65-71 --order NN", "tune --draw 2 --rows 513-519", "tune --seed 3", "tune --compare friends",
      "bench --compare friends", "budget", "budget softmax", "budget gemm --arch sm80", "budget gemm --set tile=x",
      "budget gemm --most 0", "budget gemm --set m=0", "budget attention --set queries=0",
      "budget attention --set dim=256",
      "cuda", "cuda no/such/program", "cuda --chip v100 x", "cuda --limit-seconds 0 x",
      "cuda --sanitize --no-sanitize x",
      "verify --shard 0/4", "verify --shard 5/4", "verify --shard x", "verify --shard 1", "verify --shard -1/4",
      "merge", "merge no/such/folder", "merge /dev/null", "run gemm --a x --b y --out z --on nowhere",
      "sim no/such/launch.json"})
  void badUsageGetsOneLineAndExitCode2(String arguments) {
    var run = Cli.run(arguments.split(" "));
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertEquals("", run.out());
    assertEquals(1, run.err().lines().count(), run.err());
  }

  @Test
  void noStackTraceReachesAUserWhoDidNotAskForOne() throws IOException {
    var launch = Files.writeString(folder.resolve("launch.json"), "{");
    assertFalse(Cli.run("sim", launch.toString()).err().contains("\tat "));
    assertTrue(Cli.run("ptx", "no-such-kernel", "--debug").err().contains("\tat "));
  }

  @Test
  void aCommandLineThatCannotBeMadeIsOneLine() {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var console = new Console(InputStream.nullInputStream(), new PrintStream(out), new PrintStream(err));
    int exitCode = Main.run(console, _ -> {
      throw new ExceptionInInitializerError(new IllegalStateException("Relu has no FAMILIES"));
    }, "kernels", "--json");
    assertEquals(Exit.ENVIRONMENT, exitCode);
    assertEquals("tilewright: this build of Tilewright is not sound, its command line cannot be made: "
        + "java.lang.IllegalStateException: Relu has no FAMILIES\n", err.toString());
    assertTrue(out.toString().contains("\"exitCode\":3"), out.toString());
  }

  @Test
  void aMisspeltOptionIsNamedBeforeTheMissingOneThatItIs() {
    var run = Cli.run("run", "softmax", "--inn", "X=x.npy", "--out", "Y=y.npy");
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertTrue(run.err().contains("'--inn'"), run.err());
    assertTrue(run.err().contains("did you mean --in?"), run.err());
  }

  @Test
  void theCatalogueListsEveryKernelAndItsPtxNamesItsEntry() {
    var kernels = Cli.run("kernels", "--json");
    assertEquals(Exit.OK, kernels.exitCode(), kernels.err());
    assertFalse(kernels.json().isEmpty());
    for (var row : kernels.json()) {
      var ptx = Cli.run("ptx", row.get("kernel").asString(), "--json").json().getFirst();
      assertTrue(ptx.get("ptx").asString().contains(".entry " + ptx.get("entry").asString() + "("), row.toString());
      assertTrue(ptx.get("ptx").asString().contains(".target " + row.get("arch").asString()), row.toString());
    }
  }

  @Test
  void theNaiveProductTakesSinglesToo() {
    var ptx = Cli.run("ptx", "naive-gemm", "--set", "dtype=f32");
    assertEquals(Exit.OK, ptx.exitCode(), ptx.err());
    assertTrue(ptx.out().contains("ld.global.f32"), ptx.out());
  }

  @Test
  void resourcesAreThoseOfTheAssemblerThatJcudaCarries() {
    var run = Cli.run("resources", "vector-add", "--json");
    assertEquals(Exit.OK, run.exitCode(), run.err());
    var row = run.json().getFirst();
    assertTrue(row.get("registers").asInt() > 4, row.toString());
    assertTrue(row.get("cubinBytes").asInt() > 500, row.toString());
    assertEquals(0, row.get("spillStoreBytes").asInt());
  }

  @Test
  void doctorNamesTheJavaThatRunsIt() {
    var facts = Cli.run("doctor", "--json");
    assertEquals(Exit.OK, facts.exitCode());
    assertTrue(facts.json().stream().anyMatch(f -> f.get("item").asString().equals("Java")
        && f.get("found").asBoolean()));
  }

  @Test
  void everyKernelHasABenchmarkOfTheSimulator() {
    var run = Cli.run("bench", "rope", "--on", "sim", "--json");
    assertEquals(Exit.OK, run.exitCode(), run.err());
    var row = run.json().getFirst().get("clocked").get(0);
    assertEquals("rope", row.get("kernel").asString());
    assertEquals(3, row.get("seconds").size());
    assertTrue(row.get("sanitizedSeconds").asDouble() > 0, row.toString());
  }

  @Test
  void aSizeThatTheSimulatorsBenchmarkCannotQuarterIsNamed() {
    var run = Cli.run("bench", "sm80_gemm", "--on", "sim", "--size", "64");
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertTrue(run.err().contains("invalid --size 64: a quarter of its rows"), run.err());
  }
}
