package tilewright.cli.cuda;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tilewright.cli.io.CommandFailure;

/**
 * The library that stands for the CUDA runtime. It is compiled from its source at first use, into a folder of the
 * user's cache that its contents name.
 */
final class RuntimeLibrary {
  private static final List<String> SOURCES = List.of("bridge.c", "runtime.c", "stubs.c");
  private static final List<String> HEADERS = List.of("bridge.h", "errors.h");
  private static final List<Integer> VERSIONS = List.of(13, 12);

  private RuntimeLibrary() {}

  /**
   * Returns the folder of the libraries, which it makes if need be.
   *
   * @throws CommandFailure if there is no C compiler
   */
  static Path folder(Path cache) {
    var files = files();
    var folder = cache.resolve("cuda").resolve(digest(files));
    if (Files.isDirectory(folder)) return folder;
    try {
      Files.createDirectories(folder.getParent());
      var made = Files.createTempDirectory(folder.getParent(), "new");
      for (var file : files.entrySet()) Files.writeString(made.resolve(file.getKey()), file.getValue());
      for (int version : VERSIONS) compile(made, version);
      publish(made, folder);
      return folder;
    } catch (IOException e) {
      throw CommandFailure.environmentLacks("cannot write below " + cache + ": " + e.getMessage());
    }
  }

  /** Another process may have made the same meanwhile. */
  private static void publish(Path made, Path folder) throws IOException {
    try {
      Files.move(made, folder);
    } catch (FileAlreadyExistsException | DirectoryNotEmptyException _) {
      for (var file : Files.list(made).toList()) Files.delete(file);
      Files.delete(made);
    }
  }

  private static Map<String, String> files() {
    var files = new LinkedHashMap<String, String>();
    for (var name : SOURCES) files.put(name, resource(name));
    for (var name : HEADERS) files.put(name, resource(name));
    files.put("calls.h", resource("runtime-calls.txt").lines().map(name -> "STUB(" + name + ")\n")
        .collect(Collectors.joining()));
    for (int version : VERSIONS) {
      files.put(version + ".map", "libcudart.so." + version + " { global: cuda*; __cuda*; local: *; };\n");
    }
    return files;
  }

  private static String resource(String name) {
    try (var in = RuntimeLibrary.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String digest(Map<String, String> files) {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      files.forEach((name, text) -> digest.update((name + "\0" + text + "\0").getBytes(StandardCharsets.UTF_8)));
      return HexFormat.of().formatHex(digest.digest(), 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void compile(Path folder, int version) {
    var name = "libcudart.so." + version;
    var command = new ArrayList<>(List.of(System.getenv().getOrDefault("CC", "cc"), "-std=gnu11", "-O2", "-fPIC",
        "-shared", "-fvisibility=hidden", "-DCUDA_VERSION=" + version, "-Wl,-soname," + name,
        "-Wl,--version-script=" + version + ".map", "-o", name));
    command.addAll(SOURCES);
    command.add("-lpthread");
    var output = Tool.run(command, folder,
        "a C compiler is needed to make the library that stands for the CUDA runtime");
    if (output.status() != 0) {
      throw CommandFailure.environmentLacks("the library that stands for the CUDA runtime cannot be compiled: "
          + String.join(" ", command) + " in " + folder + "\n" + output.text());
    }
  }
}
