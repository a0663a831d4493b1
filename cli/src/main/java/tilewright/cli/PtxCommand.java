package tilewright.cli;

import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tilewright ptx}: the PTX text of a kernel. */
@Command(name = "ptx", description = "Print a kernel's PTX.")
final class PtxCommand implements Callable<Integer> {
  private final Console console;

  @Mixin
  private KernelChoice choice;

  PtxCommand(Console console) {
    this.console = console;
  }

  record Row(String kernel, String arch, Map<String, String> settings, String entry, int dynamicSharedBytes,
      String ptx) {}

  @Override
  public Integer call() {
    var kernel = choice.prepare().kernel();
    console.result(new Row(choice.kernel().text(), kernel.module().target(), choice.settings(), kernel.name(),
        kernel.dynamicSharedBytes(), kernel.ptx()), kernel.ptx().stripTrailing());
    return Exit.OK;
  }
}
