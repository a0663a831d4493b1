package tilewright.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.IntBinaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tilewright.cli.tensor.Npy;

/** Matrices of small integers, whose products are exact in every type. */
class RunGemmTest {
  private static final int M = 5;
  private static final int N = 7;
  private static final int K = 19;
  private static final IntBinaryOperator A = (i, k) -> (3 * i + k) % 7 - 3;
  private static final IntBinaryOperator B = (j, k) -> (j + 2 * k) % 5 - 2;

  @TempDir
  Path folder;

  @ParameterizedTest
  @CsvSource({
      "<f2, C, <f2, C", "<f2, F, <f2, C", "<f2, C, <f2, F", "<f2, F, <f2, F",
      "|V2, C, |V2, F", "<f4, C, <f8, F", ">f2, C, <f2, C", ">f8, F, |V2, C"})
  void multipliesFilesOfEveryTypeAndOrder(String typeA, char orderA, String typeB, char orderB) throws IOException {
    write("a.npy", typeA, orderA, M, K, A);
    write("b.npy", typeB, orderB, N, K, B);
    assertRuns("--a", "a.npy", "--b", "b.npy");
    assertProduct();
  }

  @Test
  void readsUntypedWordsAsBfloat16WhenTold() throws IOException {
    write("a.npy", "<u2", 'C', M, K, A);
    write("b.npy", "<u2", 'C', N, K, B);
    assertRuns("--a", "a.npy", "--b", "b.npy", "--dtype", "bf16");
    assertProduct();
    assertRefused("say --dtype bf16", "--a", "a.npy", "--b", "b.npy");
  }

  /** Files of 8-bit floats, and numbers that are rounded to them, in every order. */
  @ParameterizedTest
  @CsvSource({"<f2, C, |V1, C, e4m3", "|u1, F, <f4, C, e4m3", "|V1, F, |V1, F, e4m3", "<f2, C, <f4, F, e5m2"})
  void multipliesEightBitFloatsWhenTold(String typeA, char orderA, String typeB, char orderB, String type)
      throws IOException {
    write("a.npy", typeA, orderA, M, K, A);
    write("b.npy", typeB, orderB, N, K, B);
    assertRuns("--a", "a.npy", "--b", "b.npy", "--dtype", type);
    assertProduct();
  }

  @Test
  void asksForTheTypeOfBytes() throws IOException {
    write("a.npy", "|V1", 'C', M, K, A);
    assertRefused("say --dtype e4m3 or e5m2", "--a", "a.npy", "--b", "a.npy");
    assertRefused("needed is --dtype e4m3 or e5m2", "--a", "a.npy", "--b", "a.npy", "--dtype", "bf16");
    assertRefused("this kernel multiplies f16 and bf16", "--a", "a.npy", "--b", "a.npy", "--dtype", "e4m3",
        "--kernel", "sm80");
  }

  @ParameterizedTest
  @CsvSource({"sm80", "naive"})
  void readsTransposedFilesWhenTold(String kernel) throws IOException {
    write("a.npy", "<f2", 'C', K, M, (k, i) -> A.applyAsInt(i, k));
    write("b.npy", "<f2", 'C', K, N, (k, j) -> B.applyAsInt(j, k));
    assertRuns("--a", "a.npy", "--trans-a", "--b", "b.npy", "--trans-b", "--kernel", kernel);
    assertProduct();
  }

