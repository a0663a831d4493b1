package tilewright.cli.kernel;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.cli.io.TextTable;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.CompiledKernel;
import tilewright.kernels.registry.KernelRegistry;

/** {@code tilewright resources}: what a kernel needs of a GPU, as the assembler found says. */
@Command(name = "resources",
    description = "Assemble a kernel and print its registers, spills, shared memory and warnings.")
@Examples("resources sm80_gemm --set order=NT")
public final class ResourcesCommand implements Callable<Integer> {
  private final Console console;

  @Mixin
  private final KernelChoice choice;

  public ResourcesCommand(Console console, KernelRegistry registry) {
    this.console = console;
    this.choice = new KernelChoice(registry);
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
    var kernel = choice.prepare().kernel();
    return switch (Assembler.find().assemble(kernel.ptx(), kernel.module().target())) {
      case Assembly.Unavailable(var reason) -> throw CommandFailure.environmentLacks(reason);
      case Assembly.Rejected(var log, var assembler) -> {
        console.note(assembler + " rejects " + kernel.name() + ": " + log.strip());
        yield Exit.CHECK_FAILED;
      }
      case Assembly.Assembled assembled -> {
        assembled.resources().forEach(needs -> report(kernel, assembled, needs));
        yield Exit.OK;
      }
    };
  }

  private void report(CompiledKernel kernel, Assembly.Assembled assembled, Assembly.Resources needs) {
    var row = new Row(choice.kernel().name(), kernel.module().target(), choice.settings(),
        assembled.assembler().toString(), needs.entry(), needs.registers(), needs.spillStoreBytes(),
        needs.spillLoadBytes(), needs.stackBytes(), needs.sharedBytes(), kernel.dynamicSharedBytes(),
        assembled.cubin().length, assembled.warnings());
    console.result(row, row.toText());
  }
}
