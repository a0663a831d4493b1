package tilewright.device.assembly;

import java.lang.module.ModuleDescriptor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The PTX assemblers of this machine: {@code ptxas} where there is one, and the PTX compiler inside JCuda, which needs
 * neither toolkit nor GPU but ends at CUDA 12.0 (PTX 8.0, sm_90a).
 */
public final class Assembler {
  private static final Pattern VERSION = Pattern.compile("(?m)^\\s*\\.version\\s+(\\d+\\.\\d+)");

  private final List<AssemblerBackend> backends;

  Assembler(List<AssemblerBackend> backends) {
    this.backends = List.copyOf(backends);
  }

  /** Looks on {@code PATH}, under {@code CUDA_HOME} and {@code /usr/local/cuda*}, then in JCuda. */
  public static Assembler find() {
    var backends = new ArrayList<AssemblerBackend>();
    Ptxas.find().ifPresent(backends::add);
    JcudaPtxCompiler.find().ifPresent(backends::add);
    return new Assembler(backends);
  }

  /** Prefers the assembler of the oldest CUDA, whose machine code the most drivers load. */
  public static Assembler findForOldDrivers() {
    return new Assembler(find().backends.stream().sorted(Comparator.comparing(backend ->
        ModuleDescriptor.Version.parse(backend.facts().version()))).toList());
  }

  /** The assemblers found, preferred first. */
  public List<AssemblerFacts> found() {
    return backends.stream().map(AssemblerBackend::facts).toList();
  }

  /**
   * Assembles by the first assembler that takes the target and the PTX version.
   *
   * @param target such as {@code sm_90a}
   */
  public Assembly assemble(String ptx, String target) {
    return assemble(ptx, target, false);
  }

  /** Like {@link #assemble(String, String)}, with the source lines of the PTX's {@code .loc} directives. */
  public Assembly assembleWithLines(String ptx, String target) {
    return assemble(ptx, target, true);
  }

  private Assembly assemble(String ptx, String target, boolean lines) {
    var version = VERSION.matcher(ptx);
    if (!version.find()) return new Assembly.Unavailable("the PTX has no .version line, such as '.version 8.0'");
    for (var backend : backends) {
      if (backend.facts().takes(target, version.group(1))) return assemble(backend, ptx, target, lines);
    }
    return new Assembly.Unavailable("no assembler here takes PTX " + version.group(1) + " for " + target + " (found: "
        + (backends.isEmpty() ? "none" : found().stream().map(Object::toString).collect(Collectors.joining(", ")))
        + "); put a newer CUDA toolkit's ptxas on the PATH");
  }

  private static Assembly assemble(AssemblerBackend backend, String ptx, String target, boolean lines) {
    var output = backend.assemble(ptx, target, lines);
    if (output.cubin().length == 0) return new Assembly.Rejected(output.log(), backend.facts());
    var log = output.log();
    return new Assembly.Assembled(
        output.cubin(), AssemblerLog.resources(log), AssemblerLog.warnings(log), backend.facts());
  }
}
