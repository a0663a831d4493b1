package tilewright.cli.create;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.cli.io.AtomicFolder;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.kernels.registry.KernelRegistry;

/** {@code tilewright new kernel}: a Maven project with one kernel, a test, and the Tilewright that runs this command. */
@Command(name = "kernel", description = {
    "Make a Maven project with a kernel, its test and its description, which \"mvn package\" builds.",
    "It holds the jars of this Tilewright; other libraries come from Maven Central."})
@Examples({"new kernel bias_relu", "new kernel bias_relu --out projects/bias"})
public final class NewKernel implements Callable<Integer> {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(_[a-z0-9]+)*");
  private static final int LONGEST_NAME = 60;
  /** The name is that of a package (Java Language Specification, 3.9). */
  private static final Set<String> KEYWORDS = Set.of("abstract", "assert", "boolean", "break", "byte", "case", "catch",
      "char", "class", "const", "continue", "default", "do", "double", "else", "enum", "extends", "false", "final",
      "finally", "float", "for", "goto", "if", "implements", "import", "instanceof", "int", "interface", "long",
      "native", "new", "null", "package", "private", "protected", "public", "return", "short", "static", "strictfp",
      "super", "switch", "synchronized", "this", "throw", "throws", "transient", "true", "try", "void", "volatile",
      "while");

  private final Console console;
  private final List<String> taken;

  @Parameters(paramLabel = "NAME", description = "The kernel's name: lower-case letters, digits, underscores.")
  private String name;

  @Option(names = "--out", paramLabel = "DIR", description = "The folder to make (default: NAME).")
  private Optional<Path> out;

  public NewKernel(Console console, KernelRegistry registry) {
    this.console = console;
    this.taken = registry.names();
  }

  record Row(String kernel, String folder, String version, List<String> next) {}

  @Override
  public Integer call() {
    requireName();
    var folder = out.orElse(Path.of(name));
    var repository = ProjectRepository.ofThisProgram();
    AtomicFolder.replace(folder, _ -> false, "an empty folder", part -> {
      new ProjectFiles(name, repository.version()).writeTo(part);
      repository.writeTo(part.resolve("repository"));
    });
    var next = List.of("cd " + quoted(folder.toString()), "mvn package",
        launcher() + " verify --classpath target/" + name + ".jar " + name);
    console.result(new Row(name, folder.toString(), repository.version(), next),
        folder + " holds the kernel " + name + ". Next:\n  " + String.join("\n  ", next));
    return Exit.OK;
  }

  private void requireName() {
    if (!NAME.matcher(name).matches()) {
      var nearest = name.replaceAll("([a-z0-9])([A-Z])", "$1_$2").toLowerCase(Locale.ROOT)
          .replaceAll("[^a-z0-9]+", "_").replaceAll("^[_0-9]+|_+$", "");
      throw CommandFailure.badInput("invalid name '" + name + "': needed are lower-case letters, digits and single "
          + "underscores, a letter first" + (NAME.matcher(nearest).matches() ? ", such as " + nearest : ""));
    }
    if (name.length() > LONGEST_NAME) {
      throw CommandFailure.badInput("invalid name '" + name + "': it has " + name.length() + " characters, at most "
          + LONGEST_NAME + " are possible");
    }
    if (KEYWORDS.contains(name)) {
      throw CommandFailure.badInput("invalid name '" + name + "': it is a keyword of Java; try " + name + "_kernel");
    }
    if (taken.contains(name) || List.of("gemm", "attention", "java", "tilewright").contains(name)) {
      throw CommandFailure.badInput("invalid name '" + name + "': Tilewright has one of that name; try my_" + name);
    }
  }

  /** The script that runs this program, as a shell takes it. */
  private static String launcher() {
    return quoted(Path.of(System.getProperty("tilewright.home", ".")).resolve("tilewright").toString());
  }

  private static String quoted(String word) {
    return word.matches("[A-Za-z0-9_./+:@%=,-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
