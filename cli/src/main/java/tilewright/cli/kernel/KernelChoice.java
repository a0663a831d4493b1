package tilewright.cli.kernel;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.cli.io.CommandFailure;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.InvalidSettingException;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.KernelRegistry;

/** A kernel of the catalogue and its settings, as several commands take them. */
public final class KernelChoice {
  private final KernelRegistry registry;

  @Parameters(paramLabel = "KERNEL", description = "A kernel's name; \"tilewright kernels\" lists them.")
  private String name;

  @Option(names = "--set", paramLabel = "NAME=VALUE", description = "One of the kernel's settings; may be repeated.")
  private Map<String, String> chosen = new LinkedHashMap<>();

  /** A choice for picocli to fill in. */
  public KernelChoice(KernelRegistry registry) {
    this.registry = registry;
  }

  KernelChoice(KernelRegistry registry, String name, Map<String, String> chosen) {
    this.registry = registry;
    this.name = name;
    this.chosen = chosen;
  }

  public KernelDescription kernel() {
    return KernelNames.named(registry, name);
  }

  /** All settings of the kernel. */
  public Map<String, String> settings() {
    return choice().values();
  }

  private Choice choice() {
    return ChosenSettings.over(kernel().defaults(), chosen);
  }

  /** Traces the kernel. */
  public PreparedLaunch prepare() {
    try {
      return kernel().prepare(choice());
    } catch (InvalidSettingException e) {
      throw ChosenSettings.invalid(e);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput("kernel " + name + " cannot be made with these settings: " + e.getMessage());
    } catch (ArithmeticException e) {
      throw CommandFailure.badInput("kernel " + name + " cannot be made with these settings: too large ("
          + e.getMessage() + ")");
    }
  }
}
