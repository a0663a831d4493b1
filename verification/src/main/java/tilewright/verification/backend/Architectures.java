package tilewright.verification.backend;

import java.util.Optional;
import tilewright.ptx.FamilyTarget;

/** Which GPUs run the kernels for an architecture. */
final class Architectures {
  private Architectures() {}

  /**
   * Returns why a GPU does not run kernels, if it does not.
   *
   * @param arch what the kernels need, such as {@code sm90}
   * @param capability the GPU's compute capability times ten
   * @param gpu the GPU in words
   */
  static Optional<String> refusal(String arch, int capability, String gpu) {
    boolean runs = switch (arch) {
      case "sm89" -> capability >= 89;
      case "sm90" -> capability == 90;
      case "sm100" -> FamilyTarget.runs(100, capability);
      case "sm120" -> capability == 120;
      default -> capability >= 80;
    };
    return runs ? Optional.empty() : Optional.of("needs " + arch + ", " + gpu + " is sm" + capability);
  }
}
