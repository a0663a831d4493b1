package tilewright.cli.cuda;

import java.nio.file.Path;
import java.util.Optional;
import tilewright.simulator.SimulatorOptions;

/**
 * How a program's launches are watched.
 *
 * @param only a part of the names of the kernels that are watched; others run without the sanitizer, unrecorded
 * @param record the folder that launches are written to
 */
record Watching(SimulatorOptions options, Optional<String> only, Optional<Path> record) {
  static Watching everything(SimulatorOptions options) {
    return new Watching(options, Optional.empty(), Optional.empty());
  }

  boolean watches(String kernel) {
    return only.isEmpty() || kernel.contains(only.get());
  }

  /** The options for a launch of that kernel. */
  SimulatorOptions optionsFor(String kernel) {
    return watches(kernel) ? options : options.withSanitizer(false);
  }

  /** With the architecture of a device. */
  Watching on(int architecture) {
    return new Watching(options.withArchitecture(architecture), only, record);
  }
}
