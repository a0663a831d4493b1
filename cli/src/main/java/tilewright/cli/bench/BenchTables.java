package tilewright.cli.bench;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tilewright.cli.io.TextTable;
import tilewright.verification.bench.BenchmarkRecord;
import tilewright.verification.bench.DeviceScaling;
import tilewright.verification.bench.LaunchCost;
import tilewright.verification.bench.SimulatorRecord;
import tilewright.verification.bench.Soak;
import tilewright.verification.bench.TraceCost;

/** Text tables of the records of {@code bench}. */
final class BenchTables {
  private BenchTables() {}

  static String of(BenchmarkRecord record) {
    var table = new TextTable("kernel", "config", "ms", "ours", "floor", "of floor", "peers", "ours/best",
          "spread", "unit");
    for (var row : record.rows()) {
      var peers = row.peers().entrySet().stream().sorted(Map.Entry.comparingByKey())
          .map(e -> "%s %.2f".formatted(e.getKey(), e.getValue())).collect(Collectors.joining(", "));
      table.add(row.kernel(), row.config(), "%.4f".formatted(row.ms()), "%.2f".formatted(row.ours()),
          row.floor().map("%.2f"::formatted).orElse("-"), row.fraction().map("%.3f"::formatted).orElse("-"),
          peers.isEmpty() ? "-" : peers, ratio(row.ratio()),
          spread(row.ratioSpread()), row.unit());
    }
    var limits = record.limits().entrySet().stream().sorted(Map.Entry.comparingByKey())
        .map(e -> "%s %.2f".formatted(e.getKey(), e.getValue())).collect(Collectors.joining(", "));
    return record.gpu() + ", driver for CUDA " + record.driver() + ", commit " + record.commit()
        + "\nmeasured limits: " + limits + "\n" + table;
  }

  static String of(LaunchCost cost) {
    return ("%s, driver for CUDA %s: %d launches, median %.2f us, p90 %.2f, p99 %.2f, with the wait %.2f us each, "
        + "%.2f bytes of garbage each; a graph of one kernel: %.2f us").formatted(cost.gpu(), cost.driver(),
            cost.launches(), cost.medianUs(), cost.p90Us(), cost.p99Us(), cost.throughputUs(), cost.bytesPerLaunch(),
            cost.graphLaunchUs());
  }

  static String of(DeviceScaling scaling) {
    var table = new TextTable("kernel", "config", "way", "ms on one", "ms on all", "times as fast", "spread", "TFLOP/s",
        "largest difference", "peers ms", "best/ours", "its spread");
    for (var row : scaling.rows()) {
      table.add(row.kernel(), row.config(), row.way(), "%.2f".formatted(row.oneMs()), "%.2f".formatted(row.ms()),
          "%.3f".formatted(row.speedup()), spread(Optional.of(row.speedupSpread())),
          "%.0f".formatted(row.teraflops()), "%.1e".formatted(row.largestDifference()), peers(row.peers()),
          ratio(row.peers().map(DeviceScaling.PeerTimes::ratio)),
          spread(row.peers().map(DeviceScaling.PeerTimes::spread)));
    }
    return scaling.gpus() + " × " + scaling.gpu() + ", driver for CUDA " + scaling.driver() + ", NCCL "
        + scaling.nccl() + ", commit "
        + scaling.commit() + (scaling.rows().isEmpty() ? "" : "\n" + table)
        + (scaling.products().isEmpty() ? "" : "\n" + products(scaling.products()))
        + (scaling.experts().isEmpty() ? "" : "\n" + experts(scaling.experts()));
  }

  private static TextTable experts(List<DeviceScaling.ExpertRow> experts) {
    var table = new TextTable("kernel", "config", "dispatch ms", "combine ms", "dispatch GB/s", "combine GB/s",
        "largest difference");
    for (var row : experts) {
      table.add(row.kernel(), row.config(), "%.3f".formatted(row.dispatchMs()), "%.3f".formatted(row.combineMs()),
          "%.0f".formatted(row.dispatchGigabytes()), "%.0f".formatted(row.combineGigabytes()),
          "%.1e".formatted(row.largestDifference()));
    }
    return table;
  }

