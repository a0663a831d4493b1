package tilewright.cli;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.kernel.KernelPath;

/** The command without a subcommand: holds the options that all of them share. */
@Command(name = "tilewright", mixinStandardHelpOptions = true, scope = ScopeType.INHERIT,
    versionProvider = Version.class, sortOptions = false,
    synopsisSubcommandLabel = "COMMAND",
    description = "CuTe layouts, tensor-core kernels and a GPU simulator in pure Java.",
    footer = {"",
        "Exit codes: 0 done and correct, 1 a check failed, 2 bad usage or input, 3 this machine lacks something, "
            + "141 the reader of the results is gone."})
@Examples(heading = "Start with:", value = {
    "doctor                               # what this machine has and lacks",
    "layout draw '(4,(2,2)):(1,(4,8))'    # a layout as a picture",
    "kernels                              # the kernels and their settings",
    "ptx naive_gemm                       # the PTX of one",
    "verify softmax                       # run one in the simulator and compare it with its reference"})
final class Tilewright {
  private final Console console;

  Tilewright(Console console) {
    this.console = console;
  }

  @Option(names = "--json", scope = ScopeType.INHERIT,
      description = "Print one JSON object a line on standard output; all else goes to standard error.")
  void json(boolean on) {
    console.json(on);
  }

  /** KernelPath reads it before there is a command line, since every kernel can be a command. */
  @Option(names = KernelPath.OPTION, scope = ScopeType.INHERIT, paramLabel = "JAR[:JAR...]",
      description = "Jars with kernels of your own, which every command then knows.")
  private List<String> classpath = List.of();

  @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Show the stack trace of an unexpected error.")
  void debug(boolean on) {
    console.debug(on);
  }
}
