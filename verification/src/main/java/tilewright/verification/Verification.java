package tilewright.verification;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import tilewright.ptx.Launch;

/** Runs every case of the catalogue on every backend and compares with the reference. */
public final class Verification {
  private Verification() {}

  /** The cases that the options choose, on the backends that they choose, one row each, in order. */
  public static List<Row> run(VerifyOptions options, Progress progress) {
    var cases = Catalogue.cases(options.seed()).stream().filter(options::includes).toList();
    var rows = new ArrayList<Row>();
    var backends = backends(options);
    var assembly = new AssemblyCheck();
    try {
      int total = cases.size() * backends.size();
      for (var c : cases) {
        for (var backend : backends) {
          progress.begins(c.kernel(), c.config(), backend.name(), rows.size() + 1, total);
          var row = verify(c, backend, assembly);
          if (row.status() == Row.Status.FAIL) progress.failed(row, () -> c.launch().get().on(c.inputs().get()));
          rows.add(row);
        }
      }
    } finally {
      backends.forEach(Backend::close);
    }
    return rows;
  }

  /** Names of all kernels that can be verified. */
  public static List<String> kernels() {
    return Catalogue.cases(0).stream().map(Case::kernel).distinct().toList();
  }

  private static List<Backend> backends(VerifyOptions options) {
    var backends = new ArrayList<Backend>();
    if (options.backends().contains("sim")) backends.add(new SimulatorBackend(options.seed()));
    if (options.backends().contains("gpu")) backends.add(GpuBackend.open());
    return backends;
  }

  /** As {@link #verify(Case, Backend)}, after an assembler took the kernel. */
  static Row verify(Case c, Backend backend, AssemblyCheck assembly) {
    if (backend.refuses(c.arch()).isPresent() || !c.backends().contains(backend.name())) return verify(c, backend);
    return assembly.rejection(c.launch().get().kernel().ptx()).map(reason -> Row.failed(c, backend.name(), reason))
        .orElseGet(() -> verify(c, backend));
  }

  /** Runs a case and compares with its reference. */
  static Row verify(Case c, Backend backend) {
    var refusal = backend.refuses(c.arch());
    if (refusal.isPresent()) return Row.skipped(c, backend.name(), refusal.get());
    if (!c.backends().contains(backend.name())) return Row.skipped(c, backend.name(), "too large for "
        + backend.name());
    var inputs = c.inputs().get();
    var buffers = c.inputs().get();
    var prepared = c.launch().get();
    var outcome = backend.run(prepared.on(buffers), TensorCoordinates.of(prepared));
    var verdict = c.check().compare(inputs, buffers, outcome.architecture());
    var reason = verdict.violation().or(() -> outcome.findings().stream().findFirst());
    return new Row(c.kernel(), c.arch(), backend.name(), c.config(), reason.isEmpty()
        ? Row.Status.PASS : Row.Status.FAIL,
        verdict.maxError(), verdict.meanError(), verdict.bitExact(), outcome.findings().size(), outcome.ms(),
            reason.orElse(""));
  }

  /** Told before each run, and of those that fail. */
  @FunctionalInterface
  public interface Progress {
    void begins(String kernel, String config, String backend, int number, int total);

    /** @param launch makes the launch again as it was before it ran */
    default void failed(Row row, Supplier<Launch> launch) {}
  }
}
