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
import java.util.stream.Stream;
import tilewright.cli.io.CommandFailure;

/**
 * The libraries that stand for the CUDA runtime and the CUDA driver, with one between them that both use. They are
 * compiled from their sources at first use, into a folder of the user's cache that their contents name.
 */
final class RuntimeLibrary {
  private static final String SHARED = "libtilewright.so";
  private static final List<String> HEADERS = List.of("bridge.h", "protocol.h", "errors.h", "runtime.h", "driver.h");
  private static final List<Part> PARTS = List.of(
      new Part(SHARED, "tw_*", List.of(), List.of(),
          List.of("bridge.c", "device.c", "memory.c", "copies.c", "programs.c", "streams.c", "graphs.c",
              "graph_memory.c", "sharing.c")),
      new Part("libcuda.so.1", "cu*", List.of("driver-calls"), List.of(),
          List.of("driver_context.c", "driver_memory.c", "driver_ranges.c", "driver_modules.c", "driver_link.c",
              "driver_streams.c", "stubs.c")),
      runtime(13, List.of("runtime-calls"), List.of()),
      runtime(12, List.of("runtime-calls", "runtime-calls-12"), List.of("runtime_12.c")));

  /**
   * A library.
   *
   * @param exports pattern of the names that programs see
   * @param calls the lists of all calls that programs may expect
   */
  private record Part(String name, String exports, List<String> calls, List<String> options,
      List<String> sources) {}

  private RuntimeLibrary() {}

  /** @param own sources of calls that only this version has */
  private static Part runtime(int version, List<String> calls, List<String> own) {
    var sources = Stream.concat(own.stream(), Stream.of("runtime_device.c", "runtime_memory.c", "runtime_streams.c",
        "runtime_graphs.c", "runtime_graph_nodes.c", "runtime_pools.c",
        "runtime_sharing.c", "runtime_kernels.c", "stubs.c")).toList();
    return new Part("libcudart.so." + version, "cuda*; __cuda*", calls, List.of("-DCUDA_VERSION=" + version), sources);
  }

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
      for (var part : PARTS) compile(made, part);
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
    for (var name : HEADERS) files.put(name, resource(name));
    for (var part : PARTS) {
      for (var name : part.sources) files.put(name, resource(name));
      files.put(part.name + ".h", part.calls.stream().flatMap(name -> resource(name + ".txt").lines())
          .map(call -> "STUB(" + call + ")\n").collect(Collectors.joining()));
      files.put(part.name + ".map", part.name + " { global: " + part.exports + "; local: *; };\n");
    }
    // What the linker takes for -lcuda.
    files.put("libcuda.so", "INPUT(libcuda.so.1)\n");
    return files;
  }

  /** A source of the libraries, as text. */
  static String resource(String name) {
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

  private static void compile(Path folder, Part part) {
    var command = new ArrayList<>(List.of(System.getenv().getOrDefault("CC", "cc"), "-std=gnu11", "-O2", "-fPIC",
        "-shared", "-fvisibility=hidden", "-Wl,-soname," + part.name, "-Wl,-rpath,$ORIGIN",
        "-Wl,--version-script=" + part.name + ".map", "-o", part.name));
    command.addAll(part.options);
    command.add("-DCALLS=\"" + part.name + ".h\"");
    command.addAll(part.sources);
    if (!part.name.equals(SHARED)) command.addAll(List.of("-L.", "-l:" + SHARED));
    command.addAll(List.of("-lpthread", "-ldl"));
    var output = Tool.run(command, folder, "a C compiler is needed to make the libraries that stand for CUDA");
    if (output.status() != 0) {
      throw CommandFailure.environmentLacks("the libraries that stand for CUDA cannot be compiled: "
          + String.join(" ", command) + " in " + folder + "\n" + output.text());
    }
  }
}