  private static TextTable products(List<DeviceScaling.ProductRow> products) {
    var table = new TextTable("kernel", "config", "ms on one", "GEMM alone ms", "ms", "NCCL and GEMM ms", "of GEMM",
        "spread", "of NCCL", "times as fast", "TFLOP/s", "largest difference", "peers ms", "best/ours",
        "its spread");
    for (var row : products) {
      table.add(row.kernel(), row.config(), "%.3f".formatted(row.oneMs()), "%.3f".formatted(row.gemmMs()),
          "%.3f".formatted(row.ms()), "%.3f".formatted(row.ncclMs()), "%.3f".formatted(row.ofGemm()),
          spread(Optional.of(row.ofGemmSpread())), "%.3f".formatted(row.ofNccl()), "%.3f".formatted(row.speedup()),
          "%.0f".formatted(row.teraflops()), "%.1e".formatted(row.largestDifference()), peers(row.peers()),
          ratio(row.peers().map(DeviceScaling.PeerTimes::ratio)),
          spread(row.peers().map(DeviceScaling.PeerTimes::spread)));
    }
    return table;
  }

  private static String peers(Optional<DeviceScaling.PeerTimes> peers) {
    return peers.map(times -> new TreeMap<>(times.ms()).entrySet().stream()
        .map(e -> "%s %.2f".formatted(e.getKey(), e.getValue())).collect(Collectors.joining(", "))).orElse("-");
  }

  static String of(Soak soak) {
    return ("%s, driver for CUDA %s: %d cycles and %d launches in %.0f s; device memory grew by %d bytes, "
        + "host memory by %d; %d wrong results").formatted(soak.gpu(), soak.driver(), soak.cycles(), soak.launches(),
            soak.seconds(), soak.deviceBytes(), soak.residentBytes(), soak.wrong());
  }

  static String of(TraceCost cost) {
    var table = new TextTable("kernel", "lines", "first ms", "ms");
    for (var row : cost.rows()) {
      table.add(row.kernel(), Integer.toString(row.lines()), "%.1f".formatted(row.firstMs()),
          "%.1f".formatted(row.medianMs()));
    }
    return "One thread of " + cost.processor() + ", Java " + cost.java() + ", commit " + cost.commit() + "\n" + table;
  }

  static String of(SimulatorRecord record) {
    var table = new TextTable("kernel", "config", "CPU ms", "G thread-instr/s", "G MAC/s", "sanitizer", "us/CTA",
        "us/CTA of a quarter", "MAC/naive instr", "spread");
    for (var row : record.rows()) {
      table.add(row.kernel(), row.config(), "%.1f".formatted(row.ms()), "%.3f".formatted(row.instructionsPerSecond()),
          "%.3f".formatted(row.macPerSecond()), "%.2fx".formatted(row.sanitizerRatio()),
          "%.1f".formatted(row.usPerCta()), "%.1f".formatted(row.usPerCtaOfQuarter()), ratio(row.ratio()),
          spread(row.ratioSpread()));
    }
    return "One core of " + record.processor() + ", Java " + record.java() + ", "
        + (record.vectors() ? "Vector API" : "no Vector API") + ", commit " + record.commit() + "\n"
        + (record.rows().isEmpty() ? "" : table + "\n")
        + clocked(record.clocked())
        + "cold start of sim: " + record.coldStartMs().map("%.0f ms"::formatted).orElse("not measured");
  }

  private static String ratio(Optional<Double> ratio) {
    return ratio.map("%.3f"::formatted).orElse("-");
  }

  private static String spread(Optional<List<Double>> spread) {
    return spread.map(s -> "%.3f to %.3f".formatted(s.get(0), s.get(1))).orElse("-");
  }

  private static String clocked(List<SimulatorRecord.Clocked> rows) {
    if (rows.isEmpty()) return "";
    var table = new TextTable("kernel", "config", "threads", "runs", "first s", "least s", "all s", "least CPU s",
        "sanitized s", "load");
    for (var row : rows) {
      table.add(row.kernel(), row.config(), Integer.toString(row.threads()), Integer.toString(row.seconds().size()),
          "%.2f".formatted(row.seconds().getFirst()), "%.2f".formatted(Collections.min(row.seconds())),
          "%.2f".formatted(row.seconds().stream().mapToDouble(s -> s).sum()),
          "%.2f".formatted(Collections.min(row.cpuSeconds())),
          row.sanitizedSeconds().map("%.2f"::formatted).orElse("-"), "%.2f".formatted(row.load()));
    }
    return table + "\n";
  }
}
