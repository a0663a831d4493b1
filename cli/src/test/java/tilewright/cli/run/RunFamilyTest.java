package tilewright.cli.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tilewright.cli.tensor.NpyFile;
import tilewright.cli.tensor.NpyHeader;
import tilewright.cli.tensor.NpyType;
import tilewright.numerics.ElementType;

/** {@code run} with kernels of the catalogue. */
class RunFamilyTest {
  @TempDir
  Path folder;

  @Test
  void addsTwoFilesWhoseShapeGivesTheExtent() {
    var x = singles("x.npy", List.of(3L), 1, 2, 3);
    var z = singles("z.npy", List.of(3L), 10, 20, 30);
    var out = folder.resolve("y.npy");
    var run = Cli.run("run", "add", "--in", "X=" + x, "--in", "Z=" + z, "--out", "Y=" + out);
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertArrayEquals(new float[] {11, 22, 33}, read(out));
  }

  @Test
  void transposesAMatrixAndWritesItsShape() {
    var x = singles("x.npy", List.of(2L, 3L), 1, 2, 3, 4, 5, 6);
    var out = folder.resolve("y.npy");
    var run = Cli.run("run", "mat_transpose", "--in", "X=" + x, "--out", "Y=" + out, "--set", "path=padded", "--json");
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertEquals("2", run.json().getFirst().get("settings").get("m").asString());
    assertArrayEquals(new float[] {1, 4, 2, 5, 3, 6}, read(out));
  }

  @Test
  void indicesBesideATableDoNotGiveItsType() {
    var rows = folder.resolve("i.npy");
    int[] indices = {1, -1, 0, Integer.MAX_VALUE, Integer.MIN_VALUE, 2};
    new NpyFile(new NpyHeader(NpyType.of(ElementType.I32), false, List.of(6L)),
        Arena.ofAuto().allocateFrom(ValueLayout.JAVA_INT, indices)).write(rows);
    var table = singles("w.npy", List.of(2L, 1L), 10, 20);
    var out = folder.resolve("y.npy");
    var run = Cli.run("run", "embedding", "--in", "I=" + rows, "--in", "W=" + table, "--out", "Y=" + out);
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertArrayEquals(new float[] {20, 0, 10, 0, 0, 0}, read(out));
  }

  @Test
  void theFilesTypeIsKnownBeforeOptionsThatNeedIt() {
    var halves = folder.resolve("x.npy");
    // 1, 2, 3 and 4 in f16.
    var x = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_SHORT, new short[] {0x3C00, 0x4000, 0x4200, 0x4400});
    new NpyFile(new NpyHeader(NpyType.FLOAT16, false, List.of(1L, 4L)), x).write(halves);
    var out = folder.resolve("y.npy");
    var run = Cli.run("run", "row_sum", "--in", "X=" + halves, "--out", "Y=" + out, "--set", "acc=narrow");
    assertEquals(Exit.OK, run.exitCode(), run.err());
    try (var arena = Arena.ofConfined()) {
      assertEquals(0x4900, NpyFile.read(out, arena).data().get(ValueLayout.JAVA_SHORT, 0), "10 in f16");
    }
  }

  @Test
  void refusesWhatDoesNotFitInOneLine() {
    var x = singles("x.npy", List.of(3L), 1, 2, 3);
    var z = singles("z.npy", List.of(2L), 10, 20);
    var out = "Y=" + folder.resolve("y.npy");
    for (var run : List.of(Cli.run("run", "add", "--in", "X=" + x, "--out", out),
        Cli.run("run", "add", "--in", "X=" + x, "--in", "Z=" + z, "--out", out),
        Cli.run("run", "softmax", "--in", "X=" + x, "--out", out),
        Cli.run("run", "relu", "--in", "X=" + x, "--out", out, "--set", "dtype=f16"),
        Cli.run("run", "relu", "--in", "X=" + x, "--out", out, "--set", "n=5"))) {
      assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
      assertEquals(1, run.err().lines().count(), run.err());
      assertTrue(run.err().contains("need"), run.err());
    }
  }

  private Path singles(String name, List<Long> shape, float... values) {
    var file = folder.resolve(name);
    new NpyFile(new NpyHeader(NpyType.FLOAT32, false, shape), MemorySegment.ofArray(bytes(values))).write(file);
    return file;
  }

  private static byte[] bytes(float[] values) {
    var bytes = new byte[4 * values.length];
    for (int i = 0; i < values.length; i++) {
      MemorySegment.ofArray(bytes).set(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * i, values[i]);
    }
    return bytes;
  }

  private static float[] read(Path file) {
    try (var arena = Arena.ofConfined()) {
      return NpyFile.read(file, arena).data().toArray(ValueLayout.JAVA_FLOAT);
    }
  }
}
