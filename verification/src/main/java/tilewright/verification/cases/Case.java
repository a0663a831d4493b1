package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;

/**
 * One kernel on one input, by one launch or several in a row.
 *
 * @param kernel the kernel's name in the catalogue
 * @param arch such as {@code sm80}
 * @param config extents, types and tile, in words
 * @param backends where it can run in reasonable time
 * @param price what it costs to trace, run and check, in estimated milliseconds of a core: {@link Price}
 * @param launches traces the kernel
 * @param inputs makes fresh buffers, outputs poisoned, always the same bytes
 * @param check compares the buffers after a run with the reference
 * @param ordered whether every run leaves the same bits; float sums that CTAs add to as they come do not
 */
public record Case(String kernel, String arch, String config, Set<String> backends, long price,
    Supplier<LaunchSequence> launches, Supplier<Map<String, MemorySegment>> inputs, Check check, boolean ordered) {

  /** A case of one launch whose runs all leave the same bits. */
  public Case(String kernel, String arch, String config, Set<String> backends, long price,
      Supplier<PreparedLaunch> launch, Supplier<Map<String, MemorySegment>> inputs, Check check) {
    this(kernel, arch, config, backends, price, () -> LaunchSequence.of(launch.get()), inputs, check, true);
  }

  /** Returns this case as one whose bits depend on the order of its CTAs. */
  public Case unordered() {
    return new Case(kernel, arch, config, backends, price, launches, inputs, check, false);
  }

  /** Returns this case as one of a form of the kernel that another architecture alone holds. */
  public Case on(String otherArch) {
    return new Case(kernel, otherArch, config + " on " + otherArch, backends, price, launches, inputs, check, ordered);
  }

  /** The comparison with the reference, by the design's error rule. */
  @FunctionalInterface
  public interface Check {
    /** @param architecture the compute capability times ten whose tensor-core arithmetic ran */
    Verdict compare(Map<String, MemorySegment> inputs, Map<String, MemorySegment> outputs, int architecture);
  }
}
