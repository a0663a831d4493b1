package tilewright.docs.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.IntStream;
import tilewright.docs.chart.Chart;
import tilewright.docs.chart.Charts;
import tilewright.docs.source.BrokenSiteException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tables of the budget model, from what {@code tilewright budget --json} printed: {@code docs/budget/KERNEL-ARCH.jsonl}
 * with several configurations, and {@code KERNEL-h200.jsonl} for the rows of a record of measurements, which stand
 * there.
 */
public final class BudgetPage {
  private static final int BYTES_A_CYCLE = 128;
  /** Rows of a kernel in the chart. */
  private static final int CHARTED = 6;

  /** The record of the gradients' rates. */
  static final String GRADIENTS = "attention/attention-backward-h200.json";

  private BudgetPage() {}

  public static void write(Path docs, Path generated) throws IOException {
    var folder = docs.resolve("budget");
    var gemm = rows(folder.resolve("gemm-sm100.jsonl"));
    var attention = rows(folder.resolve("attention-sm100.jsonl"));
    var own = tensorBound(attention);
    var all = List.of(rows(folder.resolve("gemm-sm90.jsonl")).getFirst(),
        rows(folder.resolve("attention-sm90.jsonl")).getFirst(), gemm.getFirst(), own);
    Files.writeString(generated.resolve("budget-units.adoc"), units(all));
    var gradients = List.of(rows(folder.resolve("attention-backward-sm80.jsonl")).getFirst(),
        rows(folder.resolve("attention-backward-sm90.jsonl")).getFirst(),
        rows(folder.resolve("attention-backward-sm100.jsonl")).getFirst());
    Files.writeString(generated.resolve("budget-gradients.adoc"), units(gradients));
    Files.writeString(generated.resolve("budget-emulation.adoc"), ranking(attention));
    for (var type : List.of("e4m3", "mxf8")) {
      Files.writeString(generated.resolve("budget-emulation-" + type + ".adoc"),
          ranking(rows(folder.resolve("attention-sm100-" + type + ".jsonl"))));
    }
    Files.writeString(generated.resolve("budget-gemm.adoc"), ranking(gemm));
    Files.writeString(generated.resolve("budget-amounts.adoc"), amounts(List.of(gemm.getFirst(), own)));
    Files.writeString(generated.resolve("budget-published.adoc"),
        published(emulating(attention, 0), gemm.getFirst()));
    var gemms = rows(folder.resolve("gemm-h200.jsonl"));
    var gemmRates = rates(docs, "sm90-gemm-h200.json");
    var attentions = rows(folder.resolve("attention-h200.jsonl"));
    var attentionRates = rates(docs, "sm90-attention-h200.json");
    Files.writeString(generated.resolve("budget-h200-gemm.adoc"), measured("GEMM", gemms, gemmRates));
    Files.writeString(generated.resolve("budget-h200-attention.adoc"),
        measured("Attention", attentions, attentionRates));
    Files.writeString(generated.resolve("budget-h200-gradients.adoc"), measured("Gradients of attention",
        rows(folder.resolve("attention-backward-h200.jsonl")), rates(docs, GRADIENTS)));
    var groups = new ArrayList<>(groups("GEMM ", gemms, gemmRates));
    groups.addAll(groups("", attentions, attentionRates));
    Files.writeString(generated.resolve("chart-budget.adoc"), Charts.include(new Chart("budget",
        "Expected and measured on an H200; the floor is the model's bound", "TFLOP/s", false, groups)));
  }

  /** Six of the rows, evenly spread. */
  private static List<Chart.Group> groups(String prefix, List<JsonNode> model, Map<String, Double> rates) {
    var rows = model.stream().filter(row -> rates.containsKey(text(row, "row"))).toList();
    int every = Math.max(1, rows.size() / CHARTED);
    return IntStream.range(0, Math.min(CHARTED, rows.size())).mapToObj(i -> rows.get(i * every)).map(row -> {
      var bars = new LinkedHashMap<String, Double>();
      bars.put("measured", rates.get(text(row, "row")));
      bars.put("expected", row.get("expected").asDouble());
      return new Chart.Group(prefix + text(row, "problem"), bars, OptionalDouble.of(row.get("bound").asDouble()));
    }).toList();
  }

  static List<JsonNode> rows(Path file) throws IOException {
    var rows = Files.readAllLines(file).stream().map(JsonMapper.shared()::readTree).toList();
    if (rows.isEmpty()) throw new BrokenSiteException(List.of(file + " has no rows"));
    return rows;
  }

  /** The rates measured in TFLOP/s, by row of a record. */
  static Map<String, Double> rates(Path docs, String record) throws IOException {
    var rates = new HashMap<String, Double>();
    for (var row : JsonMapper.shared().readTree(Files.readString(docs.resolve("benchmarks").resolve(record)))
        .get("rows")) {
      rates.put(text(row, "config"), row.get("ours").asDouble());
    }
    return rates;
  }

  /** The first that the tensor cores bound. */
  private static JsonNode tensorBound(List<JsonNode> rows) {
    return rows.stream().filter(r -> text(r, "bottleneck").equals("tensor cores")).findFirst()
        .orElseThrow(() -> new BrokenSiteException(List.of("no budget that the tensor cores bound")));
  }

  private static JsonNode emulating(List<JsonNode> rows, int pairs) {
    return rows.stream().filter(r -> text(r, "configuration").contains("emulated " + pairs + "/")).findFirst()
        .orElseThrow(() -> new BrokenSiteException(List.of("no budget with " + pairs + " emulated pairs")));
  }

