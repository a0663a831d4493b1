package tilewright.ops;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.TensorSpec;
import tilewright.layout.Layout;

/**
 * Finds the extents of a kernel's tensors: those that are given or fixed, and then the one extent of a tensor that its
 * number of elements leaves open, until nothing changes any more.
 */
final class Shapes {
  private final String kernel;
  private final List<TensorSpec> specs;
  private final Map<String, Layout> layouts;
  private final Map<String, HostTensor> tensors;
  private final Map<String, Long> extents = new HashMap<>();

  Shapes(String kernel, List<TensorSpec> specs, Map<String, Long> extents, Map<String, Layout> layouts,
      Map<String, HostTensor> tensors) {
    this.kernel = kernel;
    this.specs = specs;
    this.layouts = layouts;
    this.tensors = tensors;
    extents.forEach((name, value) -> {
      if (specs.stream().noneMatch(s -> s.extents().contains(name))) {
        throw new IllegalArgumentException("kernel " + kernel + " has no extent '" + name + "'");
      }
      put(name, value, "extent(\"" + name + "\", …)");
    });
  }

  Shapes solve() {
    for (var spec : specs) given(spec);
    boolean changed = true;
    while (changed) {
      changed = false;
      for (var spec : specs) changed |= deduce(spec);
    }
    specs.forEach(this::requireSolved);
    return this;
  }

  Map<String, Long> extents() {
    return Map.copyOf(extents);
  }

  private void given(TensorSpec spec) {
    spec.fixed().forEach((name, value) -> put(name, value, "the kernel"));
    int rank = spec.extents().size();
    var layout = layouts.get(spec.name());
    if (layout != null) {
      var shape = layout.shape().leaves().boxed().toList();
      if (shape.size() != rank) {
        throw new IllegalArgumentException("layout " + layout + " has " + shape.size() + " modes, tensor "
            + spec.name() + spec.extents() + " has " + rank);
      }
      for (int mode = 0; mode < rank; mode++) put(spec.extents().get(mode), shape.get(mode), "tensor " + spec.name());
      return;
    }
    var said = tensors.get(spec.name()).extents();
    if (said.size() > 1 && said.size() != rank) {
      throw new IllegalArgumentException("tensor " + spec.name() + spec.extents() + " has " + rank
          + " modes, but was given the extents " + said);
    }
    if (said.size() != rank) return;
    for (int mode = 0; mode < rank; mode++) put(spec.extents().get(mode), said.get(mode), "tensor " + spec.name());
  }

  private void put(String name, long value, String source) {
    var other = extents.putIfAbsent(name, value);
    if (other != null && other != value) {
      throw new IllegalArgumentException("kernel " + kernel + ": extent " + name + " is " + value + " by " + source
          + ", but " + other + " by another tensor or argument");
    }
  }

  /** Whether an extent was found. */
  private boolean deduce(TensorSpec spec) {
    var open = open(spec);
    var elements = tensors.get(spec.name()).elements();
    if (open.size() != 1 || elements.isEmpty() || layouts.containsKey(spec.name())) return false;
    long known = known(spec);
    if (known == 0 || elements.get() % known != 0) {
      throw new IllegalArgumentException("tensor " + spec.name() + spec.extents() + " of " + elements.get()
          + " elements: no whole number of them is " + open.getFirst() + " where the other extents make " + known);
    }
    put(open.getFirst(), elements.get() / known, "tensor " + spec.name());
    return true;
  }

  private List<String> open(TensorSpec spec) {
    return spec.extents().stream().filter(name -> !extents.containsKey(name)).toList();
  }

  private long known(TensorSpec spec) {
    return spec.extents().stream().mapToLong(name -> extents.getOrDefault(name, 1L)).reduce(1, Math::multiplyExact);
  }

  private void requireSolved(TensorSpec spec) {
    var open = open(spec);
    var tensor = tensors.get(spec.name());
    if (!open.isEmpty()) {
      throw new IllegalArgumentException("kernel " + kernel + ": the extents " + open + " of tensor " + spec.name()
          + spec.extents() + " are not known: say " + (tensor.isOutput() ? "out" : "in") + "(\"" + spec.name() + "\", "
          + (tensor.isOutput() ? "" : "array, ") + String.join(", ", spec.extents()) + ") or extent(\""
          + open.getFirst() + "\", …)");
    }
    long needed = known(spec);
    tensor.elements().filter(given -> given != needed && !layouts.containsKey(spec.name())).ifPresent(given -> {
      throw new IllegalArgumentException("tensor " + spec.name() + spec.extents() + " has " + needed
          + " elements, but " + given + " are given");
    });
  }

  /** The tensor in the buffer of its name. */
  LaunchArguments.Tensor argument(TensorSpec spec) {
    var shape = spec.extents().stream().map(extents::get).toList();
    var layout = layouts.get(spec.name());
    return new LaunchArguments.Tensor(spec.name(), 0, shape,
        layout == null ? strides(spec, shape) : layout.stride().leaves().boxed().toList());
  }

  /** The strides of a dense tensor: the contiguous mode is innermost, then the last, the last but one, and so on. */
  private static List<Long> strides(TensorSpec spec, List<Long> shape) {
    var order = new ArrayList<Integer>();
    for (int mode = shape.size() - 1; mode >= 0; mode--) order.add(mode);
    spec.contiguous().map(spec.extents()::indexOf).ifPresent(mode -> {
      order.remove(mode);
      order.addFirst(mode);
    });
    var strides = new ArrayList<>(Collections.nCopies(shape.size(), 1L));
    long stride = 1;
    for (int mode : order) {
      long own = spec.modes().get(mode).stride().orElse(stride);
      strides.set(mode, own);
      stride = Math.max(stride, Math.multiplyExact(own, Math.max(1, shape.get(mode))));
    }
    return strides;
  }
}
