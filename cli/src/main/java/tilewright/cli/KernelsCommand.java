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

  record Row(String kernel, String description, String arch, Map<String, String> settings, int variants) {}

  @Override
  public Integer call() {
    var table = new TextTable("kernel", "target", "variants", "does", "settings");
    for (var kernel : CatalogueKernel.all()) {
      var row = new Row(kernel.text(), kernel.description(), kernel.arch(), kernel.defaults().values(),
          kernel.variants());
      if (console.json()) console.result(row, "");
      table.add(row.kernel, row.arch, "" + row.variants, row.description, kernel.defaults().toString());
    }
    if (!console.json()) {
      console.text(table.toString());
      console.text("%d kernels, %d variants".formatted(CatalogueKernel.all().size(),
          CatalogueKernel.all().stream().mapToInt(CatalogueKernel::variants).sum()));
    }
    return Exit.OK;
  }
}
