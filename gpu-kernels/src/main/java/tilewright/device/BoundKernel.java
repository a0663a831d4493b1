package tilewright.device;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import tilewright.ptx.Dim3;

/** A kernel with its launch shape and arguments, packed once, to launch often with little work for the host. */
public final class BoundKernel {
  /** What a {@code CUtensorMap} wants; more than any other argument does. */
  private static final long ALIGNMENT = 64;

  private final GpuFunction function;
  private final LaunchShape shape;
  private final List<KernelArgument> arguments;
  private final MemorySegment configuration;
  private final MemorySegment pointers;

  BoundKernel(GpuFunction function, LaunchShape shape, List<KernelArgument> arguments) {
    this.function = function;
    this.shape = shape;
    this.arguments = List.copyOf(arguments);
    var arena = Arena.ofAuto();
    this.configuration = configuration(shape, arena);
    this.pointers = pointers(this.arguments, arena);
  }

  /**
   * Enqueues one launch.
   *
   * @throws GpuException when the driver refuses it; a fault of the running kernel shows when the stream is waited for
   * @throws IllegalStateException when the module, the stream or an argument's memory is closed
   */
  public void launch(Stream stream) {
    function.module().enter();
    stream.enter();
    for (var argument : arguments) {
      if (argument instanceof KernelArgument.Address(var memory, _)) memory.enter();
    }
    configuration.set(JAVA_LONG, LaunchConfig.STREAM, stream.handle().value());
    var calls = function.gpu().calls();
    int result = calls.launchKernelEx(configuration, function.handle().value(), pointers);
    Driver.check(result, "cuLaunchKernelEx", this);
  }

  private static MemorySegment pointers(List<KernelArgument> arguments, Arena arena) {
    var pointers = arena.allocate(ADDRESS, Math.max(1, arguments.size()));
    for (int i = 0; i < arguments.size(); i++) {
      var bytes = arguments.get(i).bytes();
      var copy = arena.allocate(Math.max(1, bytes.length), ALIGNMENT).copyFrom(MemorySegment.ofArray(bytes));
      pointers.setAtIndex(ADDRESS, i, copy);
    }
    return pointers;
  }

  private static MemorySegment configuration(LaunchShape shape, Arena arena) {
    var configuration = arena.allocate(LaunchConfig.BYTES, Long.BYTES);
    set(configuration, LaunchConfig.GRID, shape.grid());
    set(configuration, LaunchConfig.BLOCK, shape.block());
    configuration.set(JAVA_INT, LaunchConfig.SHARED_BYTES, shape.dynamicSharedBytes());
    if (shape.cluster().size() > 1) {
      var attribute = arena.allocate(LaunchConfig.ATTRIBUTE_BYTES, Long.BYTES);
      attribute.set(JAVA_INT, 0, LaunchConfig.CLUSTER_DIMENSION);
      set(attribute, LaunchConfig.ATTRIBUTE_VALUE, shape.cluster());
      configuration.set(ADDRESS, LaunchConfig.ATTRIBUTES, attribute);
      configuration.set(JAVA_INT, LaunchConfig.ATTRIBUTE_COUNT, 1);
    }
    return configuration;
  }

  private static void set(MemorySegment target, long offset, Dim3 value) {
    target.set(JAVA_INT, offset, value.x());
    target.set(JAVA_INT, offset + 4, value.y());
    target.set(JAVA_INT, offset + 8, value.z());
  }

  @Override
  public String toString() {
    return "kernel '" + function.name() + "', " + shape + ", arguments " + arguments;
  }

  /** Offsets in {@code CUlaunchConfig} and {@code CUlaunchAttribute} (cuda.h, 64 bit). */
  private static final class LaunchConfig {
    static final long GRID = 0;
    static final long BLOCK = 12;
    static final long SHARED_BYTES = 24;
    static final long STREAM = 32;
    static final long ATTRIBUTES = 40;
    static final long ATTRIBUTE_COUNT = 48;
    static final long BYTES = 56;
    static final long ATTRIBUTE_VALUE = 8;
    static final long ATTRIBUTE_BYTES = 72;
    static final int CLUSTER_DIMENSION = 4;
  }
}
