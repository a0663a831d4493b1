package tilewright.verification.bench;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tilewright.device.Gpu;
import tilewright.device.GpuTimer;
import tilewright.device.KernelArgument;
import tilewright.device.LaunchShape;
import tilewright.device.Stream;
import tilewright.kernels.registry.TimedProblem;
import tilewright.ptx.Dim3;

/**
 * The peak rates of a GPU, measured with kernels that do nothing else. A kernel's floor follows from them.
 *
 * @param rates by name: {@link #COPY} in TB/s read and written together, arithmetic in TFLOP/s
 */
record Limits(Map<String, Double> rates) {
  /** The driver's copy from device memory to device memory. */
  static final String COPY = "copy";

  private static final long COPIED_BYTES = 1L << 30;
  private static final int WARMUPS = 3;
  private static final int RUNS = 20;
  /** Some milliseconds: long enough for the clock to settle. */
  private static final double PEAK_OPERATIONS = 1e12;

  Limits {
    rates = Map.copyOf(rates);
  }

  static Limits measure(Gpu gpu, Stream stream) {
    var rates = new HashMap<String, Double>();
    rates.put(COPY, copy(gpu, stream));
    for (var peak : PeakKernel.values()) {
      if (peak.runsOn(gpu.properties().capability())) rates.merge(peak.limit(), rate(gpu, stream, peak), Math::max);
    }
    return new Limits(rates);
  }

  private static double copy(Gpu gpu, Stream stream) {
    try (var from = gpu.allocate(COPIED_BYTES); var to = gpu.allocate(COPIED_BYTES)) {
      from.fill((byte) 1);
      double ms = Sample.of(GpuTimer.times(gpu, stream, WARMUPS, RUNS, _ -> to.copyFrom(from, stream))).median();
      return 2.0 * COPIED_BYTES / ms * 1e-9;
    }
  }

  private static double rate(Gpu gpu, Stream stream, PeakKernel peak) {
    long blocks = (long) peak.blocksPerMultiprocessor() * gpu.properties().multiprocessors();
    int iterations = (int) Math.max(1, PEAK_OPERATIONS / (peak.operations() * blocks));
    try (var out = gpu.allocate(Float.BYTES)) {
      var shape = LaunchShape.of(Dim3.of(Math.toIntExact(blocks)), Dim3.of(peak.threads()));
      var kernel = gpu.kernel(peak.ptx(), PeakKernel.ENTRY)
          .bind(shape, List.of(KernelArgument.of(out), KernelArgument.u32(iterations)));
      double ms = Sample.of(GpuTimer.times(gpu, stream, WARMUPS, RUNS, _ -> kernel.launch(stream))).median();
      return peak.operations() * blocks * iterations / ms * 1e-9;
    }
  }

  /** The least milliseconds that a kernel's work takes, or NaN where its arithmetic was not measured. */
  double floorMs(TimedProblem measured) {
    double moving = measured.bytes() / rates.get(COPY) * 1e-9;
    if (measured.operations() == 0) return moving;
    var ptx = measured.launches().launches().stream().map(launch -> launch.kernel().ptx())
        .collect(Collectors.joining());
    var rate = rates.get(arithmetic(ptx));
    // Operations are those of dense products, of which a sparse A saves the half that are of zeros.
    double saved = ptx.contains("wgmma.mma_async.sp.") ? 2 : 1;
    return rate == null ? Double.NaN : Math.max(moving, measured.operations() / (saved * rate) * 1e-9);
  }

  /** The limit that holds for kernels, by the instructions that they have. */
  static String arithmetic(String ptx) {
    if (!ptx.contains("mma")) return "f32";
    if (ptx.contains(".f32.e4m3.") || ptx.contains(".f32.e5m2.")) return "fp8";
    if (ptx.contains(".s32.s8.")) return "i8";
    return ptx.contains(".tf32") ? "tf32" : "bf16";
  }
}
