package tilewright.docs.chart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import tilewright.docs.source.BrokenSiteException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The charts of the kernel families, from {@code docs/benchmarks}: pages include {@code {generated}/chart-NAME.adoc}.
 */
public final class Charts {
  private static final String SHARE = "% of the floor (the number at each bar is its rate in ";
  private static final Map<String, String> PEERS = Map.of("cublas", "cuBLAS", "cudnn", "cuDNN", "cudnn-fp8",
      "cuDNN, e4m3 (JAX)", "flash", "FlashAttention-2 (PyTorch)", "torch", "PyTorch", "compile", "torch.compile",
      "eager", "PyTorch eager", "triton", "Triton", "fused", "PyTorch fused");
  /** The order of the bars below ours. */
  private static final List<String> ORDER = List.of("cublas", "cudnn", "cudnn-fp8", "flash", "torch", "compile",
      "triton", "eager", "fused");

  private static final List<Family> FAMILIES = List.of(
      new Family("sm80-gemm", "bf16 GEMM on an H200 with SM80 instructions", false, List.of("sm80-gemm-h200"),
          same("sm80_gemm %s TN bf16->f32", "2048x2048x2048", "4096x4096x4096", "8192x8192x8192")),
      new Family("sm90-gemm", "bf16 GEMM on an H200 (M×N×K)", true, List.of("sm90-gemm-h200"),
          same("sm90_gemm %s TN bf16->bf16", "1x14336x4096", "16x14336x4096", "64x14336x4096", "256x14336x4096",
              "1024x14336x4096", "4096x14336x4096", "2048x2048x2048", "4096x4096x4096", "8192x8192x8192",
              "16384x16384x16384")),
      new Family("sm90-gemm-types", "GEMM of other types on an H200", false,
          List.of("sm90-gemm-types-h200", "sm90-gemm-exact-h200", "sm90-gemm-mixed-grouped-h200"), List.of(
              new Pick("sm90_gemm 8192x8192x8192 TN tf32", "tf32, 8192³"),
              new Pick("sm90_gemm 8192x8192x8192 TN e4m3->bf16 128", "FP8, 8192³"),
              new Pick("sm90_gemm 8192x8192x8192 TN e4m3->bf16 exact", "FP8 exact, 8192³"),
              new Pick("sm90_scaled_gemm 4096x7168x16384", "FP8 scaled, 4096×7168×16384"),
              new Pick("sm90_gemm 8192x8192x8192 TN i8", "int8, 8192³"),
              new Pick("sm90_mixed_gemm 8192x8192x8192 TN e4m3*bf16", "FP8 × bf16, 8192³"),
              new Pick("sm90_mixed_gemm 8192x8192x8192 TN i4*bf16", "int4 × bf16, 8192³"),
              new Pick("sm90_grouped_gemm 8192x4096x7168 bf16->bf16 8 groups contiguous", "8 groups, bf16"))),
      attention("sm80-attention", "sm80-attention-h200", "Attention forward on an H200 with SM80 instructions (bf16)"),
      attention("sm90-attention", "sm90-attention-h200", "Attention forward on an H200 (bf16)"),
      attention("sm90-attention-backward", "attention/attention-backward-h200", "Attention backward on an H200 (bf16)"),
      new Family("attention-fp8", "Attention forward on an H200 (e4m3, d = 128, 64 heads, 8 of K and V)", false,
          List.of("attention/attention-fp8-h200"), ofBytes("4096", "16384", "32768")),
      new Family("ladder", "Each step of the ladder at 8192³ on an H200", false, List.of("ladder-h200"),
          same("sm90_ladder 8192x8192x8192 %s", "step 1:", "step 2:", "step 3:", "step 4:", "step 5:", "step 6:",
              "step 7:", "step 8:", "step 9:", "step 10:")),
      new Family("memory", "Kernels bound by memory on an H200 (bf16)", true,
          List.of("rows/norms-h200", "memory-bf16-h200"), List.of(
              new Pick("add n=268435456 dtype=bf16", "add"), new Pick("gelu_erf n=268435456", "gelu_erf"),
              new Pick("row_sum m=65536 n=4096", "row_sum, rows of 4096"),
              new Pick("gemv m=65536 n=4096", "gemv, rows of 4096"),
              new Pick("softmax m=65536 n=4096", "softmax, rows of 4096"),
              new Pick("softmax m=4096 n=65536", "softmax, rows of 65536"),
              new Pick("layer_norm m=65536 n=4096 dtype=bf16", "layer_norm, rows of 4096"),
              new Pick("rms_norm m=65536 n=4096 dtype=bf16", "rms_norm, rows of 4096"),
              new Pick("mat_transpose m=16384 n=16384", "mat_transpose, 16384²"), new Pick("rope s=65536", "rope"),
              new Pick("embedding m=65536 n=4096", "embedding, rows of 4096"))));

