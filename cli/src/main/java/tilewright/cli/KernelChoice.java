package tilewright.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.kernel.PreparedLaunch;

/** A kernel of the catalogue and its settings, as several commands take them. */
final class KernelChoice {
  @Parameters(paramLabel = "KERNEL", description = "A kernel's name; \"tilewright kernels\" lists them.")
  private String name;

  @Option(names = "--set", paramLabel = "NAME=VALUE", description = "One of the kernel's settings; may be repeated.")
  private Map<String, String> chosen = new LinkedHashMap<>();

  CatalogueKernel kernel() {
    return CatalogueKernel.named(name);
  }

  /** All settings of the kernel. */
  Map<String, String> settings() {
    return kernel().defaults().with(chosen).values();
  }

  /** Traces the kernel. */
  PreparedLaunch prepare() {
    try {
      return kernel().prepare(chosen);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput("kernel " + name + " cannot be made with these settings: " + e.getMessage());
    } catch (ArithmeticException e) {
      throw CommandFailure.badInput("kernel " + name + " cannot be made with these settings: too large ("
          + e.getMessage() + ")");
    }
  }
}
