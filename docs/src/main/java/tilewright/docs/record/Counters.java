package tilewright.docs.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import tilewright.docs.source.BrokenSiteException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Hardware counters that Nsight Compute read: one table of our kernels, one of a kernel beside Triton's. */
public final class Counters {
  private static final double GIGA = 1e9;
  private static final double MILLI = 1e-3;
  private static final String TRITON = "triton";

  private Counters() {}

  public static void write(Path docs, Path generated) throws IOException {
    var file = docs.resolve("benchmarks/counters/counters-h200.json");
    try {
      var run = JsonMapper.shared().readTree(Files.readString(file));
      Files.writeString(generated.resolve("counters.adoc"), limits(run));
      Files.writeString(generated.resolve("counters-triton.adoc"), beside(run));
    } catch (JacksonException | IllegalArgumentException e) {
      throw new BrokenSiteException(List.of(file + ": " + e.getMessage()));
    }
  }

  /** The units that bound each of our kernels. */
  static String limits(JsonNode run) {
    var table = new StringBuilder(title(run))
        .append("[cols=\"3,>1,>1,>1,>1,>1\"]\n|===\n|Kernel |ms |Tensor cores busy |DRAM busy |Issue slots busy "
            + "|Special function unit busy\n\n");
    kernels(run, kernel -> !kernel.path("program").asString().equals(TRITON)).forEach(kernel -> table.append(
        String.format(Locale.ROOT, "|`%s`, %s |%.3f |%.0f %% |%.0f %% |%.0f %% |%.0f %%%n",
            kernel.get("kernel").asString(), kernel.get("config").asString(),
            counter(kernel, "gpu__time_duration.sum") / MILLI,
            counter(kernel, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"),
            counter(kernel, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"),
            counter(kernel, "smsp__issue_active.avg.pct_of_peak_sustained_active"),
            counter(kernel, "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active"))));
    return table.append("|===\n").toString();
  }

  /** The problems that were profiled of Triton's kernel too, ours first. */
  static String beside(JsonNode run) {
    var theirs = kernels(run, kernel -> kernel.path("program").asString().equals(TRITON)).stream()
        .map(kernel -> kernel.get("config").asString()).toList();
    var table = new StringBuilder(title(run))
        .append("[cols=\"2,1,>1,>1,>1,>1,>1\"]\n|===\n|Problem |Program |ms |CTAs |Active warps |GB read and written "
            + "|Spilled accesses, millions\n\n");
    kernels(run, kernel -> theirs.contains(kernel.get("config").asString())).forEach(kernel -> table.append(
        String.format(Locale.ROOT, "|%s |%s |%.2f |%,d |%.0f %% |%.2f |%.0f%n", kernel.get("config").asString(),
            kernel.get("program").asString().equals(TRITON) ? "Triton" : "Tilewright",
            counter(kernel, "gpu__time_duration.sum") / MILLI, kernel.get("grid").get(0).asLong(),
            counter(kernel, "sm__warps_active.avg.pct_of_peak_sustained_active"),
            (counter(kernel, "dram__bytes_read.sum") + counter(kernel, "dram__bytes_write.sum")) / GIGA,
            counter(kernel, "sass__inst_executed_register_spilling") / 1e6)));
    return table.append("|===\n").toString();
  }

  private static String title(JsonNode run) {
    return ".Counters on an %s, Nsight Compute %s, %s\n".formatted(run.get("gpu").asString(),
        run.get("versions").get("ncu").asString(), run.get("date").asString());
  }

  private static List<JsonNode> kernels(JsonNode run, Predicate<JsonNode> chosen) {
    return run.get("kernels").valueStream().filter(chosen).toList();
  }

  private static double counter(JsonNode kernel, String name) {
    var value = kernel.get("counters").get(name);
    if (value == null) throw new IllegalArgumentException("no counter " + name + " of " + kernel.get("kernel"));
    return value.asDouble();
  }
}
