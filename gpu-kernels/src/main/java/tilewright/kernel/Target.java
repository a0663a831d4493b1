package tilewright.kernel;

import java.lang.module.ModuleDescriptor;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Pattern;
import tilewright.ptx.FamilyTarget;

/**
 * The architecture and the PTX ISA version that a kernel is compiled for.
 *
 * @param architecture as {@code .target} names it
 * @param version PTX ISA version; 8.0 where it suffices, because more assemblers take it
 */
public record Target(String architecture, String version) {
  public static final Target SM80 = new Target("sm_80", "8.0");
  /** The first with tensor cores for 8-bit floats; PTX ISA 8.4 has {@code mma} of them. */
  public static final Target SM89 = new Target("sm_89", "8.4");
  /** Target of Ampere's kernels that take as much shared memory as Hopper has. */
  public static final Target SM90 = new Target("sm_90", "8.0");
  public static final Target SM90A = new Target("sm_90a", "8.0");
  public static final Target SM100A = new Target("sm_100a", "8.8");
  /** B300's own: {@code tcgen05.ld.red}, and steps of 96 elements of 4 bits. */
  public static final Target SM103A = new Target("sm_103a", "8.8");
  public static final Target SM120 = new Target("sm_120", "8.7");
  /** The target of {@code mma} with block scales. */
  public static final Target SM120A = new Target("sm_120a", "8.7");
  private static final Pattern NAMED =
      Pattern.compile("\\.version\\s+(?<version>[0-9.]+)\\s+\\.target\\s+(?<target>sm_[0-9]+[af]?)");

  /**
   * Returns the target of kernels that convert 8-bit floats: SM89, the first with instructions for it, but on Hopper
   * Hopper's own, which assemblers of CUDA 12.0 take.
   *
   * @param capability of the GPU times ten
   */
  public static Target ofBytes(int capability) {
    return SM90A.runsOn(capability) ? SM90A : SM89;
  }

  /** The target that PTX text names, if it names one. */
  public static Optional<Target> of(String ptx) {
    var named = NAMED.matcher(ptx);
    return named.find() ? Optional.of(new Target(named.group("target"), named.group("version"))) : Optional.empty();
  }

  /** The target in the later of its PTX version and another. */
  Target atLeast(String other) {
    var order = Comparator.comparing(ModuleDescriptor.Version::parse);
    return order.compare(version, other) >= 0 ? this : new Target(architecture, other);
  }

  /** The compute capability times ten, such as 80. */
  public int capability() {
    return Integer.parseInt(architecture.replaceAll("\\D", ""));
  }

  /**
   * Whether a GPU runs such PTX: one of the same architecture or family, or a later one where nothing is specific to
   * it.
   *
   * @param capability the GPU's compute capability times ten
   */
  public boolean runsOn(int capability) {
    return architecture.endsWith("a") ? FamilyTarget.runs(capability(), capability) : capability >= capability();
  }

  /**
   * Why a GPU does not run such PTX, if it does not.
   *
   * @param capability the GPU's compute capability times ten
   * @param gpu the GPU in words
   */
  public Optional<String> refusal(int capability, String gpu) {
    return runsOn(capability) ? Optional.empty()
        : Optional.of("needs " + architecture + ", " + gpu + " is sm_" + capability);
  }
}
