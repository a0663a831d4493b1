package tilewright.cli.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.InputFile;

/**
 * The folders to which the buffers of launches are written: one per launch, named after the launch's folder or, if the
 * launch file has a name of its own, after the file. Equal names are numbered from 2 on.
 */
final class LaunchOutputs {
  private final Path parent;
  private final Map<Path, String> names = new HashMap<>();

  LaunchOutputs(Path parent, List<Path> launches, Console console) {
    this.parent = parent;
    for (var launch : launches) {
      var name = nameOf(launch);
      var free = name;
      for (int number = 2; names.containsValue(free); number++) free = name + "-" + number;
      names.put(launch, free);
      if (!free.equals(name)) console.note("buffers of " + launch + " go to " + of(launch));
    }
  }

  /** The launch's folder. */
  Path of(Path launch) {
    return parent.resolve(names.get(launch));
  }

  /**
   * Writes each buffer as {@code NAME.bin} into the launch's folder, which is made if it is missing.
   *
   * @throws CommandFailure if that is the folder that the launch is in: its own files would be overwritten
   */
  Path write(LaunchFile file) {
    var folder = of(file.path());
    if (isSame(folder, file.path().toAbsolutePath().getParent())) {
      throw CommandFailure.badFile(folder, "is the launch's own folder, whose files --out would overwrite; name another");
    }
    LaunchFile.writeBuffers(folder, file.buffers());
    return folder;
  }

  private static boolean isSame(Path folder, Path other) {
    try {
      return Files.exists(folder) && Files.isSameFile(folder, other);
    } catch (IOException e) {
      throw CommandFailure.badFile(folder, "cannot be read: " + InputFile.reason(e));
    }
  }

  private static String nameOf(Path path) {
    var file = path.getFileName().toString();
    var folder = path.toAbsolutePath().normalize().getParent().getFileName();
    var name = file.equals(LaunchFile.NAME) && folder != null ? folder.toString() : file.replaceFirst("\\.json$", "");
    // "..json" would be the folder above.
    return name.isEmpty() || name.equals(".") || name.equals("..") ? "launch" : name;
  }
}