  /** Cycles of a step of the main loop. */
  static String units(List<JsonNode> rows) {
    var table = header("Unit", rows, row -> text(row, "kernel") + " on " + text(row, "chip"));
    for (var unit : rows.getFirst().get("stepCycles").propertyNames()) {
      line(table, unit, rows, row -> number(row.get("stepCycles").get(unit).asDouble()));
    }
    line(table, "bound by", rows, row -> text(row, "bottleneck"));
    line(table, "at most, of the peak (model)", rows, row -> percent(row.get("attainable").asDouble()));
    return table.append("|===\n").toString();
  }

  private static String amounts(List<JsonNode> rows) {
    var table = header("A step of a CTA", rows, row -> text(row, "kernel") + ", " + text(row, "configuration"));
    for (var amount : rows.getFirst().get("step").propertyNames()) {
      line(table, amount, rows, row -> number(row.get("step").get(amount).asDouble()));
    }
    return table.append("|===\n").toString();
  }

  private static StringBuilder header(String first, List<JsonNode> rows, Function<JsonNode, String> title) {
    var table = new StringBuilder("[cols=\"3").append(",>2".repeat(rows.size())).append("\"]\n|===\n");
    line(table, first, rows, title);
    return table.append('\n');
  }

  private static void line(StringBuilder table, String first, List<JsonNode> rows, Function<JsonNode, String> cell) {
    table.append('|').append(first);
    for (var row : rows) table.append(" |").append(cell.apply(row));
    table.append('\n');
  }

  static String ranking(List<JsonNode> rows) {
    var table = new StringBuilder("[cols=\"4,2,>1,>1,>1\"]\n|===\n|Configuration |Bound by |At most, of the peak "
        + "|TFLOP/s at most (model) |Expected (model)\n\n");
    for (var row : rows) {
      table.append("|%s |%s |%s |%s |%s\n".formatted(text(row, "configuration"), text(row, "bottleneck"),
          percent(row.get("attainable").asDouble()), number(row.get("boundTflops").asDouble()),
          number(row.get("expectedTflops").asDouble())));
    }
    return table.append("|===\n").toString();
  }

  /** Published budgets beside the kernels' own counts. */
  private static String published(JsonNode attention, JsonNode gemm) {
    var step = attention.get("step");
    var cycles = attention.get("stepCycles");
    var stage = gemm.get("step");
    return "[cols=\"5,>1,>1,>1\"]\n|===\n|Of a tile |Published |Counted |Ratio\n\n"
        + row("FlashAttention-4, 128x128x128: cycles of products", 1024, of(cycles, "tensor cores") / 2)
        + row("cycles of operands from shared memory", 768,
            of(step, "bytes of operands from shared memory") / BYTES_A_CYCLE / 2)
        + row("cycles of exponentials", 1024, of(cycles, "exponent unit") / 2)
        + row("bytes of scores and weights read from Tensor Memory", 98304,
            of(step, "bytes read from Tensor Memory") / 2)
        + row("bytes of weights written to it", 32768, of(step, "bytes written to Tensor Memory") / 2)
        + row("CUTLASS, a pair's 256x256x64: cycles of products", 512, of(gemm.get("stepCycles"), "tensor cores"))
        + row("bytes of a stage into a CTA's shared memory", 32768,
            of(stage, "bytes copied to and from shared memory"))
        + row("bytes of operands read from it", 32768, of(stage, "bytes of operands from shared memory"))
        + row("bytes of a tile's sums read from Tensor Memory", 131072,
            of(gemm.get("tile"), "bytes read from Tensor Memory"))
        + "|===\n";
  }

  private static double of(JsonNode amounts, String name) {
    if (amounts.get(name) == null) throw new BrokenSiteException(List.of("no '" + name + "' in a budget"));
    return amounts.get(name).asDouble();
  }

  private static String row(String what, double published, double counted) {
    return String.format(Locale.ROOT, "|%s |%s |%s |%.3f\n", what, number(published), number(counted),
        counted / published);
  }

  /** @param rates of which those that the model has no row for are left out, and counted */
  static String measured(String title, List<JsonNode> model, Map<String, Double> rates) {
    var rows = model.stream().filter(row -> rates.containsKey(text(row, "row"))).toList();
    if (rows.isEmpty()) throw new BrokenSiteException(List.of("no row of the model is in the record of " + title));
    double mean = Math.exp(rows.stream().mapToDouble(row -> Math.log(ratio(row, rates))).average().orElseThrow());
    double error = rows.stream().mapToDouble(row -> Math.abs(ratio(row, rates) - 1)).average().orElseThrow();
    var table = new StringBuilder(String.format(Locale.ROOT, ".%s: measured over expected is %.3f in the geometric "
        + "mean of %d rows; the expectation is off by %.1f %% on average%s\n", title, mean, rows.size(), 100 * error,
        rows.size() == rates.size() ? "" : " (" + (rates.size() - rows.size()) + " more were not modelled)"));
    table.append("[cols=\"3,4,2,>1,>1,>1,>1\"]\n|===\n|Problem |Configuration |Bound by |Bound |Expected |Measured "
        + "|Measured over expected\n\n");
    for (var row : rows) {
      table.append(String.format(Locale.ROOT, "|%s |%s |%s |%s |%s |%s |%.2f\n", text(row, "problem"),
          text(row, "configuration"), text(row, "bottleneck"), number(row.get("bound").asDouble()),
          number(row.get("expected").asDouble()), number(rates.get(text(row, "row"))), ratio(row, rates)));
    }
    return table.append("|===\n\n").toString();
  }

  private static double ratio(JsonNode row, Map<String, Double> rates) {
    return rates.get(text(row, "row")) / row.get("expected").asDouble();
  }

  private static String text(JsonNode row, String field) {
    return row.get(field).asString();
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.1f" : "%,.0f", value);
  }

  private static String percent(double part) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * part);
  }
}
