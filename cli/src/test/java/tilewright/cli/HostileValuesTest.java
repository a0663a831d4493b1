package tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import tilewright.cli.io.Console;
import tilewright.cli.io.Exit;
import tilewright.cli.launch.SimCommandTest;
import tilewright.cli.tensor.Npy;
import tilewright.kernels.registry.KernelRegistry;

/** Every command with every value that a careless or hostile caller may give to each of its options. */
class HostileValuesTest {
  private static final long SEED = 22;
  private static final int FEW = 60;
  private static final Duration NEVER = Duration.ofMinutes(3);
  /** Arguments that make each command quick: it is done soon, or refused for lack of a GPU. */
  private static final Map<String, List<String>> QUICK = Map.of("verify", List.of("vector_add", "--arch", "sm80"),
      "bench", List.of("vector_add"), "layout eval", List.of("4:1"), "sim", List.of("@/launch.json"),
      "ptx", List.of("add"), "export", List.of("add"), "fuzz",
      List.of("vector_add", "--texts", "1"), "run softmax", List.of(), "layout banks", List.of("32:1"));
  /** Commands that would make a bundle or a package, or that no value changes. */
  private static final List<String> LEFT_OUT = List.of("bundle", "package", "doctor", "kernels", "budget", "tune");

  @TempDir
  Path folder;
  private Path file;

  @BeforeEach
  void makeFiles() throws IOException {
    file = Files.write(folder.resolve("a.npy"), Npy.normalHalves(2, 2, 1));
    Files.writeString(folder.resolve("k.ptx"), SimCommandTest.PTX);
    Files.writeString(folder.resolve("launch.json"), """
        {"ptx": "k.ptx", "entry": "k", "buffers": {"o": {"bytes": 4}}, "args": [{"buffer": "o"}, {"u32": 5}]}
        """);
  }

  @Test
  void aSampleOfCommandsEndsWithARightExitCode() {
    var all = new ArrayList<>(commands());
    Collections.shuffle(all, new Random(SEED));
    all.stream().limit(FEW).forEach(this::check);
  }

  @Test
  @Tag("fuzz")
  void everyCommandEndsWithARightExitCode() {
    var all = commands();
    all.forEach(this::check);
    System.out.println("CLI values: " + all.size() + " command lines");
  }

  @Test
  void valuesThatOnceEndedUnexpectedly() {
    for (var line : List.of("tune --order=", "tune --order=T", "ptx softmax --set block=7", "ptx softmax --set lanes=0",
        "layout draw 4:1 --out=", "run relu --in X=@/a.npy --out Y=", "budget gemm --set order=",
        "layout golden", "layout golden @/a.npy", "budget --compare @/launch.json", "sim --trace=", "--=", "run --x")) {
      check(List.of(line.replace("@", folder.toString()).split(" ")));
    }
  }

  @Test
  void anEmptyNameOfAFileIsRefused() {
    var empty = tries().stream().filter(Try::isEmptyName).map(Try::line).toList();
    assertTrue(empty.size() >= 20, empty::toString);
    for (var line : empty) {
      var run = Cli.run(line.toArray(String[]::new));
      assertEquals(Exit.BAD_INPUT, run.exitCode(), () -> line + ": " + run.err());
      assertTrue(run.err().contains("an empty name is no file and no folder"), () -> line + ": " + run.err());
    }
  }

  private void check(List<String> arguments) {
    var run = assertTimeoutPreemptively(NEVER, () -> Cli.run(arguments.toArray(String[]::new)),
        () -> arguments + " does not end");
    var said = arguments + ", exit code " + run.exitCode() + ": " + run.err();
    assertTrue(run.exitCode() >= Exit.OK && run.exitCode() <= Exit.ENVIRONMENT, said);
    assertFalse((run.out() + run.err()).contains("unexpected "), said + run.out());
    assertFalse(run.err().contains("\tat ") || run.err().contains("Exception"), said);
    if (run.exitCode() >= Exit.BAD_INPUT && !run.out().contains("REFUSED")) {
      assertTrue(run.err().contains("tilewright: "), said);
    }
  }

  /** A command line and whether the value in it that is tried is an empty name of a file. */
  private record Try(List<String> line, boolean isEmptyName) {}

  private List<List<String>> commands() {
    return tries().stream().map(Try::line).toList();
  }

