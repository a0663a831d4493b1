package tilewright.verification.bench;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import tilewright.device.Gpu;
import tilewright.device.MemoryPool;
import tilewright.device.Stream;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.VectorAdd;

/**
 * Everything that can be opened, opened and closed for minutes: device, pinned and pooled memory, streams, events,
 * modules, graphs, launches with checked results. Nothing may grow.
 *
 * @param cycles how often
 * @param deviceBytes that the device had less at its worst in the second half of the run than in the first
 * @param residentBytes that this process had more on the host in the middle of the second half's samples (resident
 *     set), as one sample may see a compiler of the JVM at work, with 100 MB for a second
 * @param wrong results that were not those of the addition
 * @param samples in the course of the run, each after the JVM's heap has been collected and shrunk: what garbage waits
 *     in a heap is no growth
 */
public record Soak(String date, String gpu, String driver, String commit, double seconds, long cycles, long launches,
    long deviceBytes, long residentBytes, long wrong, List<Memory> samples) {
  private static final int ELEMENTS = 1 << 16;
  private static final int SAMPLES = 20;
  /** The allocator of the C library and the JVM's compilers keep on changing a little. */
  private static final long HOST_TOLERANCE = 16L << 20;

  public Soak {
    samples = List.copyOf(samples);
  }

  /** Bytes free on the device, used by this process on the host, and of those the Java objects that are alive. */
  public record Memory(long freeOnDevice, long residentOnHost, long heap) {
    static Memory sample(Gpu gpu, MemoryPool pool) {
      pool.trimTo(0);
      // The first collection finds what the second gives back: native memory of objects that are gone.
      System.gc();
      System.gc();
      long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
      return new Memory(gpu.freeBytes(), resident(), heap);
    }
  }

  /** Whether nothing grew and every result was right. */
  public boolean sound() {
    return wrong == 0 && deviceBytes <= 0 && residentBytes <= HOST_TOLERANCE;
  }

  /** @throws BenchmarkException when there is no GPU */
  public static Soak run(double seconds, String commit, Consumer<String> progress) {
    var available = Benchmark.requireGpu();
    try (var gpu = Gpu.open(0); var pool = gpu.memoryPool(0)) {
      var cycle = new Cycle(gpu, pool);
      var samples = new ArrayList<Memory>();
      long begin = System.nanoTime();
      long cycles = 0;
      long wrong = 0;
      while (samples.size() <= SAMPLES) {
        double elapsed = (System.nanoTime() - begin) * 1e-9;
        if (elapsed >= seconds * samples.size() / SAMPLES) {
          samples.add(Memory.sample(gpu, pool));
          progress.accept("%.0f of %.0f s, %d cycles".formatted(elapsed, seconds, cycles));
        }
        wrong += cycle.run(cycles++);
      }
      // The first samples are of the start: compiled code, the driver's own pools.
      var first = samples.subList(2, SAMPLES / 2);
      var last = samples.subList(SAMPLES / 2, samples.size());
      return new Soak(LocalDate.now(ZoneOffset.UTC).toString(), gpu.properties().name(), available.driverVersion(),
          commit, (System.nanoTime() - begin) * 1e-9, cycles, cycles * Cycle.LAUNCHES,
          leastFree(first) - leastFree(last), usuallyResident(last) - usuallyResident(first), wrong, samples);
    }
  }

  private static long leastFree(List<Memory> samples) {
    return samples.stream().mapToLong(Memory::freeOnDevice).min().orElseThrow();
  }

  private static long usuallyResident(List<Memory> samples) {
    return samples.stream().map(Memory::residentOnHost).sorted().toList().get(samples.size() / 2);
  }

  private static long resident() {
    try (var lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines.filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).findFirst().orElse(0) << 10;
    } catch (IOException _) {
      return 0;
    }
  }

  private static final class Cycle {
    static final int LAUNCHES = 3;

    private final Gpu gpu;
    private final MemoryPool pool;
    private final PreparedLaunch addition = VectorAdd.prepare(ELEMENTS);
    private final String ptx = addition.kernel().ptx();

    Cycle(Gpu gpu, MemoryPool pool) {
      this.gpu = gpu;
      this.pool = pool;
    }

    /** Z = X + Y directly and twice by a graph; returns how many elements are wrong. */
    long run(long number) {
      float value = number % 1000;
      try (var stream = gpu.independentStream(0); var module = gpu.load(ptx); var done = gpu.event();
          var host = gpu.allocateHost(Float.BYTES * ELEMENTS); var x = gpu.allocate(Float.BYTES * ELEMENTS);
          var y = pool.allocate(Float.BYTES * ELEMENTS, stream);
          var z = pool.allocate(Float.BYTES * ELEMENTS, stream)) {
        fill(host.segment(), value);
        x.copyFrom(host, stream);
        y.copyFrom(host, stream);
        var kernel = gpu.bind(module.function(addition.kernel().name()), addition, Map.of("X", x, "Y", y, "Z", z));
        kernel.launch(stream);
        replayTwice(stream, () -> kernel.launch(stream));
        z.copyTo(host, stream);
        done.record(stream);
        done.synchronize();
        return wrong(host.segment(), 2 * value);
      }
    }

    private static void replayTwice(Stream stream, Runnable launch) {
      try (var graph = stream.capture(launch)) {
        graph.launch(stream);
        graph.launch(stream);
        stream.synchronize();
      }
    }

    private static void fill(MemorySegment segment, float value) {
      for (int i = 0; i < ELEMENTS; i++) segment.setAtIndex(ValueLayout.JAVA_FLOAT, i, value + i);
    }

    private static long wrong(MemorySegment segment, float value) {
      long wrong = 0;
      for (int i = 0; i < ELEMENTS; i++) {
        if (segment.getAtIndex(ValueLayout.JAVA_FLOAT, i) != value + 2f * i) wrong++;
      }
      return wrong;
    }
  }
}
