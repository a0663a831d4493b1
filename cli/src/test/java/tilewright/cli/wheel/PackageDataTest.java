package tilewright.cli.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.KernelParameter;
import tilewright.kernel.LaunchSequence;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.PtxType;
import tilewright.ptx.tensormap.TensorMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The package's data gives the launches that Java prepares, for problems that it was not made from. */
class PackageDataTest {
  private static final int PROBLEMS = 500;
  private static final Path PYTHON = Path.of("../python");
  /**
   * One case of each way to write a launch: tensor maps or not, packed or not, heads side by side, windows, rows, tiles
   * of two extents, choices by cost, lists of blocks, captured tensors and schedules.
   */
  private static final List<String> CASES = List.of("attention_forward 90 bf16-causal",
      "attention_forward 86 bf16-window-packed", "attention_backward 90 bf16-causal", "rms_norm 90 bf16",
      "rope 90 bf16", "gemm 90 bf16-tn-bias", "flex_forward 90 bf16-causal-relative",
      "gemm 80 bf16-tt-residual", "gemm 100 bf16-tn-bias", "scaled_gemm 90 bf16-block", "scaled_gemm 86 bf16-row",
      "quantize 90 bf16-tensor", "quantize 86 f32-1x128", "grouped_gemm 90 bf16-t",
      "attention_decode 90 bf16-all-pages", "append_cache 90 bf16-half",
      "mla_schedule 90 any", "mla_decode 90 bf16-causal-by64", "attention_decode 90 bf16-causal-sinks-pages-by8",
      "attention_codes 90 bf16-causal-pages64-by4-tokens");
  private static final List<String> MORE = List.of("attention_forward 80 bf16-all", "attention_forward 90 f16-all",
      "attention_forward 90 f16-window-packed", "attention_forward 90 bf16-causal-packed",
      "attention_backward 80 bf16-all-packed", "attention_backward 86 bf16-window",
      "attention_backward 80 bf16-causal", "attention_backward 90 bf16-window-packed",
      "attention_forward 90 bf16-causal-softcap", "attention_backward 90 f16-all-packed-deterministic",
      "attention_backward 90 f16-all-deterministic", "layer_norm 80 f32", "softmax 86 f16",
      "rope 80 f32", "rope 90 f16", "embedding 90 bf16", "embedding 86 f32", "gemm 90 f16-nt-plain",
      "flex_forward 90 f16-blocks", "flex_forward 90 bf16-softcap", "attention_forward 90 f16-causal-alibi-packed",
      "attention_backward 90 bf16-window-alibi", "flex_forward 80 bf16-causal-alibi", "flex_backward 90 f16-relative",
      "flex_backward 90 bf16-causal-document", "flex_backward 80 f16-window-softcap",
      "attention_forward 90 bf16-causal-v128", "attention_backward 90 f16-all-packed-v128",
      "gemm 90 bf16-tn-residual", "gemm 90 f16-nt-residual", "gemm 86 f16-nn-plain", "gemm 86 bf16-tn-bias_gelu",
      "gemm 100 f16-nt-residual", "scaled_gemm 90 bf16-tensor", "scaled_gemm 90 bf16-row-fast",
      "scaled_gemm 100 f16-tensor", "quantize 90 f16-row", "quantize 90 f32-128x128",
      "grouped_gemm 90 f16-n", "attention_decode 90 f16-all", "attention_decode 90 bf16-window-pages",
      "attention_decode 90 bf16-window-softcap", "attention_extend 90 bf16-causal", "attention_extend 90 f16-all-pages",
      "append_cache 90 f16", "append_cache 90 bf16-neighbours-pages", "merge_states 90 bf16", "merge_states 80 f32",
      "attention_forward 90 bf16-causal-apart",
      "mla_decode 90 f16-all-by8", "mla_decode 90 bf16-chosen-by16", "mla_decode 90 bf16-chosen-by64",
      "attention_forward 90 bf16-window-sinks",
      "attention_forward 90 f16-all-sinks-packed", "attention_extend 90 bf16-causal-sinks",
      "attention_codes 90 bf16-all-by1", "attention_codes 90 bf16-causal-pages64-by4",
      "append_cache 90 bf16-half-codes", "append_cache 90 bf16-neighbours-pages-codes-tokens");

  @TempDir
  Path folder;

  @Test
  void launchesAreThoseThatJavaPrepares() throws IOException, InterruptedException {
    compare(CASES);
  }

  @Test
  @Tag("full")
  void launchesOfMoreCasesAreThoseThatJavaPrepares() throws IOException, InterruptedException {
    compare(MORE);
  }

  private void compare(List<String> cases) throws IOException, InterruptedException {
    for (var name : cases) Files.writeString(folder.resolve(name.replace(' ', '_') + ".json"), problems(name));
    python();
  }

