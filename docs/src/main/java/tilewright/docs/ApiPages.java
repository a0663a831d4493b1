package tilewright.docs;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import tilewright.docs.source.BrokenSiteException;

/**
 * The Javadoc of the public API, in the site's folder {@code api}: the packages that a program or a kernel of a user
 * names. Comments need not repeat what a signature says, so that doclint's group {@code missing} is off.
 */
final class ApiPages {
  static final String FOLDER = "api";

  /** A source folder and the packages of it that are documented. */
  private record Part(String module, String root, List<String> packages) {}

  private static final List<Part> PARTS = List.of(
      new Part("layout-algebra", "tilewright/layout", List.of("", "bank", "coordinate", "decision", "draw",
          "expression", "f2", "morphism", "synthesis", "tuple", "xor")),
      new Part("gpu-kernels", "tilewright/kernel", List.of("", "atom", "tiled", "collective")),
      new Part("gpu-kernels", "tilewright/kernels", List.of("attention", "registry")),
      new Part("gpu-kernels", "tilewright/device", List.of("")),
      new Part("simulator", "tilewright/simulator", List.of("")),
      new Part("ops", "tilewright/ops", List.of("", "collectives", "parallel")));

  private ApiPages() {}

  /** @throws BrokenSiteException if Javadoc warns of anything */
  static void write(Path root, Path site) throws IOException {
    var arguments = new ArrayList<>(List.of("-quiet", "-Xdoclint:all,-missing", "-notimestamp", "--no-fonts",
        "-windowtitle", "Tilewright API", "-doctitle", "Tilewright API", "-encoding", "UTF-8",
        "--add-modules", "jdk.incubator.vector", "-classpath", System.getProperty("java.class.path"),
        "-bottom", "<a href=\"{@docRoot}/../index.html\">Tilewright</a>",
        "-d", site.resolve(FOLDER).toString()));
    for (var file : sources(root)) arguments.add(file.toString());
    var printed = new StringWriter();
    var out = new PrintWriter(printed, true);
    var status = ToolProvider.findFirst("javadoc").orElseThrow(() -> new BrokenSiteException(
        List.of("this Java has no javadoc tool: build with a JDK"))).run(out, out, arguments.toArray(String[]::new));
    var faults = printed.toString().lines().filter(line -> line.matches(".*:\\d+: (warning|error): .*")).toList();
    if (!faults.isEmpty()) throw new BrokenSiteException(faults);
    if (status != 0) throw new BrokenSiteException(List.of("javadoc: " + printed));
  }

  private static List<Path> sources(Path root) throws IOException {
    var sources = new ArrayList<Path>();
    for (var part : PARTS) {
      for (var name : part.packages()) {
        var folder = root.resolve(part.module()).resolve("src/main/java").resolve(part.root()).resolve(name);
        try (var files = Files.list(folder)) {
          files.filter(file -> file.toString().endsWith(".java")).sorted().forEach(sources::add);
        }
      }
    }
    return sources;
  }
}
