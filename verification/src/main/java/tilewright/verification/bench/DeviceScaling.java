package tilewright.verification.bench;

import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import tilewright.ops.Ops;
import tilewright.ops.collectives.CollectiveException;
import tilewright.ops.collectives.CollectiveOptions;
import tilewright.ops.collectives.Communicator;
import tilewright.ops.collectives.NcclProbe;

/**
 * Causal attention of one long sequence, its gradients and matrix multiplies on several GPUs,
 * beside the same on one of them, in turns.
 *
 * @param nccl version
 * @param versions of the libraries behind the peers
 * @param gpus how many
 * @param rows attention
 */
public record DeviceScaling(String date, String gpu, String driver, String nccl,
    Map<String, String> versions, String commit, int gpus, List<Row> rows, List<ProductRow> products,
    List<ExpertRow> experts) {
  /** All that can be measured. */
  public static final List<String> KERNELS = List.of("attention", "attention_backward", "gemm", "experts");
  static final String ATTENTION = KERNELS.get(0);
  static final String BACKWARD = KERNELS.get(1);
  static final String GEMM = KERNELS.get(2);
  static final String EXPERTS = KERNELS.get(3);
  private static final int HEADS = 32;
  private static final int KEY_HEADS = 8;
  private static final int DIM = 128;
  private static final CollectiveOptions OPTIONS = CollectiveOptions.of().timeout(Duration.ofMinutes(1));
  /** The most that rounding partial outputs and the output to BF16 may change; outputs here are below one. */
  private static final double TOLERANCE = 0.02;
  /** A matrix multiply of a model of 70 billion parameters. */
  private static final Product PRODUCT = new Product(8192, 8192, 28672);
  /** The most that rounding shares of gradients and of sums to BF16 may change, relative to results above one. */
  private static final double SHARES_TOLERANCE = 0.05;

  /** The extents of a matrix multiply. */
  record Product(int m, int n, int k) {}

  /**
   * The choice of what is measured.
   *
   * @param kernels of {@link #KERNELS}
   * @param tokens of the sequences on one GPU
   * @param scaling of the sequences on all
   * @param size M, N and K of the matrix multiply, instead of those of a large model
   * @param python of PyTorch, which takes turns with ours
   */
  public record Options(int gpus, List<String> kernels, List<Integer> tokens, Scaling scaling,
      Optional<Integer> size, Optional<String> python, String commit) {
    Product product() {
      return size.map(extent -> new Product(extent, extent, extent)).orElse(PRODUCT);
    }
  }

  /**
   * Times of peers in the rounds of ours.
   *
   * @param ms median time of a run by peer
   * @param ratio median of the rounds' ratios of the fastest peer's time to ours
   * @param spread the 10th and the 90th percentile of the ratios
   */
  public record PeerTimes(Map<String, Double> ms, double ratio, List<Double> spread) {
    static Optional<PeerTimes> of(Rounds rounds) {
      return rounds.ratios().map(ratios -> new PeerTimes(rounds.peers(), ratios.median(), ratios.spread()));
    }
  }

  /**
   * One sequence in one way.
   *
   * @param way by which keys and values reach the other GPUs
   * @param oneMs median time on one GPU
   * @param ms median time on all
   * @param speedup median of the turns' ratios, of equal work
   * @param speedupSpread the 10th and the 90th percentile of the ratios
   * @param teraflops of all GPUs together
   * @param largestDifference between results of all GPUs and of one, relative to results above one
   * @param peers in the same rounds
   */
  public record Row(String kernel, String config, String way, double oneMs, double ms, double speedup,
      List<Double> speedupSpread, double teraflops, double largestDifference, Optional<PeerTimes> peers) {}

  /**
   * One matrix multiply with a transfer.
   *
   * @param oneMs median time of the whole on one GPU
   * @param gemmMs median time of the GPUs' shares without transfers
   * @param ms median time with the transfers, overlapped
   * @param ncclMs median time with NCCL's collective before or after the product
   * @param ofGemm median of the turns' ratios of {@code gemmMs} to {@code ms}
   * @param ofGemmSpread the 10th and the 90th percentile of these
   * @param ofNccl median of the ratios of {@code ncclMs} to {@code ms}
   * @param speedup median of the ratios of {@code oneMs} to {@code ms}
   * @param teraflops of all GPUs together
   * @param largestDifference from the product on one GPU, relative to results above their standard deviation
   * @param peers in the same rounds
   */
  public record ProductRow(String kernel, String config, double oneMs, double gemmMs, double ms, double ncclMs,
      double ofGemm, List<Double> ofGemmSpread, double ofNccl, double speedup, double teraflops,
      double largestDifference, Optional<PeerTimes> peers) {}

  /**
   * Tokens that are sent to experts and come back.
   *
   * @param dispatchMs median time until all experts have their rows
   * @param combineMs median time until all tokens have their sums
   * @param dispatchGigabytes that leave each GPU in a second of the dispatch
   * @param combineGigabytes that leave each GPU in a second of the combination
   * @param largestDifference of sums where experts change nothing
   */
  public record ExpertRow(String kernel, String config, double dispatchMs, double combineMs, double dispatchGigabytes,
      double combineGigabytes, double largestDifference) {}

  /**
   * Measures the kernels one after the other.
   *
   * @param notes told what peers could not do
   * @throws BenchmarkException when there are not as many GPUs, no NCCL, or no Python
   */
  public static DeviceScaling measure(Options options, Consumer<String> notes) {
    int gpus = options.gpus;
    var available = Benchmark.requireGpu();
    if (available.devices().size() < gpus) {
      throw new BenchmarkException("this machine has " + available.devices().size() + " GPUs, not " + gpus);
    }
    var nccl = switch (NcclProbe.ofThisMachine()) {
      case NcclProbe.Available(_, var version) -> version;
      case NcclProbe.Missing(var reason) -> throw new BenchmarkException(reason);
    };
    var devices = IntStream.range(0, gpus).mapToObj(Ops::gpu).toList();
    try (var peers = options.python.map(python -> DevicePeers.start(python, gpus, notes))
        .orElseGet(DevicePeers::none)) {
      var versions = peers.versions();
      var ranks = Communicator.among(devices, OPTIONS);
      try {
        var rows = new ArrayList<Row>();
        if (options.kernels.contains(ATTENTION) || options.kernels.contains(BACKWARD)) {
          var timer = new ContextParallelTimer(ranks, peers, ContextParallelTimer.ROUNDS);
          for (int tokens : options.tokens) {
            rows.addAll(timer.rows(options.kernels, tokens, options.scaling, HEADS, KEY_HEADS, DIM));
          }
        }
        var products = options.kernels.contains(GEMM)
            ? new TensorParallelTimer(ranks, peers, TensorParallelTimer.ROUNDS, TensorParallelTimer.RUNS)
                .rows(options.product()) : List.<ProductRow>of();
        var experts = options.kernels.contains(EXPERTS) ? List.of(new ExpertTimer(ranks).row())
            : List.<ExpertRow>of();
        return new DeviceScaling(LocalDate.now(ZoneOffset.UTC).toString(), available.devices().getFirst().name(),
            available.driverVersion(), nccl, versions, options.commit, gpus, rows, products, experts);
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
    return rows.stream().allMatch(row ->
        row.largestDifference < (row.kernel.equals(BACKWARD) ? SHARES_TOLERANCE : TOLERANCE))
        && products.stream().allMatch(row -> row.largestDifference < SHARES_TOLERANCE)
        && experts.stream().allMatch(row -> row.largestDifference < TOLERANCE);
  }
}
