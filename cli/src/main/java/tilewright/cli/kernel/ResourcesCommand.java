package tilewright.cli.kernel;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.cli.io.TextTable;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.Chip;
import tilewright.kernel.CompiledKernel;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.verification.ChipAssembler;

/** {@code tilewright resources}: what a kernel needs of a GPU, as the assembler found says. */
@Command(name = "resources", description = {
    "Assemble a kernel and print its registers, spills, shared memory and warnings.",
    "With --all, assemble every configuration that a case of verify, a benchmark record, a default or a variant has,"
        + " and count for each kernel what spills. The exit code is 1 when anything spills or is rejected."})
@Examples({"resources sm80_gemm --set order=NT", "resources softmax rope --all --chip rtx4090"})
public final class ResourcesCommand implements Callable<Integer> {
  private final Console console;
  private final KernelRegistry registry;

  @Spec
  private CommandSpec spec;

  @Parameters(paramLabel = "KERNEL", arity = "0..*", description = {
      "A kernel's name; \"tilewright kernels\" lists them.", "With --all several, or none for all of them."})
  private List<String> names = List.of();

  @Option(names = "--set", paramLabel = "NAME=VALUE", description = "One of the kernel's settings; may be repeated.")
  private Map<String, String> chosen = new LinkedHashMap<>();

  @Option(names = "--chip", paramLabel = "CHIP", description = {
      "Assemble for a100, rtx3090, rtx4090, h100, h200, b200, b300 or rtx5090, in the tiles that it holds",
      "(default: for each kernel's own target)."})
  private Optional<Chip> chip = Optional.empty();

  @Option(names = "--all", description = "Every configuration, which takes from minutes to hours.")
  private boolean all;

  @Option(names = "--records", paramLabel = "DIR", description = "With --all, the folder of the benchmark records"
      + " (default: docs/benchmarks beside the script).")
  private Optional<Path> records = Optional.empty();

  public ResourcesCommand(Console console, KernelRegistry registry) {
    this.console = console;
    this.registry = registry;
  }

  /** Spills and stack are bytes per thread, shared memory is bytes per block. */
  record Row(String kernel, String arch, Map<String, String> settings, String assembler, String entry, int registers,
      int spillStoreBytes, int spillLoadBytes, int stackBytes, int staticSharedBytes, int dynamicSharedBytes,
      int cubinBytes, List<String> warnings) {

    String toText() {
      var table = new TextTable("entry", "registers", "spill stores", "spill loads", "stack", "shared", "cubin", "by");
      table.add(entry, "" + registers, bytes(spillStoreBytes), bytes(spillLoadBytes), bytes(stackBytes),
          bytes(staticSharedBytes + dynamicSharedBytes), bytes(cubinBytes), assembler + " for " + arch);
      return table + String.join("", warnings.stream().map(warning -> "\n" + warning).toList());
    }

    private static String bytes(int count) {
      return count + " B";
    }
  }

  @Override
  public Integer call() {
    return all ? all() : one();
  }

  private int one() {
    if (records.isPresent()) throw CommandFailure.badInput("--records belongs to --all");
    if (names.isEmpty()) throw new MissingParameterException(spec.commandLine(), spec.positionalParameters().getFirst(),
        "Missing required parameter: 'KERNEL'");
    if (names.size() > 1) throw new UnmatchedArgumentException(spec.commandLine(), names.subList(1, names.size()));
    var limited = chip.map(gpu -> registry.on(gpu.capability())).orElse(registry);
    var choice = new KernelChoice(limited, names.getFirst(), chosen);
    var kernel = choice.prepare().kernel();
    var assembler = new ChipAssembler(chip);
    assembler.refuses(kernel).ifPresent(reason -> {
      throw CommandFailure.badInput("kernel %s %s: leave --chip out, or name another GPU".formatted(
          choice.kernel().name(), reason));
    });
    return switch (assembler.assemble(kernel.ptx())) {
      case Assembly.Unavailable(var reason) -> throw CommandFailure.environmentLacks(reason);
      case Assembly.Rejected(var log, var by) -> {
        console.note(by + " rejects " + kernel.name() + ": " + log.strip());
        yield Exit.CHECK_FAILED;
      }
      case Assembly.Assembled assembled -> {
        assembled.resources()
            .forEach(needs -> report(choice, kernel, assembler.target(kernel.ptx()), assembled, needs));
        yield Exit.OK;
      }
    };
  }

  private void report(KernelChoice choice, CompiledKernel kernel, String target, Assembly.Assembled assembled,
      Assembly.Resources needs) {
    var row = new Row(choice.kernel().name(), target, choice.settings(), assembled.assembler().toString(),
        needs.entry(), needs.registers(), needs.spillStoreBytes(), needs.spillLoadBytes(), needs.stackBytes(),
        needs.sharedBytes(), kernel.dynamicSharedBytes(), assembled.cubin().length, assembled.warnings());
    console.result(row, row.toText());
  }

  private int all() {
    if (!chosen.isEmpty()) throw CommandFailure.badInput("--set and --all exclude each other: every setting is tried");
    var kernels = new LinkedHashSet<String>();
    names.forEach(name -> kernels.add(KernelNames.named(registry, name).name()));
    var configurations = new EveryConfiguration(registry, chip, kernels, records, console);
    if (configurations.kernels().isEmpty()) {
      throw CommandFailure.badInput("the %s runs none of these kernels; leave --chip out, or name another GPU"
          .formatted(chip.orElseThrow().text()));
    }
    var counts = new AssemblyCounts(chip, configurations.kernels());
    configurations.forEach(counts::assemble, verdict -> {
      counts.add(verdict);
      verdict.notes().forEach(console::note);
    });
    var rows = counts.rows();
    if (console.json()) rows.forEach(row -> console.result(row, ""));
    else console.text(table(rows));
    return rows.stream().allMatch(AssemblyCounts.Row::clean) ? Exit.OK : Exit.CHECK_FAILED;
  }

  private String table(List<AssemblyCounts.Row> rows) {
    var table = new TextTable("kernel", "configurations", "refused", "beyond the GPU", "assembled", "spill", "bytes",
        "warned", "rejected");
    for (var row : rows) {
      table.add(row.kernel(), "" + row.configurations(), "" + row.refused(), "" + row.lacking(), "" + row.texts(),
          "" + row.spilling(), "" + row.spillBytes(), "" + row.warned(), "" + row.rejected());
    }
    return table.toString(console.terminal(), cell -> cell);
  }
}
