package tilewright.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;

/** {@code tilewright completion}: what makes a shell complete commands and options. */
@Command(name = "completion", description = {
    "Print a script that makes bash and zsh complete commands and options.",
    "In zsh, run \"autoload -U bashcompinit && bashcompinit\" first."})
@Examples("completion >~/.local/share/bash-completion/completions/tilewright")
final class CompletionCommand implements Callable<Integer> {
  private final Console console;

  @Spec
  private CommandSpec spec;

  CompletionCommand(Console console) {
    this.console = console;
  }

  /** @param script in the language of bash */
  record Row(String script) {}

  @Override
  public Integer call() {
    var script = AutoComplete.bash("tilewright", spec.parent().commandLine());
    console.result(new Row(script), script.stripTrailing());
    return Exit.OK;
  }
}
