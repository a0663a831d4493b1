package tilewright.cli.kernel;

import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import tilewright.cli.io.Console;
import tilewright.cli.io.Exit;
import tilewright.cli.io.TextTable;
import tilewright.kernels.registry.KernelRegistry;

/** {@code tilewright kernels}: the catalogue. */
@Command(name = "kernels", description = "List the kernels and their settings.")
public final class KernelsCommand implements Callable<Integer> {
  private final Console console;
  private final KernelRegistry registry;

  public KernelsCommand(Console console, KernelRegistry registry) {
    this.console = console;
    this.registry = registry;
  }

  record Row(String kernel, String description, String arch, Map<String, String> settings, int variants) {}

  @Override
  public Integer call() {
    var table = new TextTable("kernel", "target", "variants", "does", "settings");
    int variants = 0;
    for (var kernel : registry.kernels()) {
      var row = new Row(kernel.name(), kernel.formula(), kernel.target().architecture(), kernel.defaults().values(),
          kernel.variants().size());
      variants += row.variants;
      if (console.json()) console.result(row, "");
      table.add(row.kernel, row.arch, "" + row.variants, row.description, ChosenSettings.text(kernel.defaults()));
    }
    console.table(table);
    if (!console.json()) console.text("%d kernels, %d variants".formatted(registry.kernels().size(), variants));
    return Exit.OK;
  }
}
