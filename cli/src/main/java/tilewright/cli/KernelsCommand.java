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
    for (var kernel : CatalogueKernel.values()) {
      var arch = kernel.prepare(Map.of()).kernel().module().target();
      console.result(new Row(kernel.text(), kernel.description(), arch, kernel.defaults().values()),
          "%-11s %-6s %s%n%-18s %s".formatted(kernel.text(), arch, kernel.description(), "", kernel.defaults()));
    }
    return Exit.OK;
  }
}
