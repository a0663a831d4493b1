package tilewright.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.cli.Cli;
import tilewright.cli.tensor.Npy;

/** Queries of zeros weigh keys by the function alone, so the output is a mean of numbers of keys that is known. */
class RunModificationTest {
  private static final int KEYS = 8;
  private static final int DIM = 8;

  @TempDir
  Path folder;

  @BeforeEach
  void writeOperands() throws IOException {
    for (var name : List.of("q", "k", "v")) {
      var data = ByteBuffer.allocate(2 * KEYS * DIM).order(ByteOrder.LITTLE_ENDIAN);
      for (int i = 0; i < KEYS * DIM; i++) data.putShort(Float.floatToFloat16(name.equals("v") ? i / DIM : 0));
      write(name, "<f2", "(1, " + KEYS + ", 1, " + DIM + ")", data.array());
    }
    integers("ids", "(8,)", 0, 0, 0, 1, 1, 2, 2, 2);
    integers("spans", "(1, 8)", -1, 4, 4, -1, -1, 5, 5, 5);
    write("slopes", "<f4", "(1,)", Npy.floats(1000));
    write("table", "<f4", "(1, 2)", Npy.floats(0, 1000));
    integers("buckets", "(15,)", 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
  }

  private void integers(String name, String shape, int... values) throws IOException {
    var data = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (int value : values) data.putInt(value);
    write(name, "<i4", shape, data.array());
  }

  private void write(String name, String type, String shape, byte[] data) throws IOException {
    Files.write(folder.resolve(name + ".npy"), Npy.file(1, Npy.header(type, false, shape), data));
  }

  /** Runs attention; FILE.npy is in the test's folder. */
  private Cli run(String... options) {
    var all = new ArrayList<>(List.of("run", "attention", "--out", folder.resolve("o.npy").toString()));
    for (var name : List.of("q", "k", "v")) all.addAll(List.of("--" + name, folder.resolve(name + ".npy").toString()));
    for (var option : options) all.add(option.replaceAll("([a-z]+\\.npy)", folder + "/$1"));
    return Cli.run(all.toArray(String[]::new));
  }

  private double[] output() throws IOException {
    var bytes = ByteBuffer.wrap(Files.readAllBytes(folder.resolve("o.npy"))).order(ByteOrder.LITTLE_ENDIAN);
    var means = new double[KEYS];
    for (int i = 0; i < KEYS; i++) {
      means[i] = Float.float16ToFloat(bytes.getShort(bytes.limit() - 2 * DIM * (KEYS - i)));
    }
    return means;
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', value = {
      "causal; 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5",
      "prefix:3; 1, 1, 1, 1.5, 2, 2.5, 3, 3.5",
      "window:1; 0, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5",
      "chunked:4; 0, 0.5, 1, 1.5, 4, 4.5, 5, 5.5",
      "dilated:4,2; 0, 1, 1, 2, 2, 3, 4, 5",
      "global:1; 3.5, 0, 0, 0, 0, 0, 0, 0",
      "natten2d:4,2,3,1; 1, 1, 2, 2, 5, 5, 6, 6",
      "document:ids.npy; 1, 1, 1, 3.5, 3.5, 6, 6, 6",
      "transfusion:spans.npy; 0, 1, 1, 1.5, 2, 3.5, 3.5, 3.5",
      "!window:7|causal; 3.5, 3.5, 3.5, 3.5, 3.5, 3.5, 3.5, 3.5"})
  void aMaskHidesKeys(String mask, String means) throws IOException {
    var run = run("--mask", mask);
    assertEquals(0, run.exitCode(), run.err());
    var expected = List.of(means.split(", ")).stream().mapToDouble(Double::parseDouble).toArray();
    var o = output();
    for (int i = 0; i < KEYS; i++) assertEquals(expected[i], o[i], 2e-3, "query " + i);
  }

  @Test
  void severalMasksMustAllShowAKey() throws IOException {
    assertEquals(0, run("--mask", "causal", "--mask", "document:ids.npy").exitCode());
    assertEquals(3, output()[3]);
    assertEquals(3.5, output()[4], 2e-3);
  }

  /** A slope of 1000 leaves the last key alone, a table its one distance of −1. */
  @Test
  void aFunctionWeighsKeys() throws IOException {
    var run = run("--mod", "alibi:slopes.npy");
    assertEquals(0, run.exitCode(), run.err());
    assertEquals(7, output()[2]);
    run = run("--mod", "relative:table.npy,buckets.npy");
    assertEquals(0, run.exitCode(), run.err());
    assertEquals(3, output()[4]);
    assertEquals(0, run("--mod", "softcap:20", "--mod", "alibi").exitCode());
  }

