package tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tilewright.cli.io.Console;
import tilewright.cli.io.Exit;
import tilewright.cli.io.HelpSections;
import tilewright.kernels.registry.KernelRegistry;

/** The help of the commands: true, and its examples pasteable. */
class HelpTest {
  private static final Pattern WORD = Pattern.compile("'([^']*)'|[^\\s']+");

  @TempDir
  Path folder;

  private static CommandLine all() {
    var nowhere = new PrintStream(OutputStream.nullOutputStream());
    return Main.commandLine(new Console(InputStream.nullInputStream(), nowhere, nowhere), KernelRegistry.builtIn());
  }

  private static Stream<CommandLine> commands(CommandLine command) {
    return Stream.concat(Stream.of(command), command.getSubcommands().values().stream().flatMap(HelpTest::commands));
  }

  @Test
  void noArgumentsGiveHelpWithFiveCommandsToStartWith() {
    var run = Cli.run();
    assertEquals(Exit.OK, run.exitCode());
    assertEquals("", run.err());
    assertEquals(5, HelpSections.examples(all().getCommandSpec().userObject()).size());
    assertEquals(5, run.out().lines().filter(line -> line.startsWith("  ./tilewright ")).count(), run.out());
  }

  /** Lists of commands show the first line of a description only. */
  @Test
  void theFirstLineOfADescriptionIsASentence() {
    commands(all()).map(command -> command.getCommandSpec()).forEach(spec -> {
      var first = spec.usageMessage().description()[0];
      assertTrue(first.endsWith("."), spec.qualifiedName() + ": " + first);
    });
  }

  /** Those of layouts run; the others need files or minutes, and are read as far as their options. */
  @TestFactory
  Stream<DynamicTest> examplesCanBePasted() {
    return commands(all()).flatMap(command -> HelpSections.examples(command.getCommandSpec().userObject()).stream())
        .map(example -> DynamicTest.dynamicTest(example, () -> {
          var words = new ArrayList<>(words(example.replaceFirst("\\s(#|>).*", "")));
          if (words.getFirst().equals("layout")) {
            int out = words.indexOf("--out");
            if (out >= 0) words.set(out + 1, folder.resolve(words.get(out + 1)).toString());
            var run = Cli.run(words.toArray(String[]::new));
            assertEquals(Exit.OK, run.exitCode(), run.err());
          } else {
            all().parseArgs(words.toArray(String[]::new));
          }
        }));
  }

  @Test
  void anExampleStandsInItsHelpOnOneLine() {
    var help = Cli.run("layout", "draw", "--help").out();
    assertEquals(1, help.lines().filter(line -> line.equals("Examples:")).count(), help);
    assertTrue(help.contains(
        "\n  ./tilewright layout draw '((4,8),(2,2)):((32,1),(16,8))' --as tv --with '(16,8)' --out c.svg\n"), help);
  }

  private static List<String> words(String line) {
    return WORD.matcher(line).results().map(m -> m.group(1) == null ? m.group() : m.group(1)).toList();
  }

  @Test
  void whatIsMisspeltIsNamed() {
    for (var line : List.of("verfy;verify", "layout evl;eval", "verify --size ful;full", "verify --on smi;sim",
        "verify --sise full;--size", "run softmx;softmax", "ptx softmx;softmax", "ptx add --set dtyp=f16;dtype",
        "layout eval logical_divid(4:1,2);logical_divide", "layout atom umm;umma", "layout draw 4:1 --as bank;banks",
        "bench softmx;softmax", "layout eval --dialect pycut 4:1;pycute", "sim --sanitise x;--sanitize")) {
      var run = Cli.run(line.replaceFirst(";.*", "").split(" "));
      assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
      assertTrue(run.err().contains("did you mean " + line.replaceFirst(".*;", "") + "?"), line + ": " + run.err());
    }
  }

  @Test
  void completionKnowsCommandsAndOptions() {
    var run = Cli.run("completion");
    assertEquals(Exit.OK, run.exitCode(), run.err());
    for (var word : List.of("complete ", "verify", "explain", "'--sanitize'", "'--find-swizzle'")) {
      assertTrue(run.out().contains(word), word);
    }
    assertFalse(Cli.run("completion", "--json").json().getFirst().get("script").asString().isEmpty());
  }
}
