package tilewright.cli.kernel;

import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.NearestName;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.KernelRegistry;

/** Kernels by the names that users give. */
public final class KernelNames {
  private KernelNames() {}

  /**
   * @param text a kernel's name; hyphens do for underscores
   * @throws CommandFailure naming the kernel that is probably meant
   */
  public static KernelDescription named(KernelRegistry registry, String text) {
    return registry.find(text.replace('-', '_')).orElseThrow(() -> CommandFailure.badInput("no kernel is called " + text
        + NearestName.hint(text, registry.names(), "; \"tilewright kernels\" lists them")));
  }
}
