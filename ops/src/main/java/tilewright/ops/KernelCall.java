package tilewright.ops;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.KernelParameter;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;

/**
 * A kernel and what it is called with. Tensors are arrays of Java's primitives: {@code float[]}, {@code double[]} and
 * {@code int[]} hold numbers, which are rounded to the tensor's type, {@code short[]} and {@code byte[]} the bits of
 * 16- and 8-bit types. An array holds the elements in memory order, the last mode contiguous unless the kernel or
 * {@link #layout} says otherwise. Extents and the grid follow from the arrays where the kernel says how, and are told
 * by {@link #extent} and {@link #grid} where it does not. Outputs begin as NaN.
 */
public final class KernelCall {
  private final Device device;
  private final Optional<Kernel> kernel;
  private final Optional<PreparedLaunch> prepared;
  private final Map<String, HostTensor> tensors = new LinkedHashMap<>();
  private final Map<String, Layout> layouts = new HashMap<>();
  private final Map<String, Long> extents = new HashMap<>();
  private final Map<String, Float> scalars = new HashMap<>();
  private Optional<Dim3> grid = Optional.empty();
  private Target target = Target.SM80;
  private Device.Settings settings = new Device.Settings(true, 0);
  private boolean strict;

  private KernelCall(Device device, Optional<Kernel> kernel, Optional<PreparedLaunch> prepared) {
    this.device = device;
    this.kernel = kernel;
    this.prepared = prepared;
  }

  static KernelCall of(Device device, Kernel kernel) {
    return new KernelCall(device, Optional.of(kernel), Optional.empty());
  }

  static KernelCall of(Device device, PreparedLaunch launch) {
    return new KernelCall(device, Optional.empty(), Optional.of(launch));
  }

  /**
   * Gives a tensor its numbers.
   *
   * @param extents one per mode; none where they follow from the array's length and the other tensors
   */
  public KernelCall in(String name, float[] numbers, long... extents) {
    return with(HostTensor.input(name, numbers, numbers.length, extents));
  }

  /** Gives a tensor its numbers; see {@link #in(String, float[], long...)}. */
  public KernelCall in(String name, double[] numbers, long... extents) {
    return with(HostTensor.input(name, numbers, numbers.length, extents));
  }

  /** Gives a tensor its numbers; see {@link #in(String, float[], long...)}. */
  public KernelCall in(String name, int[] numbers, long... extents) {
    return with(HostTensor.input(name, numbers, numbers.length, extents));
  }

  /** Gives a tensor of a 16-bit type its bits; see {@link #in(String, float[], long...)}. */
  public KernelCall in(String name, short[] bits, long... extents) {
    return with(HostTensor.input(name, bits, bits.length, extents));
  }

  /** Gives a tensor of an 8-bit type its bits; see {@link #in(String, float[], long...)}. */
  public KernelCall in(String name, byte[] bits, long... extents) {
    return with(HostTensor.input(name, bits, bits.length, extents));
  }

  /**
   * Names a tensor that the kernel writes.
   *
   * @param extents one per mode, or the number of elements; none where they follow from the other tensors
   */
  public KernelCall out(String name, long... extents) {
    return with(HostTensor.output(name, extents));
  }

  private KernelCall with(HostTensor tensor) {
    if (tensors.putIfAbsent(tensor.name(), tensor) != null) {
      throw new IllegalArgumentException("tensor " + tensor.name() + " is given twice");
    }
    return this;
  }

  /** Gives a tensor its extents and strides, in elements: {@code Layout.parse("(64,128):(1,64)")}. */
  public KernelCall layout(String name, Layout layout) {
    layouts.put(name, layout);
    return this;
  }

  /** Gives an extent that no array tells. */
  public KernelCall extent(String name, long value) {
    extents.put(name, value);
    return this;
  }

  /** Gives an FP32 parameter. */
  public KernelCall scalar(String name, float value) {
    scalars.put(name, value);
    return this;
  }

  /** Gives the number of blocks in x. */
  public KernelCall grid(int x) {
    return grid(x, 1, 1);
  }

  /** Gives the number of blocks in x and y. */
  public KernelCall grid(int x, int y) {
    return grid(x, y, 1);
  }

  /** Gives the number of blocks in x, y and z. */
  public KernelCall grid(int x, int y, int z) {
    grid = Optional.of(new Dim3(x, y, z));
    return this;
  }

  /** Compiles the kernel for another target than SM80. */
  public KernelCall target(Target value) {
    target = value;
    return this;
  }

  /** Switches the simulator's sanitizer on or off; it is on unless this says otherwise. */
  public KernelCall sanitize(boolean value) {
    settings = new Device.Settings(value, settings.seed());
    return this;
  }

  /** Chooses the order in which the simulator runs warps; equal seeds give equal orders. */
  public KernelCall seed(long value) {
    settings = new Device.Settings(settings.sanitize(), value);
    return this;
  }