  @Test
  void multipliesBatchesByOneMatrix() throws IOException {
    var data = ByteBuffer.allocate(2 * 2 * M * K).order(ByteOrder.LITTLE_ENDIAN);
    for (int l = 0; l < 2; l++) {
      for (int i = 0; i < M; i++) {
        for (int k = 0; k < K; k++) data.putShort(Float.floatToFloat16((l + 1) * A.applyAsInt(i, k)));
      }
    }
    var header = Npy.header("<f2", false, "(2, " + M + ", " + K + ")");
    Files.write(folder.resolve("a.npy"), Npy.file(1, header, data.array()));
    write("b.npy", "<f2", 'C', N, K, B);
    assertRuns("--a", "a.npy", "--b", "b.npy");
    var c = output("(2, 5, 7)");
    for (int l = 0; l < 2; l++) {
      for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) assertEquals((l + 1) * product(i, j), c.getFloat());
    }
  }

  @ParameterizedTest
  @CsvSource({"sm80", "sm90", "sm100", "naive"})
  void takesExtentsOfNone(String kernel) throws IOException {
    write("a.npy", "<f2", 'C', 0, K, A);
    write("b.npy", "<f2", 'C', N, K, B);
    assertRuns("--a", "a.npy", "--b", "b.npy", "--kernel", kernel);
    assertEquals(0, output("(0, 7)").remaining());
    write("a.npy", "<f2", 'C', M, 0, A);
    write("b.npy", "<f2", 'C', N, 0, B);
    assertRuns("--a", "a.npy", "--b", "b.npy", "--kernel", kernel);
    var c = output("(5, 7)");
    for (int i = 0; i < M * N; i++) assertEquals(0, c.getFloat());
    assertEquals(0, c.remaining());
  }

  /** 2048 + 1 is no f16, so that the file shows how the sum was accumulated. */
  @ParameterizedTest
  @CsvSource({"sm80, f16, 2048", "sm80, f32, 2049", "sm90, f16, 2048", "sm90, f32, 2049"})
  void accumulatesInF16WhenTold(String kernel, String accumulator, float sum) throws IOException {
    write("a.npy", "<f2", 'C', 1, 32, (_, k) -> k == 0 ? 2048 : k == 16 ? 1 : 0);
    write("b.npy", "<f2", 'C', 1, 32, (_, _) -> 1);
    assertRuns("--a", "a.npy", "--b", "b.npy", "--kernel", kernel, "--acc", accumulator);
    assertEquals(sum, output("(1, 1)").getFloat());
  }

  @Test
  void refusesAnAccumulatorThatTheKernelDoesNotHave() throws IOException {
    write("a.npy", "<f2", 'C', M, K, A);
    write("b.npy", "<f2", 'C', N, K, B);
    assertRefused("accumulates in f32", "--a", "a.npy", "--b", "b.npy", "--acc", "f16", "--kernel", "naive");
    write("b.npy", "<f2", 'C', 8, 8, B);
    assertRefused("accumulates in f32", "--a", "b.npy", "--b", "b.npy", "--acc", "f16", "--kernel", "sm100");
    write("b.npy", "<f2", 'C', N, K, B);
    assertRefused("add --dtype f16", "--a", "a.npy", "--b", "b.npy", "--acc", "f16", "--dtype", "bf16");
    assertRefused("invalid --acc bf16: f32 or f16", "--a", "a.npy", "--b", "b.npy", "--acc", "bf16");
  }

  @Test
  void refusesWhatDoesNotFitAndWritesNothing() throws IOException {
    write("a.npy", "<f2", 'C', M, K, A);
    write("b.npy", "<f2", 'C', N, K + 1, B);
    assertRefused("has K = 20 (it is read as N×K = 7×20), but A has K = 19", "--a", "a.npy", "--b", "b.npy");
    write("b.npy", "<f2", 'C', K, N, B);
    assertRefused("--trans-b reads it as K×N", "--a", "a.npy", "--b", "b.npy");
    write("b.npy", "|V2", 'C', N, K, B);
    assertRefused("is bf16, but A is f16", "--a", "a.npy", "--b", "b.npy");
    Files.write(folder.resolve("b.npy"), Npy.file(1, Npy.header("<f2", false, "(133,)"), new byte[266]));
    assertRefused("has rank 1 (133); needed is a matrix of rank 2", "--a", "a.npy", "--b", "b.npy");
    Files.write(folder.resolve("b.npy"), Npy.file(1, Npy.header("<f2", false, "(7, 19)"), new byte[265]));
    assertRefused("is truncated", "--a", "a.npy", "--b", "b.npy");
    assertRefused("no such file", "--a", "none.npy", "--b", "b.npy");
    assertRefused("invalid --dtype f8: f16 or bf16 or e4m3 or e5m2", "--a", "a.npy", "--b", "a.npy", "--dtype", "f8");
  }

  @ParameterizedTest
  @CsvSource({"sm80", "sm90", "sm100"})
  void addsAMatrixAndABiasAndAppliesAnActivation(String kernel) throws IOException {
    write("a.npy", "<f2", 'C', M, K, A);
    write("b.npy", "<f2", 'C', N, K, B);
    write("old.npy", "<f4", 'C', M, N, (i, j) -> 10 * i - j);
    writeVector("bias.npy", "<f2", N);
    writeVector("rows.npy", "|V2", M);
    assertRuns("--a", "a.npy", "--b", "b.npy", "--kernel", kernel, "--alpha", "-2", "--beta", "3", "--c", "old.npy",
        "--bias", "bias.npy", "--row-bias", "rows.npy", "--activation", "relu");
    var c = output("(5, 7)");
    for (int i = 0; i < M; i++) {
      for (int j = 0; j < N; j++) {
        assertEquals(Math.max(0, -2 * product(i, j) + 3 * (10 * i - j) + 4 * j + 4 * i), c.getFloat());
      }
    }
  }

  @Test
  void refusesWhatAnEpilogueCannotTake() throws IOException {
    write("a.npy", "<f2", 'C', M, K, A);
    write("b.npy", "<f2", 'C', N, K, B);
    writeVector("bias.npy", "<f4", M);
    assertRefused("holds 5 of <f4; needed is 7 of f2", "--a", "a.npy", "--b", "b.npy", "--bias", "bias.npy");
    assertRefused("invalid --activation gelu: relu or", "--a", "a.npy", "--b", "b.npy", "--activation", "gelu");
    assertRefused("--kernel naive stores products as they are", "--a", "a.npy", "--b", "b.npy", "--alpha", "2",
        "--kernel", "naive");
  }

  /** Small integers are exact in every type, so that a file holds the product or is refused. */
  @ParameterizedTest
  @CsvSource({"sm80", "sm90", "sm100", "naive"})
  void theOutputHasTheTypeThatTheKernelStores(String kernel) throws IOException {
    for (var operand : new String[] {"f16", "bf16"}) {
      write("a.npy", operand.equals("f16") ? "<f2" : "|V2", 'C', M, K, A);
      write("b.npy", operand.equals("f16") ? "<f2" : "|V2", 'C', N, K, B);
      for (var output : new String[] {"f32", "f16", "bf16"}) {
        var of = new String[] {"--a", "a.npy", "--b", "b.npy", "--kernel", kernel, "--out-dtype", output};
        if (kernel.equals("naive") && !output.equals("f32")) {
          assertRefused("the naive GEMM stores f32, not " + output, of);
          continue;
        }
        assertRuns(of);
        var c = output(output.equals("f32") ? "<f4" : output.equals("f16") ? "<f2" : "|V2", "(5, 7)");
        for (int i = 0; i < M; i++) {
          for (int j = 0; j < N; j++) assertEquals(product(i, j), next(c, output), kernel + " to " + output);
        }
        assertEquals(0, c.remaining());
      }
    }
  }

  private static float next(ByteBuffer data, String type) {
    return switch (type) {
      case "f32" -> data.getFloat();
      case "f16" -> Float.float16ToFloat(data.getShort());
      default -> Float.intBitsToFloat(data.getShort() << 16);
    };
  }

  @Test
  void refusesAnOutputThatCannotBeWrittenBeforeItComputes() throws IOException {
    write("a.npy", "<f2", 'C', M, K, A);
    var missing = Cli.run("run", "gemm", "--a", path("a.npy"), "--b", path("a.npy"), "--out", path("none/c.npy"));
    assertEquals(Exit.BAD_INPUT, missing.exitCode());
    assertTrue(missing.err().contains("does not exist"), missing.err());
    var isFolder = Cli.run("run", "gemm", "--a", path("a.npy"), "--b", path("a.npy"), "--out", folder.toString());
    assertEquals(Exit.BAD_INPUT, isFolder.exitCode());
    assertTrue(isFolder.err().contains("is a folder"), isFolder.err());
  }

  private void assertRuns(String... arguments) {
    var run = gemm(arguments);
    assertEquals(Exit.OK, run.exitCode(), run.err());
  }

  private void assertRefused(String complaint, String... arguments) throws IOException {
    Files.deleteIfExists(folder.resolve("c.npy"));
    var run = gemm(arguments);
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains(complaint), run.err());
    assertFalse(Files.exists(folder.resolve("c.npy")));
  }

  private Cli gemm(String... arguments) {
    var all = new java.util.ArrayList<>(java.util.List.of("run", "gemm", "--out", path("c.npy")));
    for (var argument : arguments) all.add(argument.endsWith(".npy") ? path(argument) : argument);
    return Cli.run(all.toArray(String[]::new));
  }

  private void assertProduct() throws IOException {
    var c = output("(5, 7)");
    for (int i = 0; i < M; i++) {
      for (int j = 0; j < N; j++) assertEquals(product(i, j), c.getFloat(), "C[" + i + "," + j + "]");
    }
  }

  private static float product(int i, int j) {
    var sum = 0;
    for (int k = 0; k < K; k++) sum += A.applyAsInt(i, k) * B.applyAsInt(j, k);
    return sum;
  }

  /** The data of the result, after its header. */
  private ByteBuffer output(String shape) throws IOException {
    return output("<f4", shape);
  }

  private ByteBuffer output(String type, String shape) throws IOException {
    var bytes = Files.readAllBytes(folder.resolve("c.npy"));
    var header = new String(bytes, 10, bytes[8], java.nio.charset.StandardCharsets.US_ASCII);
    assertTrue(header.startsWith("{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape), header);
    return ByteBuffer.wrap(bytes, 10 + bytes[8], bytes.length - 10 - bytes[8]).slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** The numbers 0, 4, 8 and so on. */
  private void writeVector(String name, String type, int count) throws IOException {
    write(name, type, 'C', 1, count, (_, j) -> 4 * j);
    var file = Files.readAllBytes(folder.resolve(name));
    var data = Arrays.copyOfRange(file, file.length - count * (type.charAt(2) - '0'), file.length);
    Files.write(folder.resolve(name), Npy.file(1, Npy.header(type, false, "(" + count + ",)"), data));
  }

  private void write(String name, String type, char order, int rows, int columns, IntBinaryOperator element)
      throws IOException {
    int bytes = type.charAt(2) - '0';
    var data = ByteBuffer.allocate(rows * columns * bytes)
        .order(type.charAt(0) == '>' ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    for (int n = 0; n < rows * columns; n++) {
      float value = order == 'C' ? element.applyAsInt(n / columns, n % columns)
          : element.applyAsInt(n % rows, n / rows);
      switch (type.substring(1)) {
        case "f2" -> data.putShort(Float.floatToFloat16(value));
        case "f4" -> data.putFloat(value);
        case "f8" -> data.putDouble(value);
        case "V1", "u1" -> data.put(e4m3((int) value));
        // The upper half of an FP32 number; exact for small integers.
        default -> data.putShort((short) (Float.floatToRawIntBits(value) >>> 16));
      }
    }
    var header = Npy.header(type, order == 'F', "(" + rows + ", " + columns + ")");
    Files.write(folder.resolve(name), Npy.file(1, header, data.array()));
  }

  /** The bits of e4m3 for -3 to 3: exponents have a bias of 7, fractions three bits. */
  private static byte e4m3(int value) {
    int magnitude = new int[] {0, 7 << 3, 8 << 3, 8 << 3 | 4}[Math.abs(value)];
    return (byte) (value < 0 ? magnitude | 0x80 : magnitude);
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }
}
