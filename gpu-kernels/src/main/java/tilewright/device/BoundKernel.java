package tilewright.device;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import tilewright.device.driver.DriverFunction;
import tilewright.device.driver.GpuException;

/**
 * A kernel with its launch shape and arguments, packed once, to launch often with little work for the host and no
 * garbage. Any thread may launch it, one after the other.
 */
public final class BoundKernel {
  /** The alignment of a {@code CUtensorMap}, in bytes: the largest of any argument. */
  private static final long ALIGNMENT = 64;

  private final GpuFunction function;
  private final LaunchShape shape;
  private final List<KernelArgument> arguments;
  private final LaunchConfiguration configuration;
  private final MemorySegment[] values;
  private final DriverFunction launch;
  /** The call's own arguments, which a fresh array would make garbage. */
  private final long[] call;
  private DeviceMemory[] memories;

  BoundKernel(GpuFunction function, LaunchShape shape, List<KernelArgument> arguments) {
    this.function = function;
    this.shape = shape;
    this.arguments = new ArrayList<>(arguments);
    var arena = Arena.ofAuto();
    configuration = new LaunchConfiguration(shape, arena);
    values = new MemorySegment[arguments.size()];
    var pointers = arena.allocate(ADDRESS, Math.max(1, values.length));
    for (int i = 0; i < values.length; i++) {
      var bytes = arguments.get(i).bytes();
      values[i] = arena.allocate(bytes.length, ALIGNMENT).copyFrom(MemorySegment.ofArray(bytes));
      pointers.setAtIndex(ADDRESS, i, values[i]);
    }
    memories = memories(arguments);
    launch = function.gpu().driver().function("cuLaunchKernelEx", 4);
    call = new long[] {configuration.address(), function.handle(), pointers.address(), 0};
  }

  private static DeviceMemory[] memories(List<KernelArgument> arguments) {
    var memories = new LinkedHashSet<DeviceMemory>();
    arguments.forEach(argument -> memories.addAll(argument.memories()));
    return memories.toArray(DeviceMemory[]::new);
  }

  /**
   * Enqueues one launch.
   *
   * @throws GpuException when the driver refuses it; a fault of the running kernel shows when the stream is waited for
   * @throws IllegalStateException when the module, the stream or an argument's memory is closed
   */
  public synchronized void launch(Stream stream) {
    stream.enter();
    stream.use(function.module());
    for (var memory : memories) stream.use(memory);
    configuration.stream(stream.handle());
    function.gpu().driver().check(launch.call(call), "cuLaunchKernelEx", this);
  }

  /**
   * Gives one argument another value for the launches to come.
   *
   * @param index in the kernel's parameters, from 0
   * @throws IllegalArgumentException when the value has another size than the one before
   */
  public synchronized void set(int index, KernelArgument value) {
    var bytes = MemorySegment.ofArray(value.bytes());
    long size = values[index].byteSize();
    if (bytes.byteSize() != size) {
      throw new IllegalArgumentException("argument " + index + " of " + this + " has " + size
          + " bytes, but " + value + " has " + bytes.byteSize());
    }
    values[index].copyFrom(bytes);
    arguments.set(index, value);
    memories = memories(arguments);
  }

  @Override
  public String toString() {
    return "kernel '" + function.name() + "', " + shape + ", arguments " + arguments;
  }
}
