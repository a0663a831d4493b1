package tilewright.verification.backend;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import tilewright.ptx.Launch;

/** A GPU and the simulator side by side on the same bytes; what they leave must be the same bytes. */
public final class TwinBackend implements Backend {
  public static final String NAME = "both";
  private final Backend gpu;
  private final long seed;

  private TwinBackend(Backend gpu, long seed) {
    this.gpu = gpu;
    this.seed = seed;
  }

  /** @param seed of the simulator's schedule */
  public static TwinBackend of(Backend gpu, long seed) {
    return new TwinBackend(gpu, seed);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Set<String> parts() {
    return Set.of("sim", "gpu");
  }

  @Override
  public Backend seeded(long other) {
    return new TwinBackend(gpu, other);
  }

  @Override
  public Optional<String> refuses(String arch) {
    return gpu.refuses(arch);
  }

  @Override
  public Outcome run(Launch launch) {
    var copies = new TreeMap<String, MemorySegment>();
    launch.buffers().forEach((name, buffer) -> copies.put(name, copy(buffer)));
    var outcome = gpu.run(launch);
    var simulated = SimulatorBackend.of(seed, outcome.architecture()).run(launch.on(copies));
    var findings = new ArrayList<>(outcome.findings());
    findings.addAll(simulated.findings());
    copies.forEach((name, ours) -> difference(name, ours, launch.buffers().get(name)).ifPresent(findings::add));
    return new Outcome(outcome.ms(), outcome.architecture(), List.copyOf(findings));
  }

  private static MemorySegment copy(MemorySegment buffer) {
    // A long array, so that every element is aligned.
    var words = new long[Math.toIntExact(Math.ceilDiv(buffer.byteSize(), Long.BYTES))];
    return MemorySegment.ofArray(words).asSlice(0, buffer.byteSize()).copyFrom(buffer);
  }

  private static Optional<String> difference(String name, MemorySegment simulated, MemorySegment gpu) {
    long first = simulated.mismatch(gpu);
    if (first < 0) return Optional.empty();
    long bytes = 0;
    for (long i = first; i < gpu.byteSize(); i++) if (at(simulated, i) != at(gpu, i)) bytes++;
    long word = first & -Integer.BYTES;
    return Optional.of("%s: %d of %d bytes differ, the first at %d: the GPU's word is %s, the simulator's %s".formatted(
        name, bytes, gpu.byteSize(), first, word(gpu, word), word(simulated, word)));
  }

  private static byte at(MemorySegment buffer, long i) {
    return buffer.get(ValueLayout.JAVA_BYTE, i);
  }

  private static String word(MemorySegment buffer, long at) {
    int word = 0;
    for (int k = 0; k < Integer.BYTES && at + k < buffer.byteSize(); k++) word |= (at(buffer, at + k) & 0xFF) << 8 * k;
    return "%08x".formatted(word);
  }

  @Override
  public void close() {
    gpu.close();
  }
}
