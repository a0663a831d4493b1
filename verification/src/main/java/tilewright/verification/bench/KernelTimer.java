package tilewright.verification.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import tilewright.device.BoundKernel;
import tilewright.device.DeviceMemory;
import tilewright.device.Gpu;
import tilewright.device.GpuTimer;
import tilewright.device.Stream;
import tilewright.kernels.registry.TimedProblem;

/**
 * Times one kernel, its tensors in turns. Runs too short for a pair of events around each are replayed as a graph of
 * many; a run's time is then the graph's over their number, gaps between kernels included.
 */
final class KernelTimer implements AutoCloseable {
  private static final int WARMUPS = 3;
  static final int RUNS = 8;
  private static final double SHORT_MS = 0.2;
  /** A run beside which loading the kernel is nothing. */
  private static final double LONG_MS = 200;
  private static final double GRAPH_MS = 2;
  private static final int MOST_IN_A_GRAPH = 500;
  private static final int MOST_WARMUPS = 10_000;

  private final Gpu gpu;
  private final Stream stream;
  private final List<Map<String, DeviceMemory>> sets;
  /** The launches on each set. */
  private final List<List<BoundKernel>> kernels;
  private final TimedProblem measured;
  /** Runs follow one another, so all sets share it. */
  private final Map<String, DeviceMemory> scratch = new HashMap<>();

  KernelTimer(Gpu gpu, Stream stream, TimedProblem measured, DeviceInputs inputs) {
    this.gpu = gpu;
    this.stream = stream;
    this.measured = measured;
    this.sets = inputs.allocate(measured);
    var launches = measured.launches().launches();
    var own = new ArrayList<>(measured.launches().workspace());
    launches.forEach(launch -> own.addAll(launch.scratch()));
    for (var part : own) {
      var memory = gpu.allocate(Math.max(1, part.bytes()));
      memory.fill((byte) 0);
      scratch.put(part.name(), memory);
    }
    sets.forEach(set -> set.putAll(scratch));
    kernels = sets.stream().map(set -> launches.stream().map(launch -> gpu.bind(launch, set)).toList()).toList();
    sets.forEach(set -> measured.before().forEach(launch -> gpu.bind(launch, set).launch(stream)));
  }

  /** Enqueues one run; those that rely on zeros have them set first. */
  private void run(int number) {
    int set = number % sets.size();
    for (var tensor : measured.tensors()) {
      if (tensor.content() instanceof TimedProblem.Content.Zeros) {
        sets.get(set).get(tensor.name()).fill((byte) 0, stream);
      }
    }
    kernels.get(set).forEach(kernel -> kernel.launch(stream));
  }

  /** Times runs, in milliseconds each, after as few as load the kernel. */
  List<Double> round() {
    return round(0);
  }

  /** Like {@link #round()}, after about {@code warmMs} milliseconds of untimed runs. */
  List<Double> round(int warmMs) {
    IntConsumer launch = this::run;
    var first = GpuTimer.times(gpu, stream, 0, 1, launch);
    if (first[0] >= LONG_MS) return Sample.of(first).times();
    int warmups = Math.clamp((long) Math.ceil(warmMs / first[0]), WARMUPS, MOST_WARMUPS);
    var direct = GpuTimer.times(gpu, stream, warmups, RUNS, launch);
    double once = Sample.of(direct).median();
    if (once >= SHORT_MS) return Sample.of(direct).times();
    int many = Math.clamp((long) Math.ceil(GRAPH_MS / once), sets.size(), MOST_IN_A_GRAPH);
    return Sample.of(GpuTimer.replayTimes(gpu, stream, many, RUNS, launch)).times();
  }

  @Override
  public void close() {
    sets.forEach(set -> set.values().forEach(DeviceMemory::close));
  }
}
