package tilewright.verification;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tilewright.device.DeviceMemory;
import tilewright.device.Gpu;
import tilewright.device.GpuProbe;
import tilewright.device.GpuTimer;
import tilewright.device.KernelArgument;
import tilewright.device.LaunchShape;
import tilewright.device.Stream;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Gemm;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;

/** Times the SM80 GEMM on this machine's GPU, beside cuBLAS where a Python with PyTorch is at hand, in turns. */
public final class GemmBenchmark {
  private static final int WARMUPS = 5;
  private static final int RUNS = 20;
  private static final int ROUNDS = 3;
  /** More than any L2, so that no run finds its inputs there. */
  private static final long ROTATED_BYTES = 256L << 20;
  /** Dense tensor-core rate for 16-bit operands by NVIDIA's data sheet, TFLOP/s. */
  private static final Map<String, Double> DATA_SHEET = Map.of("NVIDIA H200", 989.0, "NVIDIA H100", 989.0,
      "NVIDIA A100", 312.0);

  private GemmBenchmark() {}

  /**
   * What to measure: square problems of that size, in every operand order, of bf16.
   *
   * @param python the peers' interpreter; without one ours is measured alone
   * @param commit of the sources, for the record
   */
  public record Options(int size, Optional<String> python, String commit) {}

  /** @throws BenchmarkException when there is no GPU, or the peers cannot be measured */
  public static BenchmarkRecord run(Options options, Consumer<String> progress) {
    if (!(Gpu.probe() instanceof GpuProbe.Available available)) {
      throw new BenchmarkException("no GPU to measure on: " + ((GpuProbe.Missing) Gpu.probe()).reason());
    }
    try (var gpu = Gpu.open(0); var stream = gpu.stream()) {
      var peers = options.python().map(Peers::start);
      try {
        progress.accept("inputs");
        var inputs = inputs(gpu, options.size());
        var rows = new ArrayList<BenchmarkRecord.Row>();
        for (var output : List.of(ElementType.F32, ElementType.BF16)) {
          for (var order : List.of("TN", "NN", "TT", "NT")) {
            var problem = GemmProblem.packed(ElementType.BF16, output, options.size(), options.size(), options.size(),
                1, order);
            progress.accept("sm80_gemm " + order + " -> " + output.text());
            rows.add(measure(gpu, stream, problem, order, inputs, peers));
          }
        }
        var versions = peers.map(Peers::versions).orElse(Map.of());
        return new BenchmarkRecord(LocalDate.now(ZoneOffset.UTC).toString(), gpu.properties().name(),
            available.driverVersion(), versions, options.commit(), rows);
      } finally {
        peers.ifPresent(Peers::close);
      }
    }
  }

  /** Sets of square operands and results, the same bytes for every operand order. */
  private static List<Map<String, DeviceMemory>> inputs(Gpu gpu, int size) {
    long elements = (long) size * size;
    long bytes = elements * (2L * ElementType.BF16.bytes() + ElementType.F32.bytes());
    var sets = new ArrayList<Map<String, DeviceMemory>>();
    for (int set = 0; set < Math.ceilDiv(ROTATED_BYTES, bytes); set++) {
      sets.add(Map.of("A", normal(gpu, elements, 2L * set), "B", normal(gpu, elements, 2L * set + 1),
          "C", gpu.allocate(elements * ElementType.F32.bytes())));
    }
    return sets;
  }

  private static DeviceMemory normal(Gpu gpu, long elements, long seed) {
    var memory = gpu.allocate(elements * ElementType.BF16.bytes());
    memory.copyFrom(Buffers.normal(ElementType.BF16, elements, seed));
    return memory;
  }

  private static BenchmarkRecord.Row measure(Gpu gpu, Stream stream, GemmProblem p, String order,
      List<Map<String, DeviceMemory>> inputs, Optional<Peers> peers) {
    var launch = Gemm.sm80(p);
    double operations = 2.0 * p.m() * p.n() * p.k();
    try (var module = gpu.load(launch.kernel().ptx())) {
      var function = module.function(launch.kernel().name());
      var bound = inputs.stream().map(set -> function.bind(shape(launch), arguments(launch, set))).toList();
      var times = new double[ROUNDS];
      var peerRates = new double[ROUNDS];
      for (int round = 0; round < ROUNDS; round++) {
        times[round] = GpuTimer.measure(gpu, stream, WARMUPS, RUNS, i -> bound.get(i % bound.size()).launch(stream))
            .median();
        int now = round;
        peers.ifPresent(peer ->
            peerRates[now] = peer.gemm(p.m(), p.n(), p.k(), p.operand().text(), order.charAt(0) == 'N',
            order.charAt(1) == 'N', WARMUPS, RUNS));
      }
      double ms = median(times);
      double ours = operations / ms * 1e-9;
      var floor = Optional.ofNullable(DATA_SHEET.get(gpu.properties().name()));
      Map<String, Double> rates = peers.isPresent() ? Map.of("cublas", median(peerRates)) : Map.of();
      return new BenchmarkRecord.Row("sm80_gemm", "sm80", p.m() + "x" + p.n() + "x" + p.k() + " " + Gemm.configure(p),
          "TFLOP/s", ours, ms, floor, rates, rates.values().stream().max(Double::compare).map(best -> ours / best));
    }
  }

  private static double median(double[] values) {
    var sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static LaunchShape shape(PreparedLaunch launch) {
    return new LaunchShape(launch.grid(), launch.kernel().block(), Dim3.ONE, launch.kernel().dynamicSharedBytes());
  }

  private static List<KernelArgument> arguments(PreparedLaunch launch, Map<String, DeviceMemory> buffers) {
    return launch.arguments().stream().map(argument -> switch (argument) {
      case Launch.Argument.Buffer(var name, long offset) -> new KernelArgument.Address(buffers.get(name), offset);
      case Launch.Argument.Scalar(var type, long bits) -> new KernelArgument.Value(type, bits);
      case Launch.Argument.Struct _, Launch.Argument.TensorMapOf _ ->
          throw new IllegalStateException("GEMM has neither structs nor tensor maps as arguments");
    }).<KernelArgument>map(a -> a).toList();
  }
}
