package tilewright.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.verification.bench.BenchmarkRecord;

/** {@code tune} of kernels that are no GEMM. */
class FamilyTuningTest {
  private static BenchmarkRecord.Row row(String config, double ms) {
    return new BenchmarkRecord.Row("relu", "sm80", config, "TB/s", 1, ms, List.of(ms, ms), 1, 0, Optional.empty(),
        Optional.empty(), Map.of(), Optional.empty(), Optional.empty());
  }

  @Test
  void theFastestOfEachProblemComesFirst() {
    var tuning = FamilyTuning.of(KernelRegistry.builtIn(), "relu", Map.of("threads", "64,128"));
    var rows = tuning.ranked(List.of(row("n=5 threads=64 bytes=auto", 3), row("n=9 threads=64 bytes=auto", 1),
        row("n=5 threads=128 bytes=auto", 2), row("n=9 threads=128 bytes=auto", 4)));
    assertEquals(List.of("n=9 true 64", "n=9 false 128", "n=5 true 128", "n=5 false 64"), rows.stream()
        .map(r -> r.problem() + " " + r.fastest() + " " + r.settings().getFirst().replace("threads=", "")).toList());
    assertEquals(List.of("threads=64", "bytes=auto"), rows.getFirst().settings());
    var table = FamilyTuning.table(rows);
    assertTrue(table.lines().toList().get(1).matches("relu +n=9 +threads=64 bytes=auto +1.0000 +yes"), table);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "tune relu | nothing to compare: name values of a tuning, such as --set threads=64,128,256",
      "tune relu --set thread=64,128 | relu has no setting thread; did you mean threads?",
      "tune softmax_backward --set x=1 | no kernel with tunings is called softmax_backward",
      "tune ralu | did you mean relu?",
      "tune histogram | histogram has no tunings, only n",
      "tune --set threads=64 | --set is of a KERNEL"})
  void whatCannotBeTunedIsRefused(String line, String reason) {
    var run = Cli.run(line.split(" "));
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
    assertTrue(run.err().contains(reason), run.err());
  }
}
