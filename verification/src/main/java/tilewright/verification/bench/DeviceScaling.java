package tilewright.verification.bench;

import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.ops.Ops;
import tilewright.ops.collectives.CollectiveException;
import tilewright.ops.collectives.CollectiveOptions;
import tilewright.ops.collectives.Communicator;
import tilewright.ops.collectives.NcclProbe;

/**
 * Causal attention of one long sequence on several GPUs beside the same on one of them, in turns.
 *
 * @param nccl version
 * @param gpus how many
 */
public record DeviceScaling(String date, String gpu, String driver, String nccl, String commit, int gpus,
    List<Row> rows) {
  private static final List<Integer> TOKENS = List.of(1 << 16, 1 << 17);
  private static final int HEADS = 32;
  private static final int KEY_HEADS = 8;
  private static final int DIM = 128;
  private static final CollectiveOptions OPTIONS = CollectiveOptions.of().timeout(Duration.ofMinutes(1));
  /** The most that rounding partial outputs and the output to BF16 may change; outputs here are below one. */
  private static final double TOLERANCE = 0.02;

  /**
   * One sequence in one way.
   *
   * @param way by which keys and values reach the other GPUs
   * @param oneMs median time on one GPU
   * @param ms median time on all
   * @param speedup median of the turns' ratios
   * @param speedupSpread the 10th and the 90th percentile of the ratios
   * @param teraflops of all GPUs together
   * @param largestDifference between outputs of all GPUs and of one
   */
  public record Row(String kernel, String config, String way, double oneMs, double ms, double speedup,
      List<Double> speedupSpread, double teraflops, double largestDifference) {}

  /** @throws BenchmarkException when there are not as many GPUs, or no NCCL */
  public static DeviceScaling measure(int gpus, String commit) {
    var available = Benchmark.requireGpu();
    if (available.devices().size() < gpus) {
      throw new BenchmarkException("this machine has " + available.devices().size() + " GPUs, not " + gpus);
    }
    var nccl = switch (NcclProbe.ofThisMachine()) {
      case NcclProbe.Available(_, var version) -> version;
      case NcclProbe.Missing(var reason) -> throw new BenchmarkException(reason);
    };
    var devices = IntStream.range(0, gpus).mapToObj(Ops::gpu).toList();
    try {
      var ranks = Communicator.among(devices, OPTIONS);
      try {
        var timer = new ContextParallelTimer(ranks);
        var rows = new ArrayList<Row>();
        for (int tokens : TOKENS) rows.addAll(timer.rows(tokens, HEADS, KEY_HEADS, DIM));
        return new DeviceScaling(LocalDate.now(ZoneOffset.UTC).toString(), available.devices().getFirst().name(),
            available.driverVersion(), nccl, commit, gpus, rows);
      } finally {
        ranks.forEach(Communicator::close);
      }
    } catch (CollectiveException e) {
      throw new BenchmarkException(e.getMessage());
    } finally {
      devices.forEach(Ops::close);
    }
  }

  /** Whether all GPUs computed what one does. */
  public boolean sound() {
    return rows.stream().allMatch(row -> row.largestDifference < TOLERANCE);
  }
}