  /** @param shares whether bars are shares of the floor, for problems of very different rates */
  private record Family(String name, String title, boolean shares, List<String> records, List<Pick> picks) {}

  /** @param begins what the row's kernel and configuration begin with; the first such row of the records is taken */
  private record Pick(String begins, String label) {}

  private Charts() {}

  /** Writes an include for each family. */
  public static void write(Path docs, Path generated) throws IOException {
    for (var family : FAMILIES) {
      var rows = new ArrayList<JsonNode>();
      for (var record : family.records()) {
        JsonMapper.shared().readTree(Files.readString(docs.resolve("benchmarks/" + record + ".json"))).get("rows")
            .forEach(rows::add);
      }
      Files.writeString(generated.resolve("chart-" + family.name() + ".adoc"), include(chart(family, rows)));
    }
  }

  /** A passthrough block with the chart. */
  public static String include(Chart chart) {
    return include(ChartSvg.of(chart));
  }

  /** A passthrough block with the timeline. */
  public static String include(Timeline timeline) {
    return include(TimelineSvg.of(timeline));
  }

  private static String include(String figure) {
    return "++++\n" + figure + "++++\n";
  }

  /** A chart of recorded rows under their labels; all have one unit. */
  public static Chart of(String name, String title, boolean shares, Map<String, JsonNode> rows) {
    var unit = rows.values().iterator().next().get("unit").asString();
    return new Chart(name, title, shares ? SHARE + unit + ")" : unit, shares,
        rows.entrySet().stream().map(row -> group(row.getKey(), row.getValue())).toList());
  }

  private static Chart chart(Family family, List<JsonNode> rows) {
    var picked = new LinkedHashMap<String, JsonNode>();
    for (var pick : family.picks()) {
      picked.put(pick.label(), rows.stream().filter(row -> name(row).startsWith(pick.begins())).findFirst()
          .orElseThrow(() -> new BrokenSiteException(List.of("no row of " + family.records() + " begins with '"
              + pick.begins() + "'"))));
    }
    if (family.name().equals("ladder")) return of(family.name(), family.title(), false, steps(picked));
    return of(family.name(), family.title(), family.shares(), picked);
  }

  /** The ladder's rows under the names of the steps. */
  private static Map<String, JsonNode> steps(Map<String, JsonNode> picked) {
    var steps = new LinkedHashMap<String, JsonNode>();
    picked.values().forEach(row -> steps.put(row.get("config").asString().replaceFirst(".* step ", ""), row));
    return steps;
  }

  private static Chart.Group group(String label, JsonNode row) {
    var values = new LinkedHashMap<String, Double>();
    values.put("Tilewright", row.get("ours").asDouble());
    for (var peer : ORDER) {
      if (row.path("peers").has(peer)) values.put(PEERS.get(peer), row.get("peers").get(peer).asDouble());
    }
    var floor = row.path("floor");
    return new Chart.Group(label, values,
        floor.isNumber() ? OptionalDouble.of(floor.asDouble()) : OptionalDouble.empty());
  }

  private static String name(JsonNode row) {
    return row.get("kernel").asString() + " " + row.get("config").asString();
  }

  private static List<Pick> same(String begins, String... problems) {
    return List.of(problems).stream().map(problem -> new Pick(begins.formatted(problem), problem.replace('x', '×')))
        .toList();
  }

  private static List<Pick> ofBytes(String... keys) {
    return List.of(keys).stream().flatMap(number -> {
      var begins = "sm90_attention e4m3->bf16 B=1 S=" + number + " H=64 Hk=8 D=128";
      return Stream.of(new Pick(begins, number + " keys"), new Pick(begins + " causal", number + " keys, causal"));
    }).toList();
  }

  private static Family attention(String kernel, String record, String title) {
    var picks = new ArrayList<Pick>();
    for (var heads : List.of("H=32 D=64", "H=16 D=128", "H=8 D=256")) {
      var dimension = heads.replaceFirst(".*=", "d = ");
      var begins = kernel.replace('-', '_') + " bf16 ";
      picks.add(new Pick(begins + "B=8 S=2048 " + heads, dimension + ", 2048 keys"));
      picks.add(new Pick(begins + "B=1 S=16384 " + heads, dimension + ", 16384 keys"));
      picks.add(new Pick(begins + "B=1 S=16384 " + heads + " causal", dimension + ", 16384 keys, causal"));
    }
    return new Family(kernel, title, false, List.of(record), picks);
  }
}
