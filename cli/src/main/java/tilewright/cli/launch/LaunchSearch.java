package tilewright.cli.launch;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.InputFile;

/**
 * The launch files that a user names: a file stands for itself, a folder for every {@value LaunchFile#NAME} below it.
 *
 * @param files in the order of the names, each once
 * @param problems what could not be found or searched
 */
record LaunchSearch(List<Path> files, List<CommandFailure> problems) {
  LaunchSearch {
    files = List.copyOf(files);
    problems = List.copyOf(problems);
  }

  /** @throws CommandFailure if there is no launch at all */
  static LaunchSearch of(List<Path> named) {
    var files = new LinkedHashSet<Path>();
    var problems = new ArrayList<CommandFailure>();
    for (var path : named) find(path, files, problems);
    if (files.isEmpty() && !problems.isEmpty()) throw problems.getFirst();
    return new LaunchSearch(List.copyOf(files), problems);
  }

  private static void find(Path named, Set<Path> files, List<CommandFailure> problems) {
    if (!Files.isDirectory(named)) {
      if (Files.isRegularFile(named)) files.add(named);
      else problems.add(InputFile.notRegular(named));
      return;
    }
    var below = new ArrayList<Path>();
    int before = problems.size();
    walk(named, below, problems);
    below.stream().sorted().forEach(files::add);
    if (below.isEmpty() && problems.size() == before) {
      problems.add(CommandFailure.badFile(named, "holds no " + LaunchFile.NAME));
    }
  }

  private static void walk(Path folder, List<Path> found, List<CommandFailure> problems) {
    try {
      Files.walkFileTree(folder, new SimpleFileVisitor<>() {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
          if (file.getFileName().toString().equals(LaunchFile.NAME)) found.add(file);
          return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) {
          problems.add(CommandFailure.badFile(file, "cannot be read: " + InputFile.reason(e)));
          return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path visited, IOException e) {
          if (e != null) problems.add(CommandFailure.badFile(visited, "cannot be read: " + InputFile.reason(e)));
          return FileVisitResult.CONTINUE;
        }
      });
    } catch (IOException e) {
      problems.add(CommandFailure.badFile(folder, "cannot be read: " + InputFile.reason(e)));
    }
  }
}
