package tilewright.docs.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import tilewright.docs.chart.Chart;
import tilewright.docs.chart.Charts;
import tilewright.docs.chart.Timeline;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Charts and timelines of what runs on several GPUs, from {@code docs/benchmarks/gpus}. */
public final class SeveralGpus {
  private static final List<String> FOUR = List.of("attention-four-h100-128k", "attention-four-h100-256k");
  private static final String WEAK = "attention-weak-four-h200";
  private static final List<String> GEMMS = List.of("gemms-turns-h100", "gemms-four-h100");
  private static final List<String> EXPERTS = List.of("gemms-h100", "gemms-four-h100");
  private static final String RATE = "TFLOP/s of all GPUs (floor: %s)";
  private static final List<String> PYTORCH_WAYS = List.of("allgather", "alltoall");
  private static final String OURS = "Tilewright";

  private SeveralGpus() {}

  public static void write(Path docs, Path generated) throws IOException {
    var folder = docs.resolve("benchmarks/gpus");
    var charts = List.of(
        attention("gpus-attention", "Causal attention over GPUs of one host, in a ring", "attention", "ms",
            with("attention-turns-h100", folder)),
        attention("gpus-gradients", "Gradients of causal attention over GPUs of one host", "attention_backward",
            "backwardMs", with("attention-gradients-h100", folder)),
        weak(records(folder, List.of(WEAK)).getFirst()), gemms(records(folder, GEMMS)),
        experts(records(folder, EXPERTS)));
    for (var chart : charts) {
      Files.writeString(generated.resolve("chart-" + chart.name() + ".adoc"), Charts.include(chart));
    }
    for (var trace : records(folder, List.of("overlap-h100")).getFirst().get("traces")) {
      var timeline = timeline(trace);
      Files.writeString(generated.resolve("chart-" + timeline.name() + ".adoc"), Charts.include(timeline));
    }
  }

  /** The record of two GPUs, then those of four. */
  private static List<JsonNode> with(String two, Path folder) throws IOException {
    return records(folder, Stream.concat(Stream.of(two), FOUR.stream()).toList());
  }

  private static List<JsonNode> records(Path folder, List<String> names) throws IOException {
    var records = new ArrayList<JsonNode>();
    for (var name : names) {
      records.add(JsonMapper.shared().readTree(Files.readString(folder.resolve(name + ".json"))));
    }
    return records;
  }

  /** @param peerMs the field of PyTorch's rows with its time; the better of its ways counts */
  static Chart attention(String name, String title, String kernel, String peerMs, List<JsonNode> records) {
    var groups = new ArrayList<Chart.Group>();
    for (var record : records) {
      for (var row : record.get("rows")) {
        if (!text(row, "kernel").equals(kernel) || !text(row, "way").equals("ring")) continue;
        double work = row.get("teraflops").asDouble() * row.get("ms").asDouble();
        double theirs = peer(record, row, "config", peerMs, PYTORCH_WAYS);
        int gpus = record.get("gpus").asInt();
        var label = gpus + " GPUs, " + text(row, "config").split("×")[1] + " tokens";
        // With weak scaling the sequence on one GPU is shorter; the speedup is of equal work.
        double ideal = row.get("ms").asDouble() * row.get("speedup").asDouble() / gpus;
        groups.add(group(label, work, ideal, Map.entry(OURS, row.get("ms").asDouble()),
            Map.entry("PyTorch, context_parallel", theirs)));
      }
    }
    return new Chart(name, title, RATE.formatted("as many times one GPU's rate"), false, groups);
  }

