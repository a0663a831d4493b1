package tilewright.ops;

import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Function;
import tilewright.kernel.CompiledKernel;

/**
 * Code by the kernel that it was made of: one and the same, since comparing PTX takes longer than all else of a call.
 *
 * @param <T> loaded code
 */
final class LoadedCode<T> {
  private final Map<CompiledKernel, T> code = new IdentityHashMap<>();
  private final Function<CompiledKernel, T> load;

  LoadedCode(Function<CompiledKernel, T> load) {
    this.load = load;
  }

  T of(CompiledKernel kernel) {
    synchronized (code) {
      var known = code.get(kernel);
      if (known != null) return known;
    }
    // Without the lock: others load theirs meanwhile, and loading twice does no harm.
    var loaded = load.apply(kernel);
    synchronized (code) {
      var first = code.putIfAbsent(kernel, loaded);
      return first == null ? loaded : first;
    }
  }
}
