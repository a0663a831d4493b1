package tilewright.cli.sweep;

import java.util.List;

/**
 * A command whose rows several machines measure in parts.
 *
 * @param name such as {@code bench}
 * @param commit of the program
 * @param arguments always the same ones for the same rows, without those of the sweep
 */
public record DividedCommand(String name, String commit, List<String> arguments) {
  public DividedCommand {
    arguments = List.copyOf(arguments);
  }
}
