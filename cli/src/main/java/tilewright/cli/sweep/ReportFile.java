package tilewright.cli.sweep;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;

/** The file that a verification's HTML report goes to. */
public final class ReportFile {
  private ReportFile() {}

  /**
   * Returns the file that was chosen, or {@code target/verify.html} beside the program.
   *
   * @throws CommandFailure if it cannot be written
   */
  public static Path of(Optional<Path> chosen) {
    var file = chosen.orElseGet(ReportFile::standard);
    AtomicFile.requireWritable(file);
    return file;
  }

  private static Path standard() {
    var file = Path.of(System.getProperty("tilewright.home", ""), "target", "verify.html");
    if (!Files.isDirectory(file.getParent()) && !file.getParent().toFile().mkdirs()) {
      throw CommandFailure.badFile(file, "its folder cannot be made; name another file with --report");
    }
    return file;
  }
}
