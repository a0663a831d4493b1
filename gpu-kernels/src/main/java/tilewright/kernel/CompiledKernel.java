package tilewright.kernel;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.ptx.LaunchFeature;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxPrinter;

/**
 * A traced kernel: PTX and what a launch has to give.
 *
 * @param parameters in PTX order
 * @param features of every launch
 * @param ahead tensors that the kernel may read before it has waited for earlier kernels, which must not write them
 * @param cluster in blocks; {@link Dim3#ONE} where there are none
 * @param dynamicSharedBytes bytes of shared memory a CTA
 * @param sharedTensors the tensors in it, for reports
 * @param partitions of tiles among the threads, for reports
 * @param tilings the extents that blocks of the grid divide among themselves, where the kernel takes tiles by its block
 */
public record CompiledKernel(String name, PtxModule module, List<KernelParameter> parameters, Dim3 block,
    Dim3 cluster, int dynamicSharedBytes, Set<LaunchFeature> features, Set<String> ahead,
    List<SharedPart> sharedTensors, List<Partition> partitions, List<Tiling> tilings) {
  /** The variable that stands for all dynamic shared memory. */
  public static final String SHARED_VARIABLE = SharedMemory.VARIABLE;
  private static final ScopedValue<Traces> TRACES = ScopedValue.newInstance();

  public CompiledKernel {
    parameters = List.copyOf(parameters);
    features = Set.copyOf(features);
    ahead = Set.copyOf(ahead);
    sharedTensors = List.copyOf(sharedTensors);
    partitions = List.copyOf(partitions);
    tilings = List.copyOf(tilings);
  }

  /**
   * An extent in tiles, one per block along an axis of the grid.
   *
   * @param axis of the grid: 0 is x
   * @param extent its name
   */
  public record Tiling(int axis, String extent, int tile) {}

  /**
   * A tensor in shared memory.
   *
   * @param name for reports; its number where the kernel gives none
   * @param offset bytes from the begin of shared memory
   */
  public record SharedPart(String name, int offset, ElementType type, OffsetMap layout) {}

  /** Traces a kernel for a target, or gives the trace of an equal one inside {@link #sharingTraces}. */
  public static CompiledKernel compile(Kernel kernel, Target target) {
    return TRACES.isBound() ? TRACES.get().compile(kernel, target) : trace(kernel, target);
  }

  /** Runs a task that prepares many launches: each kernel is traced once, whatever the number of its launches. */
  public static <T> T sharingTraces(Supplier<T> task) {
    return sharingTraces(new Traces(), task);
  }

  /** Runs a task that prepares launches, among others that share these traces. */
  public static <T> T sharingTraces(Traces traces, Supplier<T> task) {
    return ScopedValue.where(TRACES, traces).call(task::get);
  }

  /** The traces of a program's kernels, which stay as long as this does. Any thread may use them. */
  public static final class Traces {
    private final Map<Trace, CompiledKernel> kernels = new ConcurrentHashMap<>();

    /** Creates a collection of no traces. */
    public Traces() {}

    /** A kernel may compile others, so no lock is held; of two traces of one kernel the first stays. */
    private CompiledKernel compile(Kernel kernel, Target target) {
      var trace = new Trace(kernel, target);
      var known = kernels.get(trace);
      if (known != null) return known;
      var compiled = trace(kernel, target);
      var first = kernels.putIfAbsent(trace, compiled);
      return first == null ? compiled : first;
    }
  }

  private record Trace(Kernel kernel, Target target) {}

  private static CompiledKernel trace(Kernel kernel, Target target) {
    var scope = new Scope(target);
    kernel.trace(scope);
    return scope.finish(kernel.name());
  }

  /** The target that the text names: the kernel's own, in the PTX version that the text needs. */
  public Target target() {
    return new Target(module.target(), module.version());
  }

  public String ptx() {
    return PtxPrinter.print(module);
  }
}
