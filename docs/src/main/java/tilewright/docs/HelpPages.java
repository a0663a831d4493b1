package tilewright.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import tilewright.docs.source.Command;

/** The command's help, asked of the command itself. */
final class HelpPages {
  private static final Pattern COMMANDS = Pattern.compile("(?s)\\nCommands:\\n(.*?)(\\n\\n|$)");
  private static final Pattern COMMAND = Pattern.compile("(?m)^  ([a-z][a-z_-]*)");

  /** The command whose own commands have a page. */
  private static final String LAYOUT = "layout";

  private HelpPages() {}

  static void write(Path generated) throws IOException {
    var sections = new StringBuilder();
    describe(List.of(), sections);
    Files.writeString(generated.resolve("help.adoc"), sections.toString());
    var ofLayouts = new StringBuilder();
    describe(List.of(LAYOUT), ofLayouts);
    Files.writeString(generated.resolve("help-layout.adoc"), ofLayouts.toString());
  }

  private static void describe(List<String> command, StringBuilder sections) {
    var arguments = new ArrayList<>(command);
    arguments.add("--help");
    var help = Command.output(arguments);
    var name = command.isEmpty() ? "tilewright" : String.join(" ", command);
    sections.append("== ").append(name).append("\n\n[listing]\n....\n").append(help.strip()).append("\n....\n\n");
    for (var subcommand : subcommands(help)) {
      if (command.isEmpty() && subcommand.equals(LAYOUT)) continue;
      var longer = new ArrayList<>(command);
      longer.add(subcommand);
      describe(longer, sections);
    }
  }

  static List<String> subcommands(String help) {
    var commands = COMMANDS.matcher(help);
    if (!commands.find()) return List.of();
    return COMMAND.matcher(commands.group(1)).results().map(m -> m.group(1)).toList();
  }
}