  /** Each option of each command with each value, and each parameter. */
  private List<Try> tries() {
    var console = new Console(InputStream.nullInputStream(), new PrintStream(PrintStream.nullOutputStream()),
        new PrintStream(PrintStream.nullOutputStream()));
    var all = new ArrayList<Try>();
    collect(Main.commandLine(console, KernelRegistry.builtIn()), "", all);
    return all;
  }

  private void collect(CommandLine command, String name, List<Try> all) {
    var spec = command.getCommandSpec();
    for (var sub : command.getSubcommands().entrySet()) {
      var full = (name + " " + sub.getKey()).strip();
      boolean family = sub.getValue().getCommandSpec().usageMessage().hidden();
      if (!LEFT_OUT.contains(full) && (!family || full.equals("run softmax"))) collect(sub.getValue(), full, all);
    }
    if (!command.getSubcommands().isEmpty()) return;
    for (var option : spec.options()) {
      if (option.arity().max() == 0) continue;
      for (var value : values(Map.class.isAssignableFrom(option.type()))) {
        var line = base(spec, name, option.longestName());
        // Behind the first parameter, a command may take words for those of a program that it runs.
        line.add(name.split(" ").length, option.longestName() + "=" + (isPath(option) ? below(option, value) : value));
        all.add(new Try(line, isPath(option) && isEmptyName(option, value)));
      }
    }
    for (var value : spec.positionalParameters().isEmpty() ? List.<String>of() : values(false)) {
      // Without a kernel, verify runs them all.
      if (name.equals("verify") && value.equals("--")) continue;
      var line = new ArrayList<>(List.of(name.split(" ")));
      required(spec, "", line);
      line.add(value);
      all.add(new Try(line, false));
    }
  }

  private static boolean isPath(OptionSpec option) {
    return option.typeInfo().getActualGenericTypeArguments().toString().contains("Path")
        || option.type() == Path.class;
  }

  private static boolean isEmptyName(OptionSpec option, String value) {
    boolean hasName = !Map.class.isAssignableFrom(option.type()) || value.contains("=");
    return hasName && value.substring(fileAt(option, value)).isEmpty();
  }

  /** The index in a value at which the name of a file begins: behind the key, if the option has pairs. */
  private static int fileAt(OptionSpec option, String value) {
    return Map.class.isAssignableFrom(option.type()) ? value.indexOf('=') + 1 : 0;
  }

  /** A folder for what a command writes to a relative name, which shall not lie in the source tree. */
  private String below(OptionSpec option, String value) {
    int name = fileAt(option, value);
    var file = value.substring(name);
    return file.isEmpty() || file.startsWith("/") ? value : value.substring(0, name) + folder + "/" + file;
  }

  private List<String> base(CommandSpec spec, String name, String tried) {
    var line = new ArrayList<>(List.of(name.split(" ")));
    QUICK.getOrDefault(name, spec.positionalParameters().isEmpty() ? List.of() : List.of("4:1")).stream()
        .map(a -> a.replace("@", folder.toString())).forEach(line::add);
    required(spec, tried, line);
    if (name.equals("verify") && !tried.equals("--report")) line.addAll(List.of("--report", folder + "/report.html"));
    return line;
  }

  private void required(CommandSpec spec, String tried, List<String> line) {
    for (var option : spec.options()) {
      // An option of a group is required only beside the others of its group.
      if (!option.required() || option.group() != null || option.longestName().equals(tried)) continue;
      boolean out = option.longestName().equals("--out");
      var value = out ? folder + "/out" : file.toString();
      line.add(option.longestName() + "=" + (Map.class.isAssignableFrom(option.type()) ? (out ? "Y=" : "X=") : "")
          + value);
    }
  }

  private List<String> values(boolean pairs) {
    var values = new ArrayList<>(List.of("", " ", "0", "-1", "1", "2147483648", "99999999999999999999", "1e400", "NaN",
        "-Infinity", "é😀", "a\u0000b", "\uFFFD", "x".repeat(5000), "..", "/dev/null", "/no/such/file",
        folder.toString(), file.toString(), file + "/x", "%s%n", "--", ",", "=", "[", "'"));
    if (pairs) {
      for (var key : List.of("n", "block", "dtype", "X", "")) {
        for (var value : List.copyOf(values)) values.add(key + "=" + value);
      }
    }
    return values;
  }
}