  /** Checks the data in Java, and gives it to Python with the launches that it has to find. */
  private static String problems(String name) {
    var words = name.split(" ");
    var operator = PackageData.operators().stream().filter(o -> o.name().equals(words[0])).findFirst().orElseThrow();
    var problems = operator.cases(Integer.parseInt(words[1])).filter(c -> c.key().equals(words[2])).findFirst()
        .orElseThrow();
    return CompiledKernel.sharingTraces(() -> {
      var kernels = new PackagedKernels();
      var data = tree(kernels.numbered(OperatorData.of(problems)));
      var correction = problems.correction().map(c -> tree(c.json()));
      int packaged = kernels.all().size();
      var random = new Random(29);
      var all = new ArrayList<Map<String, Object>>();
      int seldom = 0;
      while (all.size() < PROBLEMS) {
        var point = point(problems, random);
        var numbers = problems.problem().draw(point, random);
        // Java gives modes of one element other strides than these.
        boolean isFree = words[0].contains("backward") || words[0].endsWith("gemm");
        if (isFree && problems.extents().stream().anyMatch(e -> numbers.get(e) == 1)) continue;
        var choice = choice(data.get("choice"), correction, point, numbers);
        if (choice.equals(OptionalInt.of(-1))) {
          assertThrows(IllegalArgumentException.class, () -> problems.problem().prepare(numbers));
          continue;
        }
        var prepared = problems.problem().prepare(numbers);
        // A candidate that is chosen once in thousands of problems is not in the package: the next best is taken.
        boolean isAbsent = choice.isEmpty()
            || prepared.launches().stream().anyMatch(launch -> kernels.number(launch.kernel()) >= packaged);
        if (isAbsent && seldom++ < PROBLEMS / 100) continue;
        var expected = expected(prepared, kernels);
        assertEquals(tree(expected), found(data.get("launches").get(choice.getAsInt()), numbers),
            () -> name + " " + numbers);
        all.add(Map.of("numbers", numbers, "launches", expected.get("launches"), "workspace",
            expected.get("workspace")));
      }
      var written = new HashMap<String, Object>(Map.of("data", data, "problems", all));
      correction.ifPresent(c -> written.put("correction", c));
      return JsonMapper.shared().writeValueAsString(written);
    });
  }

  private static Map<String, Long> point(OperatorCase problems, Random random) {
    var point = new HashMap<String, Long>();
    for (var axis : problems.axes()) {
      long value = axis.values().get(random.nextInt(axis.values().size()));
      point.put(axis.name(), axis.step() == 1 ? value / 2 + 1 + random.nextLong(value) : value);
    }
    return point;
  }

  private static Map<String, Object> expected(LaunchSequence sequence, PackagedKernels kernels) {
    var launches = sequence.launches().stream().map(launch -> Map.of("kernel", kernels.number(launch.kernel()), "grid",
        List.of(launch.grid().x(), launch.grid().y(), launch.grid().z()), "arguments",
        IntStream.range(0, launch.arguments().size()).mapToObj(i ->
            argument(launch.kernel().parameters().get(i), launch.arguments().get(i))).toList())).toList();
    return Map.of("launches", launches, "workspace", sequence.workspace().stream().map(w -> w.bytes()).toList());
  }

  private static List<Object> argument(KernelParameter parameter, Argument argument) {
    return switch (argument) {
      case Argument.Buffer(var name, _) -> List.of("pointer", name);
      case Argument.Scalar(var type, _) when type == PtxType.F32 -> List.of("f32", parameter.name());
      case Argument.Scalar(_, long bits) ->
          List.of(parameter instanceof KernelParameter.Stride ? "s64" : "u32", bits);
      case Argument.TensorMapOf(var buffer, TensorMap.Tiled(var view, var box)) ->
          List.of("map", buffer.name(), view.element().ordinal(), view.dims(), view.strides(), box,
              view.elementStrides(), view.swizzle().ordinal(), view.l2Promotion().ordinal());
      default -> throw new IllegalStateException(argument.toString());
    };
  }

  /** The number of the launches that the data chooses, found here as Python does. */
  private static OptionalInt choice(JsonNode choice, Optional<JsonNode> correction, Map<String, Long> point,
      Map<String, Long> numbers) {
    if (choice.isObject()) return cheapest(choice, correction, numbers);
    var tree = choice;
    while (tree.isArray()) {
      long number = point.get(tree.get(0).asString());
      int entry = 0;
      while (entry < tree.get(1).size() && tree.get(1).get(entry).asLong() < number) entry++;
      tree = tree.get(2).get(entry);
    }
    return OptionalInt.of(tree.asInt());
  }

  /** The launches of the candidate with the least cost; none where its form is not in the data. */
  private static OptionalInt cheapest(JsonNode choice, Optional<JsonNode> correction, Map<String, Long> numbers) {
    var values = new ArrayList<Double>();
    for (var step : choice.get("steps")) {
      values.add(step.isArray() ? operation(step.get(0).asString(),
          step.valueStream().skip(1).mapToDouble(place -> values.get(place.asInt())).toArray())
          : number(step, numbers));
    }
    var best = choice.get("candidates").valueStream()
        .min(Comparator.comparingDouble(c -> values.get(c.get(0).asInt()) * (c.get(3).isEmpty() ? 1
            : factor(correction.orElseThrow(),
                c.get(3).valueStream().map(place -> values.get(place.asInt())).toList()))))
        .orElseThrow();
    int form = values.get(best.get(1).asInt()).intValue();
    return best.get(2).valueStream().filter(entry -> entry.get(0).asInt() == form).mapToInt(e -> e.get(1).asInt())
        .findFirst();
  }

