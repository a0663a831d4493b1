package tilewright.simulator.machine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchFeature;
import tilewright.simulator.Finding;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.core.ClusterGrid;
import tilewright.simulator.core.Kernel;
import tilewright.simulator.sanitizer.Shadow;

/** How much of the JVM's memory a launch takes, so that one that takes too much is refused before it is begun. */
final class MemoryNeed {
  /** A shadow has 37 bytes for each word of 4. */
  private static final long SHADOW_BYTES = 37;

  private MemoryNeed() {}

  /** The result that stops the launch, if it needs more memory than it may have. */
  static Optional<SimulationResult> excess(Kernel kernel, Launch launch, SimulatorOptions options) {
    long buffers = launch.buffers().values().stream().mapToLong(b -> b.byteSize()).sum();
    long variables = kernel.memory().variables().stream().mapToLong(Kernel.ModuleVariable::bytes).sum();
    long shadows = options.sanitize() ? (buffers + variables) / Shadow.WORD * SHADOW_BYTES : 0;
    long active = launch.features().contains(LaunchFeature.COOPERATIVE) ? Long.MAX_VALUE
        : (long) options.threads() * ClusterGrid.of(kernel, launch).size();
    long ctas = Math.min(launch.grid().size(), active) * bytesOfCta(kernel, launch);
    long need = buffers + variables + shadows + ctas;
    if (need <= options.memoryLimit()) return Optional.empty();
    return Optional.of(stopped("not begun: it needs about " + need + " bytes (buffers " + buffers
        + ", variables of the module " + variables + ", the sanitizer's shadows of them " + shadows
        + ", blocks under way " + ctas + "), the memory limit is " + options.memoryLimit()));
  }

  private static long bytesOfCta(Kernel kernel, Launch launch) {
    var arrays = kernel.registers();
    long registers = 4L * (arrays.ints() + arrays.floats()) + 8L * (arrays.longs() + arrays.doubles());
    return kernel.memory().staticSharedBytes() + launch.dynamicSharedBytes()
        + launch.block().size() * (registers + kernel.memory().localBytes());
  }

  /** A launch that the JVM's memory could not hold after all. */
  static SimulationResult exhausted() {
    return stopped("stopped: the JVM's memory of " + Runtime.getRuntime().maxMemory() + " bytes is used up");
  }

  private static SimulationResult stopped(String message) {
    var kind = Finding.Kind.MEMORY_LIMIT;
    var none = new Dim3(0, 0, 0);
    var finding = new Finding(kind, message, kind.fix(), 0, "", "", none, none, 0, Optional.empty(), 1);
    return new SimulationResult(List.of(finding), 0, Duration.ZERO, List.of(), List.of(), Optional.empty());
  }
}
