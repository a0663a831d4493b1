package tilewright.cli.fuzz;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import tilewright.kernels.registry.KernelDescription;
import tilewright.simulator.fuzz.PtxFuzzer;
import tilewright.verification.RunKey;
import tilewright.verification.bench.RowMeasurement;

/** The runs of {@code fuzz}: each kernel with each seed. Equal keys are equal texts on every machine. */
final class FuzzRuns implements RowMeasurement<FuzzRow> {
  /** The numbers of a seed's texts. */
  static final int MOST_TEXTS = 1_000_000;
  private static final String BACKEND = "fuzz";

  private final SequencedMap<String, Run> runs = new LinkedHashMap<>();
  private final Map<String, KernelTexts> sources = new LinkedHashMap<>();
  private final int texts;
  private final Consumer<String> progress;

  private record Run(KernelDescription kernel, String config, long seed) {}

  /** @param progress told the key of each run that begins */
  FuzzRuns(List<KernelDescription> kernels, LongStream seeds, int texts, Consumer<String> progress) {
    this.texts = texts;
    this.progress = progress;
    seeds.forEach(seed -> kernels.forEach(kernel -> {
      var config = "texts=" + texts;
      var run = new Run(kernel, config, seed);
      runs.put(new RunKey(kernel.name(), arch(kernel), BACKEND, config, seed, 1).text(), run);
    }));
  }

  private static String arch(KernelDescription kernel) {
    return "sm" + kernel.target().capability();
  }

  /** Texts have one fate on all machines. */
  @Override
  public String device() {
    return "the simulator";
  }

  @Override
  public List<String> keys() {
    return List.copyOf(runs.keySet());
  }

  @Override
  public FuzzRow measure(String key) {
    progress.accept(key);
    var run = runs.get(key);
    var source = sources.computeIfAbsent(run.kernel.name(),
        _ -> new KernelTexts(run.kernel.prepare(run.kernel.defaults()).kernel().ptx()));
    var failures = new PtxFuzzer(source).run(run.seed * MOST_TEXTS, texts);
    return new FuzzRow(run.kernel.name(), arch(run.kernel), run.config, run.seed, texts, failures);
  }

  @Override
  public void close() {}
}
