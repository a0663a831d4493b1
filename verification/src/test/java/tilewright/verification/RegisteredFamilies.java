package tilewright.verification;

import java.util.List;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.KernelRegistry;

/** The families that the commands know. */
public final class RegisteredFamilies {
  private RegisteredFamilies() {}

  static List<Family> all() {
    return KernelRegistry.builtIn().families();
  }

  public static Family named(String name) {
    return KernelRegistry.builtIn().family(name).orElseThrow();
  }
}
