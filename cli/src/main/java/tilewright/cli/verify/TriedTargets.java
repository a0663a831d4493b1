package tilewright.cli.verify;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tilewright.kernel.Chip;

/**
 * The targets whose code has run on GPUs, and those of which it was only assembled and simulated.
 *
 * @param target as assemblers name it
 * @param chips on which the suite of tests has run
 */
record TriedTargets(String target, List<Chip> chips) {
  private static final List<TriedTargets> ALL = List.of(new TriedTargets("sm_80", List.of(Chip.H100, Chip.H200)),
      new TriedTargets("sm_90a", List.of(Chip.H100, Chip.H200)));

  /** The targets that ran on a GPU, and those of an assembler that never did. */
  static String of(List<String> assembled) {
    var tried = ALL.stream().map(t -> t.target + " on " + t.chips.stream().map(Chip::name)
        .collect(Collectors.joining(" and "))).collect(Collectors.joining(", "));
    var known = ALL.stream().map(TriedTargets::target).toList();
    var never = targets().filter(t -> !known.contains(t) && assembled.contains(t)).toList();
    return tried + (never.isEmpty() ? "" : "; never: " + String.join(", ", never));
  }

  /** Whether kernels have run on a GPU of that compute capability, times ten. */
  static boolean isTried(int capability) {
    return ALL.stream().flatMap(t -> t.chips.stream()).anyMatch(chip -> chip.capability() == capability);
  }

  /** The targets of the chips that the simulator stands for. */
  private static Stream<String> targets() {
    return Arrays.stream(Chip.values()).mapToInt(Chip::capability).distinct().sorted()
        .mapToObj(capability -> "sm_" + capability + (capability >= Chip.H100.capability() ? "a" : ""));
  }
}
