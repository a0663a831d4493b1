package tilewright.verification.backend;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import tilewright.kernel.CompiledKernel;
import tilewright.ptx.Launch;
import tilewright.simulator.Coordinates;

/** Something that executes a launch. */
public interface Backend extends AutoCloseable {

  /** {@code sim}, {@code gpu} or {@code both}. */
  String name();

  /** The backends that a run involves: {@code sim}, {@code gpu} or both. */
  default Set<String> parts() {
    return Set.of(name());
  }

  /** Returns why a kernel for that target cannot run here, if it cannot. */
  Optional<String> refuses(String arch);

  /** Returns why a kernel does not fit the GPU that is stood for, if it does not. */
  default Optional<String> refuses(CompiledKernel kernel) {
    return Optional.empty();
  }

  /** Executes the launch on its buffers, in place. */
  Outcome run(Launch launch);

  /** Like {@link #run(Launch)}, with the coordinates of the buffers' elements for reports. */
  default Outcome run(Launch launch, Map<String, Coordinates> elements) {
    return run(launch);
  }

  /** Returns this backend with another seed for its schedule, if it has a schedule. */
  default Backend seeded(long seed) {
    return this;
  }

  @Override
  void close();

  /**
   * The result of a run besides its buffers.
   *
   * @param architecture the compute capability times ten whose tensor-core arithmetic ran
   * @param findings one line each; empty for a clean run
   */
  record Outcome(double ms, int architecture, List<String> findings) {

    /** The result of this run and a further one. */
    public Outcome then(Outcome next) {
      return new Outcome(ms + next.ms, Math.max(architecture, next.architecture),
          Stream.of(findings, next.findings).flatMap(List::stream).toList());
    }
  }
}