  /** The factor that trees over features give, each walked from its root. */
  private static double factor(JsonNode correction, List<Double> features) {
    double sum = 0;
    for (var tree : correction.get("trees")) {
      int node = 0;
      while (node < tree.get(0).size()) {
        boolean first = features.get(tree.get(0).get(node).asInt()) <= tree.get(1).get(node).asDouble();
        node = 2 * node + (first ? 1 : 2);
      }
      sum += tree.get(2).get(node - tree.get(0).size()).asDouble();
    }
    double bounded = Math.min(Math.max(sum, correction.get("least").asDouble()), correction.get("most").asDouble());
    return 1 + bounded + bounded * bounded / 2;
  }

  /** The launches that the data describes, evaluated here as Python does. */
  private static JsonNode found(JsonNode chosen, Map<String, Long> numbers) {
    var launches = chosen.get("launches").valueStream().map(launch -> Map.of("kernel", launch.get("kernel"), "grid",
        numbers(launch.get("grid"), numbers), "arguments",
        launch.get("arguments").valueStream().map(argument -> argument(argument, numbers)).toList())).toList();
    return tree(Map.of("launches", launches, "workspace",
        chosen.get("workspace").valueStream().map(part -> (long) number(part.get(1), numbers)).toList()));
  }

  private static List<Object> argument(JsonNode argument, Map<String, Long> numbers) {
    var kind = argument.get(0).asString();
    var list = new ArrayList<Object>(List.of(kind));
    if (kind.equals("map")) {
      var extents = numbers(argument.get(3), numbers);
      var strides = new ArrayList<>(numbers(argument.get(4), numbers));
      for (int i = 0; i < strides.size(); i++) if (extents.get(i + 1) == 1) strides.set(i, 32L);
      list.addAll(List.of(argument.get(1), argument.get(2), extents, strides));
      for (int i = 5; i < argument.size(); i++) list.add(argument.get(i));
    } else if (kind.equals("u32") || kind.equals("s64")) {
      list.add((long) number(argument.get(1), numbers));
    } else {
      list.add(argument.get(1));
    }
    return list;
  }

  /** The tree as a reader of the text has it, which does not tell a long from an int. */
  private static JsonNode tree(Object value) {
    return JsonMapper.shared().readTree(JsonMapper.shared().writeValueAsString(value));
  }

  private static List<Long> numbers(JsonNode formulas, Map<String, Long> numbers) {
    return formulas.valueStream().map(formula -> (long) number(formula, numbers)).toList();
  }

  private static double number(JsonNode formula, Map<String, Long> numbers) {
    if (formula.isNumber()) return formula.asDouble();
    if (formula.isString()) return numbers.get(formula.asString());
    return operation(formula.get(0).asString(),
        formula.valueStream().skip(1).mapToDouble(operand -> number(operand, numbers)).toArray());
  }

  private static double operation(String name, double[] operands) {
    return switch (name) {
      case "+" -> operands[0] + operands[1];
      case "-" -> operands[0] - operands[1];
      case "*" -> operands[0] * operands[1];
      case "/" -> operands[0] / operands[1];
      case "//" -> Math.floor(operands[0] / operands[1]);
      case "ceil" -> Math.ceil(operands[0] / operands[1]);
      case "min" -> Math.min(operands[0], operands[1]);
      case "max" -> Math.max(operands[0], operands[1]);
      case "upto" -> operands[0] <= operands[1] ? operands[2] : operands[3];
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** Runs the package's own tests, which find the problems in the folder, and the command for simulations. */
  private void python() throws IOException, InterruptedException {
    var classes = System.getProperty("java.class.path") + File.pathSeparator
        + System.getProperty("jdk.module.path", "");
    var command = Files.writeString(folder.resolve("tilewright"), "#!/bin/sh\nexec '"
        + Path.of(System.getProperty("java.home"), "bin", "java") + "' -cp '" + classes
        + "' tilewright.cli.Main \"$@\"\n");
    assertTrue(command.toFile().setExecutable(true));
    var ended = Python.run(Map.of("TILEWRIGHT_PROBLEMS", folder.toString(), "TILEWRIGHT", command.toString(),
        "PYTHONDONTWRITEBYTECODE", "1"), "-m", "pytest", "-q", "-p", "no:cacheprovider",
        PYTHON.resolve("tests").toString());
    assumeTrue(!ended.text().contains("No module named pytest"), "no pytest here");
    assertEquals(0, ended.status(), ended.text());
    assertTrue(Stream.of(ended.text().split("\n")).anyMatch(line -> line.contains(" passed")), ended.text());
  }
}
