package tilewright.cli.io;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The help of a command and its subcommands: as wide as the terminal, with examples that can be pasted. */
public final class HelpSections {
  private static final String START = "start";
  private static final String EXAMPLES = "examples";
  private static final int NARROWEST = 60;
  private static final int WIDEST = 120;

  private HelpSections() {}

  /** Adds the sections of examples to a command and all below it. */
  public static void add(CommandLine command, Terminal terminal) {
    command.setUsageHelpWidth(Math.clamp(terminal.width(), NARROWEST, WIDEST));
    var keys = new ArrayList<>(command.getHelpSectionKeys());
    // What to start with comes before the list of all options and commands.
    keys.add(keys.indexOf(UsageMessageSpec.SECTION_KEY_PARAMETER_LIST_HEADING), START);
    keys.add(keys.indexOf(UsageMessageSpec.SECTION_KEY_FOOTER_HEADING), EXAMPLES);
    command.setHelpSectionKeys(keys);
    command.getHelpSectionMap().put(START, help -> isRoot(help) ? text(help) + String.format("%n") : "");
    addExamples(command);
  }

  private static void addExamples(CommandLine command) {
    command.getHelpSectionMap().put(EXAMPLES, help -> isRoot(help) ? "" : text(help));
    command.getSubcommands().values().forEach(HelpSections::addExamples);
  }

  private static boolean isRoot(CommandLine.Help help) {
    return help.commandSpec().parent() == null;
  }

  /** Returns the command lines that a command's help shows. */
  public static List<String> examples(Object command) {
    var examples = command.getClass().getAnnotation(Examples.class);
    return examples == null ? List.of() : List.of(examples.value());
  }

  /** Long lines stay whole: a shell would not take the parts. */
  private static String text(CommandLine.Help help) {
    var command = help.commandSpec().userObject();
    var lines = examples(command);
    if (lines.isEmpty()) return "";
    var text = new StringBuilder(String.format("%n%s%n", command.getClass().getAnnotation(Examples.class).heading()));
    for (var line : lines) text.append(String.format("  ./tilewright %s%n", line));
    return text.toString();
  }
}
