package tilewright.cli.verify;

import java.nio.file.Path;
import tilewright.cli.launch.LaunchFileWriter;
import tilewright.ptx.Launch;
import tilewright.verification.Row;

/** Launches that failed, each in a folder of its own that {@code sim} and {@code gpu} can replay. */
final class FailureDump {
  private final Path parent;
  private int failures;

  FailureDump(Path parent) {
    this.parent = parent;
  }

  /** Writes the launch as it was before it ran, and says where. */
  Path write(Row row, Launch launch) {
    failures++;
    var folder = parent.resolve("%02d-%s-%s".formatted(failures, row.kernel(), row.backend()));
    LaunchFileWriter.write(folder, launch);
    return folder;
  }
}
