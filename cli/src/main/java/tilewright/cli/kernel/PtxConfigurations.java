package tilewright.cli.kernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.InputFile;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.verification.KernelConfiguration;
import tilewright.verification.TracedKernel;
import tilewright.verification.Verification;
import tilewright.verification.bench.Benchmark;

/**
 * Every configuration of kernels that anything here uses: cases of verification, the benchmark suite and its records,
 * defaults and variants.
 */
final class PtxConfigurations {
  private static final int STEP = 250;

  private final KernelRegistry registry;
  private final Set<String> kernels;
  private final Optional<Path> records;
  private final Console console;

  /**
   * @param kernels their names; empty for all
   * @param records the folder of the benchmark records
   */
  PtxConfigurations(KernelRegistry registry, Set<String> kernels, Optional<Path> records, Console console) {
    this.registry = registry;
    this.kernels = kernels;
    this.records = records;
    this.console = console;
  }

  /** Whether these are configurations of the kernel. */
  boolean includes(String kernel) {
    return kernels.isEmpty() || kernels.contains(kernel);
  }

  /** Traces all of them on all processors, in any order; one at a time is handed on. */
  void trace(Consumer<TracedKernel> consumer) {
    // A configuration that has been traced may be collected with what it keeps.
    var queue = new ConcurrentLinkedQueue<>(all());
    var tracing = new Tracing(queue, queue.size(), consumer);
    int threads = Runtime.getRuntime().availableProcessors();
    try (var pool = Executors.newFixedThreadPool(threads)) {
      var workers = Collections.nCopies(threads, tracing);
      for (var worker : pool.invokeAll(workers)) worker.get();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw CommandFailure.environmentLacks("interrupted");
    } catch (ExecutionException e) {
      throw e.getCause() instanceof CommandFailure failure ? failure : new IllegalStateException(e.getCause());
    }
    console.progressDone();
  }

  private final class Tracing implements Callable<Void> {
    private final Queue<KernelConfiguration> queue;
    private final int total;
    private final Consumer<TracedKernel> consumer;
    private int done;

    Tracing(Queue<KernelConfiguration> queue, int total, Consumer<TracedKernel> consumer) {
      this.queue = queue;
      this.total = total;
      this.consumer = consumer;
    }

    @Override
    public Void call() {
      for (var next = queue.poll(); next != null; next = queue.poll()) handOn(next.trace());
      return null;
    }

    private synchronized void handOn(TracedKernel traced) {
      consumer.accept(traced);
      if (++done % STEP == 0) console.progress("%d/%d %s".formatted(done, total, traced.kernel()));
    }
  }

  private List<KernelConfiguration> all() {
    Predicate<String> included = this::includes;
    return Stream.of(defaults(), Verification.configurations(registry, included),
        Benchmark.configurations(registry, included, records()))
        .flatMap(List::stream).toList();
  }

  private List<KernelConfiguration> defaults() {
    return registry.kernels().stream().filter(kernel -> includes(kernel.name())).map(kernel ->
        new KernelConfiguration(kernel.name(), "default", () -> List.of(kernel.prepare(kernel.defaults())))).toList();
  }

  private List<String> records() {
    var folder = records.orElseGet(() -> Path.of(System.getProperty("tilewright.home", ""), "docs", "benchmarks"));
    if (!Files.isDirectory(folder)) {
      throw CommandFailure.badFile(folder, "is no folder; needed is that of the benchmark records: name it with"
          + " --records");
    }
    var texts = new ArrayList<String>();
    try (var files = Files.walk(folder)) {
      files.filter(file -> file.toString().endsWith(".json")).sorted().map(InputFile::text).forEach(texts::add);
    } catch (IOException e) {
      throw CommandFailure.badFile(folder, "cannot be read: " + InputFile.reason(e));
    }
    return texts;
  }
}
