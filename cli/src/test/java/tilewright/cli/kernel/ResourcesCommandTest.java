package tilewright.cli.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tilewright.device.assembly.Assembly;
import tilewright.device.assembly.AssemblerFacts;
import tilewright.kernel.Chip;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.verification.KernelConfiguration;

class ResourcesCommandTest {
  private static final AssemblerFacts PTXAS = new AssemblerFacts("ptxas", "13.0", "", List.of(), "9.0");

  @Test
  void aKernelIsAssembledForTheChipThatIsNamed() {
    var run = Cli.run("resources", "transpose", "--chip", "rtx4090", "--json");
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertEquals("sm_89", run.json().getFirst().get("arch").asString());
  }

  @TempDir
  private Path records;

  @Test
  void everyConfigurationIsCountedAndEachTextAssembledOnce() {
    var run = Cli.run("resources", "--all", "transpose", "vector-add", "--chip", "rtx3090", "--json", "--records",
        records.toString());
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertEquals(List.of("transpose", "vector_add"),
        run.json().stream().map(row -> row.get("kernel").asString()).toList());
    for (var row : run.json()) {
      assertEquals("rtx3090", row.get("chip").asString());
      assertTrue(row.get("configurations").asInt() > 1, row.toString());
      assertEquals(1, row.get("texts").asInt(), row.toString());
      assertEquals(0, row.get("spilling").asInt() + row.get("rejected").asInt() + row.get("lacking").asInt());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"resources", "resources transpose vector_add", "resources --all --set n=1",
      "resources transpose --records .", "resources --all nonsense", "resources sm90_gemm --chip a100",
      "resources --all sm90_gemm --chip a100", "resources transpose --chip v100"})
  void whatDoesNotGoTogetherIsBadInput(String command) {
    var run = Cli.run(command.split(" "));
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
  }

  /** FFPA with Q in shared memory needs more of it at head dimension 1024 than a GeForce's CTA has. */
  @Test
  void configurationsThatAreRefusedOrBeyondAGpuAreNotAssembled() {
    var counts = new AssemblyCounts(Optional.of(Chip.RTX4090), List.of("attention_tiled_kv", "add"));
    counts.add(counts.assemble(configuration("attention_tiled_kv", Map.of("d", "1024"))));
    counts.add(counts.assemble(new KernelConfiguration("add", "impossible", () -> {
      throw new IllegalArgumentException("no such kernel");
    })));
    assertEquals(List.of(new AssemblyCounts.Row("attention_tiled_kv", "rtx4090", 1, 0, 1, 0, 0, 0, 0, 0),
        new AssemblyCounts.Row("add", "rtx4090", 1, 1, 0, 0, 0, 0, 0, 0)), counts.rows());
  }

  /** Sums of 8-bit floats convert them by an instruction that an A100 does not have, in a kernel that it does have. */
  @Test
  void configurationsForALaterGpuAreBeyondThisOne() {
    var counts = new AssemblyCounts(Optional.of(Chip.A100), List.of("row_sum"));
    for (var type : List.of("e4m3", "bf16")) {
      counts.add(counts.assemble(configuration("row_sum", Map.of("dtype", type))));
    }
    assertEquals(List.of(new AssemblyCounts.Row("row_sum", "a100", 2, 0, 1, 1, 0, 0, 0, 0)), counts.rows());
  }

  @Test
  void aConfigurationThatAGpuDoesNotRunNamesTheTargetThatItNeeds() {
    var run = Cli.run("resources", "row_sum", "--set", "dtype=e4m3", "--chip", "a100");
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
    assertEquals("tilewright: kernel row_sum needs sm_89, the a100 is sm_80: leave --chip out, or name another GPU",
        run.err().strip());
  }

  @Test
  void spillsAndRejectionsAreCountedByText() {
    var counts = new AssemblyCounts(Optional.of(Chip.RTX4090), List.of("add"));
    for (int bytes : new int[] {0, 8, 4}) {
      var needs = new Assembly.Resources("e", 255, bytes, bytes, bytes, 0);
      counts.add(AssemblyCounts.verdict(configuration("add", Map.of()), List.of(
          new Assembly.Assembled(new byte[1], List.of(needs), bytes == 4 ? List.of("slow") : List.of(), PTXAS))));
    }
    var rejected = AssemblyCounts.verdict(configuration("add", Map.of()),
        List.of(new Assembly.Rejected("line 3", PTXAS)));
    counts.add(rejected);
    assertEquals(List.of(new AssemblyCounts.Row("add", "rtx4090", 4, 0, 0, 4, 2, 8, 1, 1)), counts.rows());
    assertEquals(List.of("add {}: line 3"), rejected.notes());
  }

  private static KernelConfiguration configuration(String kernel, Map<String, String> settings) {
    var family = KernelRegistry.builtIn().family(kernel).orElseThrow();
    return new KernelConfiguration(kernel, settings.toString(),
        () -> List.of(family.prepare(family.defaults().with(settings))));
  }
}
