package tilewright.verification.bench;

import java.util.List;
import java.util.function.Consumer;
import tilewright.kernels.registry.KernelRegistry;

/**
 * The simulator's speed on one kernel after the other, each as a record of its own. A GEMM on tensor cores has no ratio
 * to the naive one here, as they take no turns.
 *
 * @param progress told what begins
 */
public record SimulatedRows(KernelRegistry registry, SimulatorBenchmark.Options options, Consumer<String> progress)
    implements RowMeasurement<SimulatorRecord> {
  @Override
  public String device() {
    return Processor.name();
  }

  @Override
  public List<String> keys() {
    return options.kernels().stream().distinct().toList();
  }

  @Override
  public SimulatorRecord measure(String kernel) {
    var one = new SimulatorBenchmark.Options(List.of(kernel), options.size(), options.commit());
    return SimulatorBenchmark.run(registry, one, progress);
  }

  @Override
  public void close() {}
}
