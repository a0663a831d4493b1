package tilewright.simulator.machine;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchFeature;
import tilewright.ptx.LaunchGroup;
import tilewright.simulator.Finding;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.core.ClusterGrid;
import tilewright.simulator.core.Kernel;
import tilewright.simulator.sanitizer.Shadow;

/** How much of the JVM's memory a launch takes, so that one that takes too much is refused before it is begun. */
final class MemoryNeed {
  /** A shadow has 37 bytes at most for each word of 4: three accesses, and which bytes were written. */
  private static final long SHADOW_BYTES = 37;

  private MemoryNeed() {}

  /** The result that stops the launch, if it needs more memory than it may have. */
  static Optional<SimulationResult> excess(Kernel kernel, Launch launch, SimulatorOptions options) {
    return excess(launch.buffers().values(), variables(kernel), ctas(kernel, launch, options), options);
  }

  /** The result that stops launches of several devices, if they need more memory than they may have. */
  static Optional<SimulationResult> excess(List<Kernel> kernels, LaunchGroup group, SimulatorOptions options) {
    long variables = kernels.stream().mapToLong(MemoryNeed::variables).sum();
    long ctas = 0;
    for (int i = 0; i < kernels.size(); i++) {
      ctas += ctas(kernels.get(i), group.members().get(i).launch(), options);
    }
    return excess(group.buffers().values(), variables, ctas, options);
  }

  private static long variables(Kernel kernel) {
    return kernel.memory().variables().stream().mapToLong(Kernel.ModuleVariable::bytes).sum();
  }

  private static long ctas(Kernel kernel, Launch launch, SimulatorOptions options) {
    long active = launch.features().contains(LaunchFeature.COOPERATIVE) ? Long.MAX_VALUE
        : (long) options.threads() * ClusterGrid.of(kernel, launch).size();
    return Math.min(launch.grid().size(), active) * bytesOfCta(kernel, launch);
  }

  private static Optional<SimulationResult> excess(Collection<MemorySegment> segments, long variables, long ctas,
      SimulatorOptions options) {
    long buffers = segments.stream().mapToLong(MemorySegment::byteSize).sum();
    long shadows = options.sanitize() ? (buffers + variables) / Shadow.WORD * SHADOW_BYTES : 0;
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
