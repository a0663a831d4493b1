package tilewright.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.TypeConversionException;
import tilewright.cli.bench.BenchCommand;
import tilewright.cli.bench.BenchReport;
import tilewright.cli.bench.BudgetCommand;
import tilewright.cli.bench.TuneCommand;
import tilewright.cli.bench.TuneReport;
import tilewright.cli.create.NewCommand;
import tilewright.cli.create.NewKernel;
import tilewright.cli.cuda.CudaCommand;
import tilewright.cli.export.BundleCommand;
import tilewright.cli.export.ExportCommand;
import tilewright.cli.fuzz.FuzzCommand;
import tilewright.cli.fuzz.FuzzReport;
import tilewright.cli.io.ClosedOutputException;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Failures;
import tilewright.cli.io.HelpSections;
import tilewright.cli.io.Terminal;
import tilewright.cli.kernel.KernelPath;
import tilewright.cli.kernel.KernelsCommand;
import tilewright.cli.kernel.PtxCommand;
import tilewright.cli.kernel.ResourcesCommand;
import tilewright.cli.kernel.SassCommand;
import tilewright.cli.launch.GpuCommand;
import tilewright.cli.launch.SimCommand;
import tilewright.cli.layout.LayoutAtom;
import tilewright.cli.layout.LayoutBanks;
import tilewright.cli.layout.LayoutCommand;
import tilewright.cli.layout.LayoutDraw;
import tilewright.cli.layout.LayoutEval;
import tilewright.cli.layout.LayoutExplain;
import tilewright.cli.layout.LayoutGolden;
import tilewright.cli.run.RunAttention;
import tilewright.cli.run.RunCommand;
import tilewright.cli.run.RunFamily;
import tilewright.cli.run.RunGemm;
import tilewright.cli.run.RunNarrowGemm;
import tilewright.cli.sweep.MergeCommand;
import tilewright.cli.verify.DoctorCommand;
import tilewright.cli.verify.VerifyCommand;
import tilewright.cli.wheel.PackageCommand;
import tilewright.kernels.registry.KernelRegistry;

/** The {@code tilewright} command. */
public final class Main {
  private static final String[] HELP = {"--help"};
  /** The character that Java puts in the place of bytes that it cannot decode. */
  private static final char REPLACED = '\uFFFD';

  private Main() {}

  /** Runs one command and ends the JVM with its exit code. */
  public static void main(String[] arguments) {
    // The locale of a container is often C, which would turn every × and µ into a question mark.
    var out = new PrintStream(new ResultStream(new FileOutputStream(FileDescriptor.out)), false,
        StandardCharsets.UTF_8);
    var err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
    var console = new Console(System.in, out, err, Terminal.of(System.getenv()));
    System.exit(run(console, c -> commandLine(c, KernelPath.registry(arguments)), arguments));
  }

  /** Runs one command on the given streams and returns its exit code. */
  public static int run(InputStream in, PrintStream out, PrintStream err, String... arguments) {
    return run(new Console(in, out, err), console -> commandLine(console, KernelPath.registry(arguments)), arguments);
  }

  /** @param builder makes the command line; a kernel that cannot be described makes it fail */
  static int run(Console console, Function<Console, CommandLine> builder, String... arguments) {
    var out = console.out();
    try {
      requireDecoded(arguments);
      // Who asks for nothing wants to know what there is.
      int exitCode = built(console, builder, arguments).execute(arguments.length == 0 ? HELP : arguments);
      out.flush();
      return exitCode;
    } catch (RuntimeException | Error e) {
      // Picocli handles exceptions of commands only; what fails before or is an error deserves one line too.
      return Failures.end(console, e);
    }
  }

  private static CommandLine built(Console console, Function<Console, CommandLine> builder, String[] arguments) {
    try {
      return builder.apply(console);
    } catch (RuntimeException | Error e) {
      // Nothing has been parsed.
      console.json(Arrays.asList(arguments).contains("--json"));
      console.debug(Arrays.asList(arguments).contains("--debug"));
      if (e instanceof CommandFailure failure) throw failure;
      var failure = CommandFailure.environmentLacks("this build of Tilewright is not sound, its command line cannot be "
          + "made: " + Failures.rootOf(e));
      failure.addSuppressed(e);
      throw failure;
    }
  }

