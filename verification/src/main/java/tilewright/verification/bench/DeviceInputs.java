package tilewright.verification.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import tilewright.device.DeviceMemory;
import tilewright.device.Gpu;
import tilewright.device.Stream;
import tilewright.kernels.registry.TimedProblem;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.TensorView;

/**
 * Sets of tensors on a GPU, together far larger than its cache, so that runs in turn never find their own inputs there.
 * Values repeat after a few million elements: what is drawn once per type fills every tensor.
 */
final class DeviceInputs {
  private static final long SEED = 1;
  private static final int PATTERN_ELEMENTS = 1 << 22;
  private static final long LEAST_BYTES = 256L << 20;
  /** A cache keeps some of what was used long ago; by four times its size nothing is left. */
  private static final int CACHES = 4;
  private static final int MOST_SETS = 64;
  private static final int FOUR = 4;

  private final Gpu gpu;
  private final Stream stream;
  private final Arena arena = Arena.ofAuto();
  private final Map<Drawn, MemorySegment> patterns = new HashMap<>();

  private record Drawn(ElementType type, TimedProblem.Content content) {}

  DeviceInputs(Gpu gpu, Stream stream) {
    this.gpu = gpu;
    this.stream = stream;
  }

  /** The number of input sets of {@code footprint} bytes that together are several times the cache. */
  static int sets(long footprint, long cacheBytes) {
    long together = Math.max(LEAST_BYTES, CACHES * cacheBytes);
    return Math.clamp(Math.ceilDiv(together, Math.max(1, footprint)), 1, MOST_SETS);
  }

  /** New sets by the tensors' names, to be closed by the caller. */
  List<Map<String, DeviceMemory>> allocate(TimedProblem measured) {
    var sets = new ArrayList<Map<String, DeviceMemory>>();
    for (int i = 0; i < sets(measured.footprint(), gpu.properties().l2Bytes()); i++) {
      var set = new HashMap<String, DeviceMemory>();
      for (var tensor : measured.tensors()) set.put(tensor.name(), filled(tensor));
      sets.add(set);
    }
    return sets;
  }

  private DeviceMemory filled(TimedProblem.Tensor tensor) {
    var memory = gpu.allocate(tensor.bytes());
    switch (tensor.content()) {
      case TimedProblem.Content.Undefined _ -> memory.fill((byte) 0xFF);
      case TimedProblem.Content.Zeros _ -> memory.fill((byte) 0);
      default -> {
        var pattern = patterns.computeIfAbsent(new Drawn(tensor.type(), tensor.content()), this::draw);
        memory.copyFrom(pattern.asSlice(0, Math.min(pattern.byteSize(), memory.byteSize())));
        repeat(memory, pattern.byteSize());
      }
    }
    return memory;
  }

  /** Fills memory with what its first bytes hold, doubling what is there: by the device, which is far faster. */
  private void repeat(DeviceMemory memory, long there) {
    for (long done = there; done < memory.byteSize(); done *= 2) {
      long bytes = Math.min(done, memory.byteSize() - done);
      try (var from = gpu.foreignMemory(memory.address(), bytes);
          var to = gpu.foreignMemory(memory.address() + done, bytes)) {
        to.copyFrom(from, stream);
      }
    }
    stream.synchronize();
  }

  private MemorySegment draw(Drawn drawn) {
    var segment = arena.allocate((long) PATTERN_ELEMENTS * drawn.type.bytes(), 256);
    var view = new TensorView(drawn.type, segment, Layout.of(PATTERN_ELEMENTS, 1));
    var random = new SplittableRandom(SEED);
    for (long i = 0; i < PATTERN_ELEMENTS; i++) {
      view.set(i, switch (drawn.content) {
        case TimedProblem.Content.Normal(double deviation) -> deviation * random.nextGaussian();
        case TimedProblem.Content.Indices(long bound) -> random.nextLong(bound);
        case TimedProblem.Content.Ranges(long each) -> (double) (i / each);
        case TimedProblem.Content.Given(List<Integer> values) -> i < values.size() ? values.get((int) i) : 0;
        case TimedProblem.Content.Same(double value) -> value;
        case TimedProblem.Content.Fours(List<Integer> values) -> fours(values, random);
        case TimedProblem.Content.Zeros _, TimedProblem.Content.Undefined _ -> 0;
      });
    }
    return segment;
  }

  private static int fours(List<Integer> values, SplittableRandom random) {
    int word = 0;
    for (int bit = 0; bit < Integer.SIZE; bit += FOUR) word |= values.get(random.nextInt(values.size())) << bit;
    return word;
  }
}
