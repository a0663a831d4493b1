package tilewright.cli.wheel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tilewright.kernel.CompiledKernel;

/** The kernels of a package, each once, in the order in which they were asked for. */
final class PackagedKernels {
  private final Map<CompiledKernel, Integer> numbers = new IdentityHashMap<>();
  private final Map<String, Integer> byPtx = new HashMap<>();
  private final List<CompiledKernel> kernels = new ArrayList<>();

  /** The number of a kernel, which is new unless another one has the same PTX. */
  int number(CompiledKernel kernel) {
    return numbers.computeIfAbsent(kernel, _ -> byPtx.computeIfAbsent(kernel.ptx(), _ -> {
      kernels.add(kernel);
      return kernels.size() - 1;
    }));
  }

  /** A copy of data in JSON with numbers in the place of kernels. */
  Object numbered(Object json) {
    return switch (json) {
      case CompiledKernel kernel -> number(kernel);
      case Map<?, ?> map -> {
        var copy = new TreeMap<Object, Object>();
        map.forEach((key, value) -> copy.put(key, numbered(value)));
        yield copy;
      }
      case List<?> list -> list.stream().map(this::numbered).toList();
      default -> json;
    };
  }

  /** All kernels by their numbers. */
  List<CompiledKernel> all() {
    return List.copyOf(kernels);
  }
}
