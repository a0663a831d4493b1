package tilewright.cli.kernel;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Exit;
import tilewright.kernels.registry.KernelRegistry;

/** {@code tilewright ptx}: the PTX text of a kernel, or of all kernels in all their configurations. */
@Command(name = "ptx", description = {
    "Print a kernel's PTX, or compare that of all kernels before and after a change.",
    "With --all, write that of every kernel in every configuration that a case of verify, a benchmark record, a default "
        + "or a variant has, or compare it with what was written before a change.",
    "What has no effect is left out then: names of labels, registers, entries and parameters, comments, source lines."})
public final class PtxCommand implements Callable<Integer> {
  private final Console console;
  private final KernelRegistry registry;

  @Spec
  private CommandSpec spec;

  @Parameters(paramLabel = "KERNEL", arity = "0..*", description = {
      "A kernel's name; \"tilewright kernels\" lists them.", "With --all several, or none for all of them."})
  private List<String> names = List.of();

  @Option(names = "--set", paramLabel = "NAME=VALUE", description = "One of the kernel's settings; may be repeated.")
  private Map<String, String> chosen = new LinkedHashMap<>();

  @ArgGroup(exclusive = false)
  private All all;

  public PtxCommand(Console console, KernelRegistry registry) {
    this.console = console;
    this.registry = registry;
  }

  /** {@code --all} and the options that belong to it. */
  private static final class All {
    @Option(names = "--all", required = true, description = "Every configuration, which takes minutes.")
    private boolean every;

    @ArgGroup(exclusive = true, multiplicity = "1")
    private Folder folder;

    @Option(names = "--records", paramLabel = "DIR",
        description = "The folder of the benchmark records (default: docs/benchmarks beside the script).")
    private Optional<Path> records = Optional.empty();
  }

  private static final class Folder {
    @Option(names = "--out", paramLabel = "DIR", description = "With --all, the folder to write anew.")
    private Optional<Path> out = Optional.empty();

    @Option(names = "--compare", paramLabel = "DIR",
        description = "With --all, a folder that --out wrote. The exit code is 1 when anything in it differs now.")
    private Optional<Path> compare = Optional.empty();
  }

  record Row(String kernel, String arch, Map<String, String> settings, String entry, int dynamicSharedBytes,
      String ptx) {}

  @Override
  public Integer call() {
    return all == null ? one() : all(all);
  }

  private int one() {
    if (names.isEmpty()) throw new MissingParameterException(spec.commandLine(), spec.positionalParameters().getFirst(),
        "Missing required parameter: 'KERNEL'");
    if (names.size() > 1) throw new UnmatchedArgumentException(spec.commandLine(), names.subList(1, names.size()));
    var choice = new KernelChoice(registry, names.getFirst(), chosen);
    var kernel = choice.prepare().kernel();
    console.result(new Row(choice.kernel().name(), kernel.module().target(), choice.settings(), kernel.name(),
        kernel.dynamicSharedBytes(), kernel.ptx()), kernel.ptx().stripTrailing());
    return Exit.OK;
  }

  private int all(All options) {
    if (!chosen.isEmpty()) throw CommandFailure.badInput("--set and --all exclude each other: every setting is tried");
    var kernels = new LinkedHashSet<String>();
    names.forEach(name -> kernels.add(KernelNames.named(registry, name).name()));
    var configurations = new EveryConfiguration(registry, Optional.empty(), kernels, options.records, console);
    return options.folder.out.map(folder -> write(folder, configurations))
        .or(() -> options.folder.compare.map(folder -> compare(folder, configurations))).orElseThrow();
  }

  private int write(Path folder, EveryConfiguration configurations) {
    var written = PtxFolder.write(folder, configurations);
    console.result(written, written.text());
    return Exit.OK;
  }

  private int compare(Path folder, EveryConfiguration configurations) {
    var comparison = new PtxComparison(PtxFolder.read(folder));
    configurations.trace(comparison::add);
    var result = comparison.result(configurations::includes);
    console.result(result, result.text());
    return result.same() ? Exit.OK : Exit.CHECK_FAILED;
  }
}