  /** Makes {@link #run} fail on findings, as {@link KernelRun#requireClean} does. */
  public KernelCall failOnFindings() {
    strict = true;
    return this;
  }

  /**
   * Runs the kernel once.
   *
   * @throws IllegalArgumentException naming what is missing or does not fit, and what to say instead
   * @throws tilewright.device.driver.GpuException when there is no GPU, or the launch fails on it
   */
  public KernelRun run() {
    if (prepared.isPresent() && (grid.isPresent() || !extents.isEmpty() || !layouts.isEmpty() || !scalars.isEmpty())) {
      throw new IllegalArgumentException("a prepared launch has its grid, extents, layouts and parameters already: "
          + "give it only in and out");
    }
    var compiled = prepared.map(PreparedLaunch::kernel)
        .orElseGet(() -> CompiledKernel.compile(kernel.orElseThrow(), target));
    var specs = specs(compiled);
    requireKnown(compiled, specs);
    var launch = prepared.orElseGet(() -> prepare(compiled, specs));
    var sizes = TensorCoordinates.of(launch);
    var buffers = new HashMap<String, MemorySegment>();
    var types = new HashMap<String, ElementType>();
    var outputs = new HashSet<String>();
    for (var tensor : tensors.values()) {
      var type = specs.get(tensor.name()).type();
      long elements = sizes.get(tensor.name()) instanceof TensorCoordinates(_, Layout l, _) ? l.cosize()
          : tensor.elements().orElseThrow(() -> new IllegalArgumentException("tensor " + tensor.name() + " of "
              + compiled.name() + " has a tensor map, which does not say how many elements its buffer has: say out(\""
              + tensor.name() + "\", elements)"));
      types.put(tensor.name(), type);
      buffers.put(tensor.name(), tensor.buffer(type, elements));
      if (tensor.isOutput()) outputs.add(tensor.name());
    }
    var run = new KernelRun(compiled.name(), device, buffers, types,
        device.run(launch, buffers, Set.copyOf(outputs), settings));
    return strict ? run.requireClean() : run;
  }

  private PreparedLaunch prepare(CompiledKernel compiled, Map<String, TensorSpec> specs) {
    var shapes = new Shapes(compiled.name(), List.copyOf(specs.values()), extents, layouts, tensors).solve();
    var arguments = LaunchArguments.of(compiled);
    scalars.forEach(arguments::scalar);
    for (var spec : specs.values()) arguments.tensor(spec.name(), shapes.argument(spec));
    return new PreparedLaunch(compiled, grid.orElseGet(() -> DerivedGrid.of(compiled, shapes.extents())),
        arguments.build());
  }

  /** The tensors, by the buffers of a prepared launch or else by their names. */
  private Map<String, TensorSpec> specs(CompiledKernel compiled) {
    var specs = new LinkedHashMap<String, TensorSpec>();
    for (int i = 0; i < compiled.parameters().size(); i++) {
      int number = i;
      var spec = switch (compiled.parameters().get(i)) {
        case KernelParameter.Pointer(var tensor) -> Optional.of(tensor);
        case KernelParameter.Map(var map) -> Optional.of(map.tensor());
        default -> Optional.<TensorSpec>empty();
      };
      spec.ifPresent(s -> specs.putIfAbsent(prepared.map(p -> buffer(p.arguments().get(number))).orElse(s.name()), s));
    }
    prepared.ifPresent(p -> p.scratch().forEach(part -> specs.remove(part.name())));
    return specs;
  }

  private static String buffer(Launch.Argument argument) {
    return switch (argument) {
      case Launch.Argument.Buffer(var name, _) -> name;
      case Launch.Argument.TensorMapOf(var buffer, _) -> buffer.name();
      default -> throw new IllegalStateException("a tensor is no " + argument);
    };
  }

  private void requireKnown(CompiledKernel compiled, Map<String, TensorSpec> specs) {
    var needed = specs.entrySet().stream()
        .map(e -> e.getKey() + e.getValue().extents() + " of " + e.getValue().type().text())
        .collect(Collectors.joining(", "));
    for (var name : tensors.keySet()) {
      if (!specs.containsKey(name)) throw new IllegalArgumentException("kernel " + compiled.name()
          + " has no tensor '" + name + "': it has " + needed);
    }
    for (var name : specs.keySet()) {
      if (!tensors.containsKey(name)) throw new IllegalArgumentException("kernel " + compiled.name()
          + " needs tensor " + name + ": give it by in(\"" + name + "\", …) or out(\"" + name + "\", …); it has "
          + needed);
    }
    var known = Arrays.asList(scalars(compiled));
    for (var name : scalars.keySet()) {
      if (!known.contains(name)) throw new IllegalArgumentException("kernel " + compiled.name()
          + " has no parameter '" + name + "': it has " + known);
    }
  }

  private static String[] scalars(CompiledKernel compiled) {
    return compiled.parameters().stream().filter(KernelParameter.Scalar.class::isInstance)
        .map(KernelParameter::name).toArray(String[]::new);
  }
}
