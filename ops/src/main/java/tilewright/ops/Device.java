package tilewright.ops;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuException;
import tilewright.kernel.Kernel;
import tilewright.kernel.PreparedLaunch;
import tilewright.simulator.Finding;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/** The machine that runs a kernel: the simulator or a GPU. */
public sealed interface Device {

  /** Returns the simulator, which runs anywhere and can say what is wrong with a kernel. */
  static Device simulator() {
    return new Simulated();
  }

  /** Returns the first GPU of this machine, which is opened for each run. */
  static Device gpu() {
    return new FirstGpu();
  }

  /** Returns a GPU that the caller has opened and will close. */
  static Device of(Gpu gpu) {
    return new OpenGpu(gpu);
  }

  /** Returns the call of a kernel, to be given its tensors. */
  default KernelCall kernel(Kernel kernel) {
    return KernelCall.of(this, kernel);
  }

  /** Returns the call of a launch that a library has prepared, to be given its buffers. */
  default KernelCall launch(PreparedLaunch launch) {
    return KernelCall.of(this, launch);
  }

  /** Returns {@code the simulator} or the GPU's name. */
  @Override
  String toString();

  /**
   * Runs a launch, which changes the buffers in place.
   *
   * @param outputs buffers whose first contents mean nothing
   */
  Outcome run(PreparedLaunch launch, Map<String, MemorySegment> buffers, Set<String> outputs, Settings settings);

  /** How the simulator runs; a GPU takes no notice. */
  record Settings(boolean sanitize, long seed) {}

  /**
   * The outcome besides the buffers.
   *
   * @param ms wall time in the simulator, device time on a GPU
   */
  record Outcome(List<Finding> findings, String printed, double ms) {}

  /** The simulator. */
  record Simulated() implements Device {
    @Override
    public Outcome run(PreparedLaunch launch, Map<String, MemorySegment> buffers, Set<String> outputs,
        Settings settings) {
      var printed = new StringBuffer();
      var options = SimulatorOptions.defaults().withSanitizer(settings.sanitize).withSeed(settings.seed)
          .withUninitialized(outputs).withCoordinates(TensorCoordinates.of(launch)).withOutput(printed::append);
      var result = Simulator.run(launch.on(buffers), options);
      return new Outcome(result.findings(), printed.toString(), result.time().toNanos() / 1e6);
    }

    @Override
    public String toString() {
      return "the simulator";
    }
  }

  /**
   * The first GPU.
   *
   * <p>What kernels print goes to the process's standard output.
   */
  record FirstGpu() implements Device {
    /** @throws GpuException when there is none, or the launch fails */
    @Override
    public Outcome run(PreparedLaunch launch, Map<String, MemorySegment> buffers, Set<String> outputs,
        Settings settings) {
      try (var gpu = Gpu.open(0)) {
        return new OpenGpu(gpu).run(launch, buffers, outputs, settings);
      }
    }

    @Override
    public String toString() {
      return "GPU 0";
    }
  }

  /** A GPU that stays open. */
  record OpenGpu(Gpu gpu) implements Device {
    @Override
    public Outcome run(PreparedLaunch launch, Map<String, MemorySegment> buffers, Set<String> outputs,
        Settings settings) {
      return new Outcome(List.of(), "", gpu.run(launch.on(buffers)));
    }

    @Override
    public String toString() {
      return gpu.toString();
    }
  }
}