  /** A longer sequence on all GPUs, with the work for each that one GPU has of the shorter one. */
  static Chart weak(JsonNode record) {
    var groups = new ArrayList<Chart.Group>();
    for (var row : record.get("rows")) {
      double rate = row.get("teraflops").asDouble();
      var label = text(row, "kernel").equals("attention") ? text(row, "way").replace('_', '-') : "gradients";
      groups.add(new Chart.Group(label, Map.of(OURS, rate),
          OptionalDouble.of(rate * record.get("gpus").asInt() / row.get("speedup").asDouble())));
    }
    return new Chart("gpus-weak", "Weak scaling of causal attention, from one GPU to " + record.get("gpus").asInt(),
        RATE.formatted("as many times one GPU's rate"), false, groups);
  }

  static Chart gemms(List<JsonNode> records) {
    var groups = new ArrayList<Chart.Group>();
    for (var record : records) {
      for (var row : record.get("products")) {
        double work = row.get("teraflops").asDouble() * row.get("ms").asDouble();
        double theirs = peer(record, row, "kernel", "fusedMs", List.of("fused"));
        var label = record.get("gpus").asInt() + " GPUs, " + text(row, "kernel").replace('_', ' ');
        groups.add(group(label, work, row.get("gemmMs").asDouble(), Map.entry(OURS, row.get("ms").asDouble()),
            Map.entry("PyTorch, fused", theirs), Map.entry("NCCL, then GEMM", row.get("ncclMs").asDouble())));
      }
    }
    return new Chart("gpus-gemms", "GEMMs of a tensor-parallel layer, 8192×8192×28672 bf16",
        RATE.formatted("the GEMM without transfers"), false, groups);
  }

  /**
   * Milliseconds of the fastest peer: those of the row's own rounds, or of peers that ran behind ours.
   *
   * @param same the field that tells which of the peers' rows belong to this one
   * @param ms the field of these rows with the time
   * @param names of peers in the row's own rounds
   */
  private static double peer(JsonNode record, JsonNode row, String same, String ms, List<String> names) {
    var own = row.path("peers").path("ms");
    var times = own.isObject()
        ? names.stream().filter(own::has).mapToDouble(name -> own.get(name).asDouble())
        : StreamSupport.stream(record.get("peers").get("rows").spliterator(), false)
            .filter(peer -> text(peer, same).equals(text(row, same))).mapToDouble(peer -> peer.get(ms).asDouble());
    return times.min().orElseThrow();
  }

  /** @param times milliseconds by series */
  @SafeVarargs
  private static Chart.Group group(String label, double work, double floorMs, Map.Entry<String, Double>... times) {
    var bars = new LinkedHashMap<String, Double>();
    for (var time : times) bars.put(time.getKey(), work / time.getValue());
    return new Chart.Group(label, bars, OptionalDouble.of(work / floorMs));
  }

  private static Chart experts(List<JsonNode> records) {
    var groups = new ArrayList<Chart.Group>();
    for (var record : records) {
      for (var row : record.get("experts")) {
        var bars = new LinkedHashMap<String, Double>();
        bars.put("dispatch", row.get("dispatchGigabytes").asDouble());
        bars.put("combine", row.get("combineGigabytes").asDouble());
        groups.add(new Chart.Group(record.get("gpus").asInt() + " GPUs", bars, OptionalDouble.empty()));
      }
    }
    return new Chart("gpus-experts", "Tokens to 64 experts and back: 4096×7168 bf16 on each GPU, 8 experts a token",
        "GB/s of each GPU", false, groups);
  }

  private static Timeline timeline(JsonNode trace) {
    var lanes = new ArrayList<Timeline.Lane>();
    for (var lane : trace.get("lanes")) {
      var spans = new ArrayList<Timeline.Span>();
      for (var span : lane.get("spans")) {
        spans.add(new Timeline.Span(text(span, "kind"), span.get("begin").asDouble(), span.get("end").asDouble()));
      }
      lanes.add(new Timeline.Lane(text(lane, "label"), spans));
    }
    return new Timeline(text(trace, "name"), text(trace, "title"), "ms", lanes);
  }

  private static String text(JsonNode node, String field) {
    return node.get(field).asString();
  }
}