  @Test
  void aMaskIsShownInBlocks() {
    var run = run("--mask", "document:ids.npy", "--show-mask");
    assertEquals(0, run.exitCode(), run.err());
    assertTrue(run.out().startsWith("""
        ███·····
        ███·····
        ███·····
        ···██···
        ···██···
        ·····███
        """), run.out());
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', value = {
      "--mask; nothing; invalid --mask nothing: causal, prefix, window",
      "--mask; window; invalid --mask window: it needs 1 or more values behind the colon",
      "--mask; window:x; invalid --mask window:x: x is no whole number",
      "--mask; window:-1; invalid --mask window:-1: invalid window -1: at least 0",
      "--mask; document:slopes.npy; its element type is '<f4'@needed for documents is i4 or i1",
      "--mod; alibi:ids.npy; its element type is '<i4'@needed for slopes is f4, f2 or bfloat16 stored as V2",
      "--mod; softcap:0; invalid --mod softcap:0: 0 is no positive number",
      "--mod; nothing; invalid --mod nothing: alibi, bias, relative, softcap, softcap-approximate",
      "--mod; relative:table.npy; coordinate 1 of tensor table may be from 0 to 14, but its extent is 2"})
  void whatMakesNoSenseIsRefused(String option, String value, String message) {
    var run = run(option, value);
    assertEquals(2, run.exitCode(), run.err());
    assertTrue(run.err().contains(message.replace("@", "; ")), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', value = {
      "--mask;document:ids.npy; 1, 1, 1, 3.5, 3.5, 6, 6, 6",
      "--window;1,0; 0, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5"})
  void hiddenBlocksAreSkipped(String option, String value, String means) throws IOException {
    var run = run(option, value, "--skip-blocks");
    assertEquals(0, run.exitCode(), run.err());
    var expected = List.of(means.split(", ")).stream().mapToDouble(Double::parseDouble).toArray();
    var o = output();
    for (int i = 0; i < KEYS; i++) assertEquals(expected[i], o[i], 2e-3, "query " + i);
  }

  @Test
  void withoutAMaskNothingIsSkipped() {
    var run = run("--skip-blocks");
    assertEquals(2, run.exitCode());
    assertTrue(run.err().contains("--skip-blocks needs hidden keys: give --mask, --causal or --window"), run.err());
  }

  /** All scores are 0 and V is its row's number, of which dO takes the mean: dS = P · (k − the mean of the keys seen). */
  @ParameterizedTest
  @ValueSource(strings = {"", "--skip-blocks"})
  void theGradientOfABiasIsWritten(String skipping) throws IOException {
    var dO = ByteBuffer.allocate(2 * KEYS * DIM).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < KEYS * DIM; i++) dO.putShort(Float.floatToFloat16(1f / DIM));
    write("upstream", "<f2", "(1, " + KEYS + ", 1, " + DIM + ")", dO.array());
    write("bias", "<f4", "(" + KEYS + ", " + KEYS + ")", new byte[4 * KEYS * KEYS]);
    var options = new ArrayList<>(List.of("--causal", "--mod", "bias:bias.npy", "--gradient-of", "bias=gradient.npy"));
    if (!skipping.isEmpty()) options.add(skipping);
    var run = backward(options);
    assertEquals(0, run.exitCode(), run.err());
    var bytes = ByteBuffer.wrap(Files.readAllBytes(folder.resolve("gradient.npy"))).order(ByteOrder.LITTLE_ENDIAN);
    for (int q = 0; q < KEYS; q++) {
      for (int k = 0; k < KEYS; k++) {
        float expected = k <= q ? (k - q / 2f) / (q + 1) : 0;
        assertEquals(expected, bytes.getFloat(bytes.limit() - 4 * (KEYS * KEYS - q * KEYS - k)), 2e-3, q + " " + k);
      }
    }
  }

  @Test
  void onlyWhatFunctionsReadHasAGradient() {
    var run = backward(List.of("--do", "q.npy", "--mod", "alibi", "--gradient-of", "slopes=gradient.npy"));
    assertEquals(2, run.exitCode());
    assertTrue(run.err().contains("no gradient of slopes, which no --mod reads from a file"), run.err());
    run = run("--mod", "alibi:slopes.npy", "--gradient-of", "slopes=gradient.npy");
    assertEquals(2, run.exitCode());
    assertTrue(run.err().contains("only with --backward: --gradient-of"), run.err());
  }

  /** Computes gradients by dO in upstream.npy, unless options say otherwise. */
  private Cli backward(List<String> options) {
    var all = new ArrayList<>(List.of("run", "attention", "--backward"));
    for (var name : List.of("q", "k", "v")) all.addAll(List.of("--" + name, name + ".npy"));
    for (var name : List.of("dq", "dk", "dv")) all.addAll(List.of("--" + name, name + ".npy"));
    if (!options.contains("--do")) all.addAll(List.of("--do", "upstream.npy"));
    all.addAll(options);
    return Cli.run(all.stream().map(option -> option.replaceAll("([a-z]+\\.npy)", folder + "/$1"))
        .toArray(String[]::new));
  }

  @Test
  void aPictureNeedsAMask() {
    var run = run("--show-mask");
    assertEquals(2, run.exitCode());
    assertTrue(run.err().contains("--show-mask needs a mask: give --mask"), run.err());
  }
}
