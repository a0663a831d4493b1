package tilewright.ops.collectives;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The folders in which NCCL's library may lie: the system's, CUDA's, and those of the Python environments on the PATH,
 * to which PyTorch's wheel brings it.
 */
record NcclSearch(Map<String, String> environment, Path home) {
  static final String NAME = "libnccl.so.2";
  static final String PROPERTY = "tilewright.nccl";
  private static final List<String> SYSTEM = List.of("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
      "/usr/lib64", "/usr/local/lib", "/usr/local/cuda/lib64", "/usr/local/nccl/lib");

  static NcclSearch ofThisMachine() {
    return new NcclSearch(System.getenv(), Path.of(System.getProperty("user.home", "/")));
  }

  /** The file that the user has named by the system property. */
  static Optional<Path> given() {
    return Optional.ofNullable(System.getProperty(PROPERTY)).map(Path::of);
  }

  /** The files to try, those that exist, best first. */
  List<Path> files() {
    return Stream.concat(SYSTEM.stream().map(folder -> Path.of(folder, NAME)),
        packages().stream().map(folder -> folder.resolve("nvidia/nccl/lib").resolve(NAME)))
        .filter(Files::isRegularFile).toList();
  }

  /** The folders of Python's packages. */
  private List<Path> packages() {
    var found = new ArrayList<Path>();
    for (var prefix : prefixes()) {
      for (var lib : List.of("lib", "lib64")) {
        for (var python : children(prefix.resolve(lib), "python3*")) {
          found.add(python.resolve("site-packages"));
          found.add(python.resolve("dist-packages"));
        }
      }
    }
    return found;
  }

  private LinkedHashSet<Path> prefixes() {
    var prefixes = new LinkedHashSet<Path>();
    for (var variable : List.of("VIRTUAL_ENV", "CONDA_PREFIX")) {
      Optional.ofNullable(environment.get(variable)).filter(v -> !v.isEmpty()).map(Path::of).ifPresent(prefixes::add);
    }
    for (var folder : environment.getOrDefault("PATH", "").split(":")) {
      var python = Path.of(folder, "python3");
      if (folder.isEmpty() || !Files.isExecutable(python)) continue;
      Optional.ofNullable(Path.of(folder).toAbsolutePath().getParent()).ifPresent(prefixes::add);
      try {
        Optional.ofNullable(python.toRealPath().getParent().getParent()).ifPresent(prefixes::add);
      } catch (IOException _) {
        // It has vanished since.
      }
    }
    prefixes.add(home.resolve(".local"));
    prefixes.add(Path.of("/usr/local"));
    prefixes.add(Path.of("/usr"));
    return prefixes;
  }

  private static List<Path> children(Path folder, String pattern) {
    if (!Files.isDirectory(folder)) return List.of();
    var found = new ArrayList<Path>();
    try (var children = Files.newDirectoryStream(folder, pattern)) {
      children.forEach(found::add);
    } catch (IOException _) {
      return List.of();
    }
    return found.stream().sorted().toList();
  }

  /** Names the places that were searched, and ways to install the library. */
  String explanation() {
    return "NCCL (" + NAME + ") is not installed: the dynamic linker does not find it, nor is it in "
        + String.join(", ", SYSTEM) + ", or as nvidia/nccl/lib/" + NAME + " in the Python packages of " + prefixes()
        + ". Install libnccl2 of NVIDIA's repository, or \"pip install nvidia-nccl-cu12\" (or -cu13), or name the file "
        + "by -D" + PROPERTY + "=FILE";
  }
}
