package tilewright.cli.sweep;

import java.util.Objects;
import java.util.Optional;

/**
 * What results must share to stand in one report.
 *
 * @param command such as {@code bench}
 * @param commit of the program
 * @param device the name of the GPU, or of the simulator's processor, for a command that measures
 */
record SweepSource(String command, String commit, Optional<String> device) {
  SweepSource {
    Objects.requireNonNull(command);
    Objects.requireNonNull(commit);
  }

  /** Returns the first difference of another source, as in {@code "commit 0123"}; nothing where they are equal. */
  Optional<Difference> difference(SweepSource other) {
    if (!command.equals(other.command)) return Difference.of("the command ", command, other.command);
    if (!commit.equals(other.commit)) return Difference.of("commit ", commit, other.commit);
    if (device.equals(other.device)) return Optional.empty();
    return Difference.of("", device.orElse("any device"), other.device.orElse("any device"));
  }

  /** Two facts that should be one. */
  record Difference(String here, String there) {
    private static Optional<Difference> of(String name, String here, String there) {
      return Optional.of(new Difference(name + here, name + there));
    }
  }
}
