package tilewright.cli.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.InputFile;

/**
 * The files that a {@code launch.json} names. Such a file may come from anybody, so it reaches only what lies in its
 * own folder or below, links resolved, unless the user allows more.
 *
 * @param anywhere whether the launch may name files of other folders too
 */
record LaunchInputs(Path launch, boolean anywhere) {
  private static final String OUTSIDE =
      ", which lies outside the launch file's folder; move it there, or say --allow-outside if you trust the launch";

  /**
   * @param where the field that names the file
   * @throws CommandFailure if the file lies elsewhere, is missing, or is no regular file
   */
  byte[] bytes(String where, String name) {
    var file = file(where, name);
    try {
      return InputFile.bytes(file);
    } catch (CommandFailure failure) {
      throw failure.with(" (named by " + launch + ")");
    }
  }

  /**
   * The size of a file in bytes, before it is read.
   *
   * @throws CommandFailure as {@link #bytes}
   */
  long size(String where, String name) {
    try (var channel = InputFile.open(file(where, name))) {
      return channel.size();
    } catch (CommandFailure failure) {
      throw failure.with(" (named by " + launch + ")");
    } catch (IOException e) {
      throw CommandFailure.badFile(launch, where + " cannot be read: " + InputFile.reason(e));
    }
  }

  /** Like {@link #bytes}, as text in UTF-8. */
  String text(String where, String name) {
    return new String(bytes(where, name), StandardCharsets.UTF_8);
  }

  private Path file(String where, String name) {
    try {
      var file = launch.resolveSibling(name);
      if (!anywhere && !isBelow(file)) throw CommandFailure.badFile(launch, where + " is \"" + name + "\"" + OUTSIDE);
      return file;
    } catch (InvalidPathException _) {
      throw CommandFailure.badFile(launch, where + " names a file that cannot exist: \"" + name + "\"");
    }
  }

  private boolean isBelow(Path file) {
    var folder = launch.toAbsolutePath().getParent();
    // Without following links first: whether a file of another folder exists is nothing to tell.
    if (!file.toAbsolutePath().normalize().startsWith(folder.normalize())) return false;
    try {
      return file.toRealPath().startsWith(folder.toRealPath());
    } catch (IOException _) {
      // It cannot be read either, which is reported with its reason.
      return true;
    }
  }
}
