package tilewright.cli;

import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code tilewright kernels}: the catalogue. */
@Command(name = "kernels", description = "List the kernels and their settings.")
final class KernelsCommand implements Callable<Integer> {
  private final Console console;

  KernelsCommand(Console console) {
    this.console = console;
  }

  record Row(String kernel, String description, String arch, Map<String, String> settings) {}

  @Override
  public Integer call() {
    var table = new TextTable("kernel", "target", "does", "settings");
    for (var kernel : CatalogueKernel.values()) {
      var arch = kernel.prepare(Map.of()).kernel().module().target();
      var row = new Row(kernel.text(), kernel.description(), arch, kernel.defaults().values());
      if (console.json()) console.result(row, "");
      table.add(row.kernel, arch, row.description, kernel.defaults().toString());
    }
    if (!console.json()) console.text(table.toString());
    return Exit.OK;
  }
}
