package tilewright.verification;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.PreparedLaunch;
import tilewright.ptx.PtxNormalForm;

/**
 * A kernel in one configuration, which is not traced before it is asked for.
 *
 * @param config the settings that lead to it, in words; while a kernel is rewritten they stay the same
 * @param launches traces the launches of the configuration, most often one
 */
public record KernelConfiguration(String kernel, String config, Supplier<List<PreparedLaunch>> launches) {
  /** The text in the place of the PTX of a configuration that the kernel refuses. */
  public static final String REFUSED = "// refused\n";

  /** Traces the kernel. */
  public TracedKernel trace() {
    return new TracedKernel(kernel, config, ptx());
  }

  /** Traces the kernels that the configuration's launches run; empty if the configuration is refused. */
  public Optional<List<CompiledKernel>> kernels() {
    try {
      return Optional.of(launches.get().stream().map(PreparedLaunch::kernel).toList());
    } catch (IllegalArgumentException | ArithmeticException _) {
      return Optional.empty();
    }
  }

  private String ptx() {
    return kernels().map(all -> all.stream().map(KernelConfiguration::text).collect(Collectors.joining("\n")))
        .orElse(REFUSED);
  }

  /** A kernel's PTX in normal form, and before it what every launch of the kernel has. */
  public static String text(CompiledKernel kernel) {
    return "// block %s, cluster %s, %d bytes of dynamic shared memory, features %s%n%s".formatted(kernel.block(),
        kernel.cluster(), kernel.dynamicSharedBytes(), kernel.features().stream().sorted().toList(),
        PtxNormalForm.of(kernel.module()));
  }
}
