package tilewright.cli.export;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tilewright.cli.io.AtomicFolder;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Exit;
import tilewright.cli.io.SourceCommit;

/**
 * {@code tilewright bundle}: a folder that runs on a Linux machine without Java, Maven or network: a Java runtime made
 * with jlink, the program's jars, the GPU tests and the {@code tilewright} script.
 */
@Command(name = "bundle",
    description = "Make a self-contained folder that runs where there is no Java, Maven or network.")
public final class BundleCommand implements Callable<Integer> {
  /**
   * The JDK modules that the jars use, some only on request, and zipfs for JUnit's scan of jars. jdeps would add those
   * that Jackson and JUnit only mention, such as java.desktop and most of java.xml.
   */
  private static final String JDK_MODULES =
      "java.base,java.logging,jdk.incubator.vector,jdk.management,jdk.unsupported,jdk.zipfs";

  /** Jackson does not start without these interfaces; the module that they are from is a tenth of the runtime. */
  private static final String DOM = "org/w3c/dom";
  private static final String DOM_JAR = "w3c-dom.jar";

  /** Jars that the tests' dependencies bring and no GPU test needs: properties, and reports as XML. */
  private static final Pattern NOT_FOR_GPU_TESTS = Pattern.compile("(jqwik|.*-reporting-|open-test-reporting).*");

  private final Console console;

  @Option(names = "--out", paramLabel = "DIR",
      description = "The folder to make anew (default: target/tilewright-bundle).")
  private Path out;

  public BundleCommand(Console console) {
    this.console = console;
  }

  record Row(String bundle, long bytes, List<String> tests) {}

  @Override
  public Integer call() throws IOException {
    var sources = sourceTree();
    var folder = out == null ? sources.resolve("target/tilewright-bundle") : out;
    var tests = list(sources.resolve("cli/target/tests")).stream()
        .filter(jar -> !NOT_FOR_GPU_TESTS.matcher(jar.getFileName().toString()).matches()).toList();
    AtomicFolder.replace(folder, BundleCommand::isBundle, "a bundle", part -> fill(part, sources, tests));
    var size = sizeOf(folder);
    console.result(new Row(folder.toString(), size, tests.stream().map(t -> t.getFileName().toString()).toList()),
        "%s: %.1f MiB; its tilewright script runs on any x86-64 Linux with glibc".formatted(folder, size / 1048576.0));
    return Exit.OK;
  }

  private void fill(Path folder, Path sources, List<Path> tests) throws IOException {
    console.note("linking a Java runtime");
    linkRuntime(folder.resolve("runtime"));
    for (var jar : applicationJars()) copyInto(folder.resolve("app"), jar);
    writeDom(folder.resolve("app").resolve(DOM_JAR));
    for (var jar : tests) copyInto(folder.resolve("tests"), jar);
    for (var file : List.of("tilewright", "LICENSE")) copyInto(folder, sources.resolve(file));
    Files.writeString(folder.resolve(SourceCommit.FILE), SourceCommit.find() + "\n");
  }

  private static Path sourceTree() {
    var home = System.getProperty("tilewright.home", "");
    if (home.isEmpty() || !Files.exists(Path.of(home, "pom.xml"))) {
      throw CommandFailure.environmentLacks("bundle needs Tilewright's sources: use the script of a checkout");
    }
    return Path.of(home);
  }

  static boolean isBundle(Path folder) {
    return Files.exists(folder.resolve("runtime/release")) && Files.exists(folder.resolve("tilewright"));
  }

  private void linkRuntime(Path folder) {
    var jlink = ToolProvider.findFirst("jlink").orElseThrow(() ->
        CommandFailure.environmentLacks("the Java that runs this has no jlink: install a whole JDK"));
    var status = jlink.run(console.err(), console.err(), "--add-modules", JDK_MODULES, "--compress", "zip-9",
        "--strip-debug", "--no-header-files", "--no-man-pages", "--vm", "server", "--output", folder.toString());
    if (status != 0) throw CommandFailure.environmentLacks("jlink failed with exit code " + status);
    stripSymbols(folder.resolve("lib/server/libjvm.so"));
  }

  /** Symbols that only a debugger reads are a tenth of the bundle; jlink leaves them in. */
  private void stripSymbols(Path library) {
    try {
      var status = new ProcessBuilder("strip", "--strip-unneeded", library.toString()).inheritIO().start().waitFor();
      if (status != 0) console.note("strip failed with exit code " + status
          + ": the bundle is 5 MB larger than needed");
    } catch (IOException _) {
      console.note("no strip (Debian: package binutils) found: the bundle is 5 MB larger than needed");
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void writeDom(Path jar) throws IOException {
    var classes = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules/java.xml", DOM);
    try (var out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (var file : list(classes)) {
        if (!Files.isRegularFile(file)) continue;
        out.putNextEntry(new ZipEntry(DOM + "/" + file.getFileName()));
        Files.copy(file, out);
      }
    }
  }

  /** This program's jar and those that its manifest names; older ones may lie beside them. */
  private static List<Path> applicationJars() throws IOException {
    var self = Path.of(System.getProperty("java.class.path"));
    try (var jar = new JarFile(self.toFile())) {
      var others = jar.getManifest().getMainAttributes().getValue("Class-Path").split(" ");
      return Stream.concat(Stream.of(self), Arrays.stream(others).map(self::resolveSibling)).toList();
    }
  }

  private static void copyInto(Path folder, Path file) throws IOException {
    Files.createDirectories(folder);
    Files.copy(file, folder.resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
  }

  private static List<Path> list(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) return List.of();
    try (var files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  private static long sizeOf(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).mapToLong(f -> f.toFile().length()).sum();
    }
  }
}
