package tilewright.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.Cli;
import tilewright.cli.io.Console;
import tilewright.cli.io.Exit;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuProbe;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;

class TunedTilesTest {
  private static final String GPU = "NVIDIA H200";

  @TempDir
  Path folder;

  private final ByteArrayOutputStream notes = new ByteArrayOutputStream();
  private final Console console = new Console(InputStream.nullInputStream(), new PrintStream(notes),
      new PrintStream(notes));

  private static GemmProblem problem(int m, String order) {
    return GemmProblem.packed(ElementType.BF16, ElementType.BF16, m, 512, 256, 1, order);
  }

  @Test
  void whatWasFoundIsThereInTheNextRunForThatProblemAlone() {
    TunedTiles.of(folder.resolve("new"), GPU, console).with(problem(64, "TN"), "128x64x1").save();
    var later = TunedTiles.of(folder.resolve("new"), GPU, console);
    assertEquals(Optional.of("128x64x1"), later.tile(problem(64, "TN")));
    assertEquals(Optional.empty(), later.tile(problem(64, "NN")));
    assertEquals(Optional.empty(), later.tile(problem(65, "TN")));
    assertEquals(Map.of(), TunedTiles.of(folder.resolve("new"), "NVIDIA H100", console).tiles());
    assertEquals("", notes.toString(StandardCharsets.UTF_8));
  }

  @Test
  void aTileThatIsNoLongerThereIsNotUsed() {
    var table = TunedTiles.of(folder, GPU, console).with(problem(64, "TN"), "1x1x1");
    assertEquals(Optional.empty(), table.tile(problem(64, "TN")));
  }

  @Test
  void aBrokenFileIsIgnoredWithANote() throws IOException {
    Files.writeString(folder.resolve("tuned-nvidia-h200.json"), "{");
    assertEquals(Map.of(), TunedTiles.of(folder, GPU, console).tiles());
    assertTrue(notes.toString(StandardCharsets.UTF_8).contains("is no table of tiles"), notes.toString());
  }

  @Test
  void aTableOfAnotherVersionIsIgnoredWithANote() throws IOException {
    Files.writeString(folder.resolve("tuned-nvidia-h200.json"), "{\"version\":2,\"tiles\":{\"a\":\"b\"}}");
    assertEquals(Map.of(), TunedTiles.of(folder, GPU, console).tiles());
    assertTrue(notes.toString(StandardCharsets.UTF_8).contains("is of another version"), notes.toString());
  }

  @Test
  void withoutAGpuThereIsNothingToTuneOn() {
    assumeTrue(Gpu.probe() instanceof GpuProbe.Missing);
    var run = Cli.run("tune", "--shape", "64x64x64");
    assertEquals(Exit.ENVIRONMENT, run.exitCode(), run.err());
    assertTrue(run.err().contains("no GPU to measure on"), run.err());
  }

  @Test
  void timesOfPeersStandBesideThatOfTheTileThatWasExpected() {
    var alone = new TuneCommand.Row("64x64x64 TN", "64x64x1", 0.002, 0.26, "64x32x1", 1.5, Map.of(),
        Map.of("64x64x1", 2.0, "64x32x1", 3.0));
    assertFalse(TuneCommand.table(List.of(alone)).contains("peer"));
    var beside = new TuneCommand.Row("64x64x64 TN", "64x64x1", 0.002, 0.26, "64x32x1", 1.5,
        Map.of("cublas", 0.0024, "triton", 0.0045), alone.times());
    var lines = TuneCommand.table(List.of(alone, beside)).lines().toList();
    assertTrue(lines.getFirst().matches(".* gain +peers +expected/best peer"), lines.getFirst());
    assertTrue(lines.getLast().endsWith("cublas 0.0024, triton 0.0045  0.800"), lines.getLast());
  }
}