  /** A locale whose character set lacks the characters of an argument has lost them: no file is called so. */
  private static void requireDecoded(String[] arguments) {
    var charset = System.getProperty("sun.jnu.encoding", "");
    for (var argument : arguments) {
      if (argument.indexOf(REPLACED) < 0 || charset.equals("UTF-8")) continue;
      throw CommandFailure.environmentLacks("the locale's character set " + charset + " lacks what '" + argument
          + "' says: set LC_ALL=C.UTF-8");
    }
  }

  /** Picocli would print the stack trace of what goes wrong while it prints help. */
  private static int execute(Console console, ParseResult parsed) {
    try {
      return new RunLast().execute(parsed);
    } catch (ClosedOutputException closed) {
      return Failures.end(console, closed);
    }
  }

  /** The families are not listed one by one; {@code kernels} does that. */
  private static CommandLine run(Console console, KernelRegistry registry) {
    var run = new CommandLine(new RunCommand()).addSubcommand(new RunGemm(console, registry))
        .addSubcommand(new RunNarrowGemm(console))
        .addSubcommand(new RunAttention(console));
    for (var family : registry.families()) {
      if (run.getSubcommands().containsKey(family.name())) {
        throw CommandFailure.badInput("no kernel can be called " + family.name() + ": \"tilewright run " + family.name()
            + "\" is another command");
      }
      var command = new CommandLine(new RunFamily(console, family));
      command.getCommandSpec().usageMessage().hidden(true);
      run.addSubcommand(family.name(), command);
    }
    return run;
  }

  /** Picocli's own message would name classes of Java. */
  private static Path path(String text) {
    // Java would take it for the current folder.
    if (text.isEmpty()) throw new TypeConversionException("an empty name is no file and no folder");
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new TypeConversionException("no file can be called so: " + e.getReason());
    }
  }

  /** The command with all that it can do. */
  static CommandLine commandLine(Console console, KernelRegistry registry) {
    var failures = new Failures(console);
    var all = new CommandLine(new Tilewright(console))
        .addSubcommand(new VerifyCommand(console, registry))
        .addSubcommand(new FuzzCommand(console, registry))
        .addSubcommand(new MergeCommand(console, List.of(new BenchReport(), new TuneReport(), new FuzzReport())))
        .addSubcommand(new CommandLine(new LayoutCommand())
            .addSubcommand(new LayoutEval(console))
            .addSubcommand(new LayoutExplain(console))
            .addSubcommand(new LayoutDraw(console))
            .addSubcommand(new LayoutAtom(console))
            .addSubcommand(new LayoutBanks(console))
            .addSubcommand(new LayoutGolden(console)))
        .addSubcommand(new KernelsCommand(console, registry))
        .addSubcommand(new PtxCommand(console, registry))
        .addSubcommand(new ResourcesCommand(console, registry))
        .addSubcommand(new SassCommand(console, registry))
        .addSubcommand(new BudgetCommand(console))
        .addSubcommand(new ExportCommand(console, registry))
        .addSubcommand(new PackageCommand(console))
        .addSubcommand(run(console, registry))
        .addSubcommand(new CommandLine(new NewCommand()).addSubcommand(new NewKernel(console, registry)))
        .addSubcommand(new SimCommand(console))
        .addSubcommand(new CommandLine(new CudaCommand(console)).setStopAtPositional(true))
        .addSubcommand(new GpuCommand(console))
        .addSubcommand(new BenchCommand(console, registry))
        .addSubcommand(new TuneCommand(console, registry))
        .addSubcommand(new BundleCommand(console))
        .addSubcommand(new DoctorCommand(console))
        .addSubcommand(new CompletionCommand(console))
        .registerConverter(Path.class, Main::path)
        .setOut(new PrintWriter(console.out(), true))
        .setErr(new PrintWriter(console.err(), true))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionStrategy(parsed -> execute(console, parsed))
        .setParameterExceptionHandler(failures)
        .setExecutionExceptionHandler(failures);
    HelpSections.add(all, console.terminal());
    return all;
  }
}
