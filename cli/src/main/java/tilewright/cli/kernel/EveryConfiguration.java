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
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.InputFile;
import tilewright.kernel.Chip;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.verification.KernelConfiguration;
import tilewright.verification.TracedKernel;
import tilewright.verification.Verification;
import tilewright.verification.bench.Benchmark;

/**
 * Every configuration of kernels that anything here uses: cases of verification, the benchmark suite and its records,
 * defaults and variants.
 */
final class EveryConfiguration {
  private static final int STEP = 250;

  private final KernelRegistry registry;
  private final Optional<Chip> chip;
  private final Set<String> kernels;
  private final Optional<Path> records;
  private final Console console;

  /**
   * @param chip whose limits the kernels keep, and that runs them; empty for those of each kernel's own target
   * @param kernels their names; empty for all
   * @param records the folder of the benchmark records
   */
  EveryConfiguration(KernelRegistry registry, Optional<Chip> chip, Set<String> kernels, Optional<Path> records,
      Console console) {
    this.registry = chip.map(gpu -> registry.on(gpu.capability())).orElse(registry);
    this.chip = chip;
    this.kernels = kernels;
    this.records = records;
    this.console = console;
  }

  /** Whether these are configurations of the kernel. */
  boolean includes(String kernel) {
    return kernels.isEmpty() || kernels.contains(kernel);
  }

  /** Names of the kernels that have configurations here, in the registry's order. */
  List<String> kernels() {
    return registry.kernels().stream().filter(kernel -> includes(kernel.name()) && runs(kernel))
        .map(KernelDescription::name).toList();
  }

  private boolean runs(KernelDescription kernel) {
    return chip.isEmpty() || kernel.target().runsOn(chip.get().capability());
  }

  /** Traces all of them on all processors, in any order; one at a time is handed on. */
  void trace(Consumer<TracedKernel> consumer) {
    forEach(KernelConfiguration::trace, consumer);
  }

  /** Applies a function to each of them on all processors, in any order; one result at a time is handed on. */
  <T> void forEach(Function<KernelConfiguration, T> work, Consumer<T> consumer) {
    // A configuration that has been traced may be collected with what it keeps.
    var queue = new ConcurrentLinkedQueue<>(all());
    var tracing = new Working<>(queue, queue.size(), work, consumer);
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

  private final class Working<T> implements Callable<Void> {
    private final Queue<KernelConfiguration> queue;
    private final int total;
    private final Function<KernelConfiguration, T> work;
    private final Consumer<T> consumer;
    private int done;

    Working(Queue<KernelConfiguration> queue, int total, Function<KernelConfiguration, T> work,
        Consumer<T> consumer) {
      this.queue = queue;
      this.total = total;
      this.work = work;
      this.consumer = consumer;
    }

    @Override
    public Void call() {
      for (var next = queue.poll(); next != null; next = queue.poll()) handOn(next.kernel(), work.apply(next));
      return null;
    }

    private synchronized void handOn(String kernel, T result) {
      consumer.accept(result);
      if (++done % STEP == 0) console.progress("%d/%d %s".formatted(done, total, kernel));
    }
  }

  private List<KernelConfiguration> all() {
    Predicate<String> included = Set.copyOf(kernels())::contains;
    return Stream.of(defaults(included), Verification.configurations(registry, chip, included),
        Benchmark.configurations(registry, included, records()))
        .flatMap(List::stream).toList();
  }

  private List<KernelConfiguration> defaults(Predicate<String> included) {
    return registry.kernels().stream().filter(kernel -> included.test(kernel.name())).map(kernel ->
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
