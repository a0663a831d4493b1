package tilewright.docs.source;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tilewright.cli.Main;

/** The {@code tilewright} command, run here and now. */
public final class Command {
  private static final char QUOTE = '\'';
  private static final Pattern WORD = Pattern.compile("(?:'[^']*'|[^\\s'])+");

  private Command() {}

  /**
   * The output of the command.
   *
   * @throws BrokenSiteException if it fails
   */
  public static String output(List<String> arguments) {
    return output(arguments, 0);
  }

  private static String output(List<String> arguments, int expectedExit) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    int exit = Main.run(InputStream.nullInputStream(), new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8), arguments.toArray(String[]::new));
    if (exit != expectedExit) {
      throw new BrokenSiteException(List.of("tilewright " + String.join(" ", arguments) + " exits with " + exit + ": "
          + err.toString(StandardCharsets.UTF_8)));
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  /** The transcript of a command that runs files of the repository, named by their paths in it. */
  public static String transcript(Path root, List<String> arguments, String file, int expectedExit) {
    var real = new ArrayList<>(arguments);
    real.add(root.resolve(file).toString());
    return "$ ./tilewright " + String.join(" ", arguments) + " " + file + "\n"
        + output(real, expectedExit).replace(root + "/", "").stripTrailing() + "\n";
  }

  /**
   * The transcript of a command line as a reader would type it behind {@code ./tilewright}. Words may stand in single
   * quotes; a word that names a file of the repository stands for that file.
   *
   * @param written where a file that follows {@code --out} goes
   * @throws BrokenSiteException if a quote is left open, or the command exits with another code
   */
  public static String typed(Path root, Path written, String line, int expectedExit) {
    var real = new ArrayList<String>();
    for (var word : words(line)) {
      boolean out = !real.isEmpty() && real.getLast().equals("--out");
      real.add(out ? written.resolve(word).toString() : isFileOf(root, word) ? root.resolve(word).toString() : word);
    }
    return "$ ./tilewright " + line + "\n"
        + output(real, expectedExit).replace(written + "/", "").replace(root + "/", "").stripTrailing() + "\n";
  }

  private static boolean isFileOf(Path root, String word) {
    return word.contains("/") && word.matches("[\\w./-]+") && Files.exists(root.resolve(word));
  }

  /** The words of a command line; single quotes keep spaces and brackets together, as in a shell. */
  static List<String> words(String line) {
    if (line.chars().filter(c -> c == QUOTE).count() % 2 != 0) {
      throw new BrokenSiteException(List.of("a quote is left open in: " + line));
    }
    return WORD.matcher(line).results().map(word -> word.group().replace("'", "")).toList();
  }

  /** The transcript of a command: the command behind a prompt, and its output. */
  public static String transcript(List<String> arguments) {
    var words = arguments.stream().map(a -> a.matches("[\\w.=-]+") ? a : "'" + a + "'")
        .collect(Collectors.joining(" "));
    return "$ ./tilewright " + words + "\n" + output(arguments).stripTrailing() + "\n";
  }
}
