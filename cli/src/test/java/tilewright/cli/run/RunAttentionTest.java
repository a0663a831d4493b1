package tilewright.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tilewright.cli.tensor.Npy;

/** Queries of zeros weigh all keys alike, so the output is the mean of the values that are seen. */
class RunAttentionTest {
  private static final int KEYS = 4;
  private static final int DIM = 8;

  @TempDir
  Path folder;

  @Test
  void theMeanOfTheValuesSeenIsWritten() throws IOException {
    npy("q.npy", KEYS, _ -> 0);
    npy("k.npy", KEYS, i -> i);
    npy("v.npy", KEYS, i -> i / DIM);
    var run = run("--q", path("q.npy"), "--k", path("k.npy"), "--v", path("v.npy"), "--causal", "--lse",
        path("lse.npy"));
    assertEquals(0, run.exitCode(), run.err());
    var o = data("o.npy", 2 * KEYS * DIM);
    // Values 0, 1, 2, 3: query i sees the first i + 1.
    for (int i = 0; i < KEYS; i++) assertEquals(i / 2f, Float.float16ToFloat(o.getShort(2 * i * DIM)));
    var lse = data("lse.npy", 4 * KEYS);
    for (int i = 0; i < KEYS; i++) assertEquals(Math.log(i + 1), lse.getFloat(4 * i), 1e-6);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sm80_attention", "sm90_attention", "sm100_attention"})
  void queriesWithoutKeysAreZerosAndNoQueriesAreNothing(String kernel) throws IOException {
    npy("some.npy", KEYS, i -> i);
    npy("none.npy", 0, i -> i);
    var withoutKeys = run("--q", path("some.npy"), "--k", path("none.npy"), "--v", path("none.npy"), "--lse",
        path("lse.npy"), "--kernel", kernel);
    assertEquals(0, withoutKeys.exitCode(), withoutKeys.err());
    var o = data("o.npy", 2 * KEYS * DIM);
    for (int i = 0; i < KEYS * DIM; i++) assertEquals(0, o.getShort(2 * i));
    var lse = data("lse.npy", 4 * KEYS);
    for (int i = 0; i < KEYS; i++) assertEquals(Float.NEGATIVE_INFINITY, lse.getFloat(4 * i));
    var withoutQueries = run("--q", path("none.npy"), "--k", path("some.npy"), "--v", path("some.npy"), "--kernel",
        kernel);
    assertEquals(0, withoutQueries.exitCode(), withoutQueries.err());
    assertEquals('\n', data("o.npy", 1).get());
  }

  @Test
  void tensorsComeFromAndGoToSafetensors() throws IOException {
    var header = """
        {"q":{"dtype":"F16","shape":[1,1,1,8],"data_offsets":[0,16]},\
        "k":{"dtype":"F16","shape":[1,2,1,8],"data_offsets":[16,48]},\
        "v":{"dtype":"F32","shape":[1,2,1,8],"data_offsets":[48,112]}}""";
    var data = ByteBuffer.allocate(112).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 16; i++) data.putFloat(48 + 4 * i, i < 8 ? 1 : 4);
    var bytes = ByteBuffer.allocate(8 + header.length() + 112).order(ByteOrder.LITTLE_ENDIAN)
        .putLong(header.length()).put(header.getBytes(StandardCharsets.US_ASCII)).put(data.array());
    Files.write(folder.resolve("in.safetensors"), bytes.array());
    var in = path("in.safetensors");
    var run = Cli.run("run", "attention", "--q", in + ":q", "--k", in + ":k", "--v", in + ":v", "--out",
        path("o.safetensors"));
    assertEquals(0, run.exitCode(), run.err());
    var out = Files.readAllBytes(folder.resolve("o.safetensors"));
    int length = (int) ByteBuffer.wrap(out).order(ByteOrder.LITTLE_ENDIAN).getLong();
    assertTrue(new String(out, 8, length, StandardCharsets.US_ASCII).contains("\"dtype\":\"F16\""));
    assertEquals(2.5f, Float.float16ToFloat(ByteBuffer.wrap(out).order(ByteOrder.LITTLE_ENDIAN).getShort(8 + length)));
    assertTrue(run("--q", in + ":x", "--k", in + ":k", "--v", in + ":v").err().contains("has no tensor 'x'"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"[1099511627776,1099511627776,1,1]", "[-1,-1,1,8]", "[1.5,1,1,8]", "[1,1,1,9]", "8", "[]"})
  void tensorsOfImpossibleShapesAreRefused(String shape) throws IOException {
    var header = "{\"q\":{\"dtype\":\"F16\",\"shape\":" + shape + ",\"data_offsets\":[0,16]}}";
    Files.write(folder.resolve("in.safetensors"), ByteBuffer.allocate(8 + header.length() + 16)
        .order(ByteOrder.LITTLE_ENDIAN).putLong(header.length()).put(header.getBytes(StandardCharsets.US_ASCII))
        .array());
    var q = path("in.safetensors") + ":q";
    var run = run("--q", q, "--k", q, "--v", q);
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
  }

  @Test
  void whatDoesNotFitIsRefusedAndNothingWritten() throws IOException {
    npy("q.npy", KEYS, _ -> 0);
    npy("k.npy", KEYS, _ -> 0);
    npy("v.npy", KEYS + 1, _ -> 0);
    var run = run("--q", path("q.npy"), "--k", path("k.npy"), "--v", path("v.npy"));
    assertEquals(2, run.exitCode());
    assertTrue(run.err().contains("has extent 1 5, but"), run.err());
    assertTrue(run("--q", path("q.npy"), "--k", path("k.npy"), "--v", path("k.npy"), "--window", "1,0", "--causal")
        .err().contains("do not go together"));
    assertFalse(Files.exists(folder.resolve("o.npy")));
  }

  @Test
  void packedSequencesSeeTheirOwnKeys() throws IOException {
    npy("q.npy", KEYS, _ -> 0);
    npy("v.npy", KEYS, i -> i / DIM);
    lengths("cu.npy", 0, 1, 4);
    var tensors = new String[] {"--q", path("q.npy"), "--k", path("q.npy"), "--v", path("v.npy"), "--varlen",
        path("cu.npy")};
    var run = run(tensors);
    assertEquals(0, run.exitCode(), run.err());
    var o = data("o.npy", 2 * KEYS * DIM);
    for (int i = 0; i < KEYS; i++) assertEquals(i == 0 ? 0 : 2, Float.float16ToFloat(o.getShort(2 * i * DIM)));
    lengths("cu.npy", 0, 3, 2, 4);
    assertTrue(run(tensors).err().contains("needed are cumulated lengths that rise from 0 to 4"));
  }

  @Test
  void everyKernelGivesTheSameAndOthersAreRefusedByName() throws IOException {
    npy("q.npy", KEYS, _ -> 0);
    npy("v.npy", KEYS, i -> i / DIM);
    for (var kernel : List.of("sm80_attention", "sm90_attention", "sm100_attention")) {
      var run = run("--q", path("q.npy"), "--k", path("q.npy"), "--v", path("v.npy"), "--kernel", kernel);
      assertEquals(0, run.exitCode(), run.err());
      assertTrue(run.out().contains("by " + kernel + " on sim"), run.out());
      assertEquals(1.5f, Float.float16ToFloat(data("o.npy", 2 * KEYS * DIM).getShort(0)));
    }
    assertTrue(run("--q", path("q.npy"), "--k", path("q.npy"), "--v", path("v.npy"), "--kernel", "sm70_attention").err()
        .contains("there are sm100_attention, sm90_attention, sm80_attention"));
  }

  private Cli run(String... arguments) {
    var all = Arrays.copyOf(new String[] {"run", "attention", "--out", path("o.npy")}, 4 + arguments.length);
    System.arraycopy(arguments, 0, all, 4, arguments.length);
    return Cli.run(all);
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private interface Value {
    float at(int index);
  }

  private void npy(String name, int keys, Value value) throws IOException {
    var data = ByteBuffer.allocate(2 * keys * DIM).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < keys * DIM; i++) data.putShort(Float.floatToFloat16(value.at(i)));
    Files.write(folder.resolve(name), Npy.file(1, Npy.header("<f2", false, "(1, " + keys + ", 1, 8)"), data.array()));
  }

  private void lengths(String name, int... bounds) throws IOException {
    var data = ByteBuffer.allocate(4 * bounds.length).order(ByteOrder.LITTLE_ENDIAN);
    for (int bound : bounds) data.putInt(bound);
    Files.write(folder.resolve(name), Npy.file(1, Npy.header("<i4", false, "(" + bounds.length + ",)"), data.array()));
  }

  /** The elements: what a file ends with. */
  private ByteBuffer data(String name, int bytes) throws IOException {
    var all = Files.readAllBytes(folder.resolve(name));
    return ByteBuffer.wrap(all, all.length - bytes, bytes).slice().order(ByteOrder.LITTLE_ENDIAN);
  }
}
