package tilewright.cli.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tilewright.cli.tensor.Npy;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;

/** Every family that {@code run} takes, in every element type: the file says what the kernel stores. */
class RunTypesTest {
  private static final long SEED = 22;
  /** Far coarser than the error rule, which the kernels' own tests hold: here bits of another type shall show. */
  private static final double COARSE = 0.25;

  @TempDir
  Path folder;

  static Stream<String> families() {
    return KernelRegistry.builtIn().families().stream().map(Family::name);
  }

  /** The long form: half a minute. */
  @ParameterizedTest
  @MethodSource("families")
  @Tag("fuzz")
  void filesOfEveryFamilyHoldWhatTheKernelStores(String name) throws IOException {
    filesHoldWhatTheKernelStores(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"relu", "mat_transpose", "embedding", "row_sum", "dot", "adamw", "cross_entropy"})
  void filesHoldWhatTheKernelStores(String name) throws IOException {
    var family = KernelRegistry.builtIn().families().stream().filter(f -> f.name().equals(name)).findFirst().orElseThrow();
    for (var choice : types(family)) run(family, choice);
  }

  /** The first variant of each combination of settings that are element types, on the smallest extents above 1. */
  private static List<Choice> types(Family family) {
    var named = family.settings().stream().filter(s -> s.option() && s.values().stream()
        .allMatch(v -> ElementType.parse(v).isPresent())).map(Setting::name).toList();
    var first = new LinkedHashMap<List<String>, Choice>();
    var all = family.awkward().stream().filter(extents -> extents.stream().allMatch(e -> e > 0))
        .sorted(Comparator.comparingLong(RunTypesTest::product)).toList();
    var extents = all.stream().filter(e -> product(e) > 1).findFirst().orElse(all.getFirst());
    for (var variant : family.variants()) {
      first.putIfAbsent(named.stream().map(variant::text).toList(),
          family.sized(variant, extents));
    }
    return List.copyOf(first.values());
  }

  private static long product(List<Integer> extents) {
    return extents.stream().mapToLong(e -> e).reduce(1, Math::multiplyExact);
  }

  private void run(Family family, Choice choice) throws IOException {
    var about = family.name() + " " + choice + ", seed " + SEED;
    var arguments = new ArrayList<>(List.of("run", family.name()));
    choice.values().forEach((key, value) -> {
      if (!value.equals(Setting.AUTO)) arguments.addAll(List.of("--set", key + "=" + value));
    });
    var random = new SplittableRandom(SEED);
    var numbers = new HashMap<String, double[]>();
    var operands = family.workload(choice).operands();
    for (var operand : operands) {
      var file = folder.resolve(operand.name() + ".npy");
      Files.deleteIfExists(file);
      var values = values(operand, random.split());
      numbers.put(operand.name(), values);
      if (operand.role().isRead()) {
        Files.write(file, Npy.file(1, Npy.header(descr(operand.type()), false, shape(operand)), bytes(operand, values)));
        arguments.addAll(List.of("--in", operand.name() + "=" + file));
      }
      if (operand.role().isWritten()) {
        arguments.addAll(List.of("--out", operand.name() + "=" + file));
      }
    }
    var run = Cli.run(arguments.toArray(String[]::new));
    assertEquals(Exit.OK, run.exitCode(), about + ": " + run.out() + run.err());
    for (var expected : family.workload(choice).reference().of(numbers)) {
      var operand = operands.stream().filter(o -> o.name().equals(expected.tensor())).findFirst().orElseThrow();
      if (operand.role().isWritten()) check(about, operand, expected.exact());
    }
  }

  private void check(String about, Operand operand, double[] exact) throws IOException {
    var bytes = Files.readAllBytes(folder.resolve(operand.name() + ".npy"));
    int begin = 10 + ByteBuffer.wrap(bytes, 8, 2).order(ByteOrder.LITTLE_ENDIAN).getShort();
    var header = new String(bytes, 10, begin - 10, StandardCharsets.US_ASCII);
    assertTrue(header.contains("'descr': '" + descr(operand.type()) + "'"), about + ": " + header);
    assertTrue(header.contains("'shape': " + shape(operand)), about + ": " + header);
    var found = numbers(operand.type(), Arrays.copyOfRange(bytes, begin, bytes.length));
    assertEquals(exact.length, found.length, about);
    double largest = Arrays.stream(exact).map(Math::abs).filter(Double::isFinite).max().orElse(0);
    var off = new ArrayList<String>();
    for (int i = 0; i < exact.length; i++) {
      boolean near = Double.isNaN(exact[i]) ? Double.isNaN(found[i])
          : exact[i] == found[i] || Math.abs(exact[i] - found[i]) <= COARSE * Math.max(largest, 1e-3);
      if (!near) off.add(i + ": " + found[i] + " for " + exact[i]);
    }
    assertArrayEquals(new Object[0], off.stream().limit(5).toArray(), about + ", " + operand.name());
  }

  private static double[] values(Operand operand, SplittableRandom random) {
    var values = new double[Math.toIntExact(operand.elements())];
    for (int i = 0; i < values.length; i++) {
      values[i] = switch (operand.fill()) {
        case Operand.Fill.Normal(double scale) ->
            operand.type().toDouble(operand.type().fromDouble(scale * random.nextGaussian(), Rounding.NEAREST_EVEN));
        case Operand.Fill.Gaps(double scale, double other) -> i % 4 == 3 ? other
            : operand.type().toDouble(operand.type().fromDouble(scale * random.nextGaussian(), Rounding.NEAREST_EVEN));
        case Operand.Fill.Magnitudes(double scale) ->
            operand.type().toDouble(operand.type().fromDouble(Math.abs(scale * random.nextGaussian()),
                Rounding.NEAREST_EVEN));
        case Operand.Fill.Targets(long bound, int other) -> i % 4 == 3 ? other : random.nextLong(bound);
        case Operand.Fill.Distinct _ -> i;
        case Operand.Fill.Indices(long bound) -> random.nextLong(bound);
        default -> 0;
      };
    }
    return values;
  }

  private static byte[] bytes(Operand operand, double[] values) {
    int width = operand.type().bytes();
    var bytes = ByteBuffer.allocate(width * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (var value : values) {
      long bits = operand.type().fromDouble(value, Rounding.NEAREST_EVEN);
      for (int b = 0; b < width; b++) bytes.put((byte) (bits >> 8 * b));
    }
    return bytes.array();
  }

  private static double[] numbers(ElementType type, byte[] bytes) {
    var numbers = new double[bytes.length / type.bytes()];
    for (int i = 0; i < numbers.length; i++) {
      long bits = 0;
      for (int b = 0; b < type.bytes(); b++) bits |= (bytes[i * type.bytes() + b] & 0xFFL) << 8 * b;
      numbers[i] = type.toDouble(bits);
    }
    return numbers;
  }

  /** NumPy's names, spelt out here rather than asked of the code under test. */
  private static String descr(ElementType type) {
    return Map.of(ElementType.F64, "<f8", ElementType.F32, "<f4", ElementType.F16, "<f2", ElementType.BF16, "|V2",
        ElementType.I32, "<i4", ElementType.I8, "<i1", ElementType.E4M3, "|V1", ElementType.E5M2, "|V1").get(type);
  }

  private static String shape(Operand operand) {
    return operand.extents().stream().map(String::valueOf).collect(Collectors.joining(", ", "(",
        operand.extents().size() == 1 ? ",)" : ")"));
  }
}
