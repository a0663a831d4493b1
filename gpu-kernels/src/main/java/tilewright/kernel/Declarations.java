package tilewright.kernel;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tilewright.ptx.Dim3;
import tilewright.ptx.Function;
import tilewright.ptx.LaunchFeature;
import tilewright.ptx.Linkage;
import tilewright.ptx.PtxModule;
import tilewright.ptx.Statement;
import tilewright.ptx.Variable;

/** A kernel's declarations: its parameters, its launch shape, and how its threads share tiles. */
final class Declarations {
  private static final int MOST_THREADS = 1024;
  private static final int MOST_CTAS = 8;

  private final Map<String, KernelParameter> parameters = new LinkedHashMap<>();
  private final Map<String, Partition> partitions = new LinkedHashMap<>();
  private final Set<LaunchFeature> features = EnumSet.noneOf(LaunchFeature.class);
  private final Set<String> ahead = new HashSet<>();
  private final List<Runnable> checks = new ArrayList<>();
  private Optional<Integer> block = Optional.empty();
  private Optional<Integer> resident = Optional.empty();
  private int cluster = 1;

  void block(int threads) {
    if (threads < 1 || threads > MOST_THREADS) {
      throw new TraceException("invalid block of " + threads + " threads: 1 to " + MOST_THREADS);
    }
    block = Optional.of(threads);
  }

  void resident(int blocks) {
    resident = Optional.of(blocks);
  }

  void cluster(int blocks) {
    if (blocks < 1 || blocks > MOST_CTAS) {
      throw new TraceException("invalid cluster of " + blocks + " blocks: 1 to " + MOST_CTAS);
    }
    cluster = blocks;
  }

  void feature(LaunchFeature feature) {
    features.add(feature);
  }

  void ahead(String tensor) {
    ahead.add(tensor);
  }

  void parameter(KernelParameter parameter) {
    var known = parameters.putIfAbsent(parameter.name(), parameter);
    if (known != null && !known.equals(parameter)) {
      throw new TraceException("'" + parameter.name() + "' is declared twice, and not alike: " + known + " and "
          + parameter);
    }
  }

  void partition(Partition partition) {
    partitions.putIfAbsent(partition.toString(), partition);
  }

  void check(Runnable check) {
    checks.add(check);
  }

  /** Runs the checks that waited for the end of the trace. */
  void check(String name) {
    if (block.isEmpty()) {
      throw new TraceException("kernel '" + name + "' never declared its block: call block(threads)");
    }
    checks.forEach(Runnable::run);
  }

  /** The kernel with a body, for a target. */
  CompiledKernel kernel(String name, Target target, List<PtxModule.ModuleItem> files, List<Statement> body,
      SharedMemory shared) {
    int threads = block.orElseThrow();
    var head = parameters.values().stream().map(KernelParameter::declaration).toList();
    var directives = new ArrayList<>(List.of(new Function.Directive("maxntid", List.of((long) threads, 1L, 1L))));
    resident.ifPresent(blocks -> directives.add(new Function.Directive("minnctapersm", List.of((long) blocks))));
    var items = new ArrayList<>(files);
    if (shared.bytes() > 0) items.add(Variable.dynamicShared(SharedMemory.VARIABLE, SharedMemory.ALIGNMENT));
    items.add(new Function(Linkage.VISIBLE, true, List.of(), name, head, directives, Optional.of(body)));
    var module = new PtxModule(target.version(), List.of(target.architecture()), 64, items);
    return new CompiledKernel(name, module, List.copyOf(parameters.values()), Dim3.of(threads), Dim3.of(cluster),
        shared.bytes(), features, ahead, shared.tensors(), List.copyOf(partitions.values()));
  }
}
