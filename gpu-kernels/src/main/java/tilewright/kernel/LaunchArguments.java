package tilewright.kernel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tilewright.ptx.Launch;
import tilewright.ptx.PtxType;

/**
 * The arguments of one launch, checked against what the kernel assumes: extents that tensors share agree, the
 * contiguous mode has stride one, pointer and strides are aligned.
 */
public final class LaunchArguments {
  private final CompiledKernel kernel;
  private final Map<String, Tensor> tensors = new HashMap<>();
  private final Map<String, Float> scalars = new HashMap<>();
  private final Map<String, Integer> integers = new HashMap<>();

  /**
   * A tensor in a buffer.
   *
   * @param offset bytes from the buffer's begin
   * @param extents one a mode
   * @param strides elements, one a mode
   */
  public record Tensor(String buffer, long offset, List<Long> extents, List<Long> strides) {
    public Tensor {
      extents = List.copyOf(extents);
      strides = List.copyOf(strides);
    }

    /** Whether two elements can lie a stride of this mode apart: only then does it matter what the stride is. */
    boolean walks(int mode) {
      return extents.get(mode) > 1 && !extents.contains(0L);
    }
  }

  private LaunchArguments(CompiledKernel kernel) {
    this.kernel = kernel;
  }

  public static LaunchArguments of(CompiledKernel kernel) {
    return new LaunchArguments(kernel);
  }

  public LaunchArguments tensor(String name, Tensor tensor) {
    tensors.put(name, tensor);
    return this;
  }

  public LaunchArguments scalar(String name, float value) {
    scalars.put(name, value);
    return this;
  }

  /** @throws IllegalArgumentException unless the value is in 0…2³⁰ */
  public LaunchArguments integer(String name, int value) {
    if (value < 0 || value > GlobalTensor.MAX_EXTENT) {
      throw new IllegalArgumentException(name + " = " + value + " is not in 0…2^30");
    }
    integers.put(name, value);
    return this;
  }

  /**
   * The values in the kernel's parameter order.
   *
   * @throws IllegalArgumentException naming the tensor, the number and the rule that a contract breaks
   */
  public List<Launch.Argument> build() {
    var extents = new HashMap<String, Long>();
    for (var parameter : kernel.parameters()) {
      switch (parameter) {
        case KernelParameter.Pointer(var spec) -> check(spec, tensor(spec), extents);
        case KernelParameter.Map(var map) -> check(map.tensor(), tensor(map.tensor()), extents);
        default -> {}
      }
    }
    var arguments = new ArrayList<Launch.Argument>();
    for (var parameter : kernel.parameters()) {
      arguments.add(switch (parameter) {
        case KernelParameter.Pointer(var spec) ->
            new Launch.Argument.Buffer(tensor(spec).buffer(), tensor(spec).offset());
        case KernelParameter.Stride(var spec, int mode) ->
            new Launch.Argument.Scalar(PtxType.S64, tensor(spec).strides().get(mode));
        case KernelParameter.Extent(var name) -> Launch.Argument.u32(Math.toIntExact(extents.get(name)));
        case KernelParameter.Scalar(var name, var type) -> type == PtxType.F32
            ? Launch.Argument.f32(number(scalars, name)) : Launch.Argument.u32(number(integers, name));
        case KernelParameter.Map(var map) -> map.argument(tensor(map.tensor()));
      });
    }
    return arguments;
  }

  private <N> N number(Map<String, N> numbers, String name) {
    var number = numbers.get(name);
    if (number == null) throw new IllegalArgumentException("kernel " + kernel.name() + " needs a value for '" + name
        + "'");
    return number;
  }

  private Tensor tensor(TensorSpec spec) {
    var tensor = tensors.get(spec.name());
    if (tensor == null) throw new IllegalArgumentException("kernel " + kernel.name() + " needs tensor " + spec.name()
        + spec.extents());
    return tensor;
  }

  private static void check(TensorSpec spec, Tensor tensor, Map<String, Long> extents) {
    int rank = spec.extents().size();
    if (tensor.extents().size() != rank || tensor.strides().size() != rank) {
      throw new IllegalArgumentException("tensor " + spec.name() + spec.extents() + " has rank " + rank
          + ", got extents " + tensor.extents() + " and strides " + tensor.strides());
    }
    require(tensor.offset() % ((long) spec.alignment() * spec.type().bytes()) == 0, spec, "offset " + tensor.offset()
        + " bytes is not a multiple of " + spec.alignment() + " elements");
    for (int mode = 0; mode < rank; mode++) {
      var made = spec.modes().get(mode);
      var name = made.name();
      long extent = tensor.extents().get(mode);
      long stride = tensor.strides().get(mode);
      require(extent >= 0 && extent <= GlobalTensor.MAX_EXTENT, spec, name + " = " + extent + " is not in 0…2^30");
      Long other = extents.putIfAbsent(name, extent);
      require(other == null || other == extent, spec, name + " = " + extent + ", but another tensor has " + other);
      require(extent % made.multiple() == 0, spec, name + " = " + extent + " is not a multiple of " + made.multiple());
      int fixed = made.extent().orElse(Math.toIntExact(extent));
      require(extent == fixed, spec, name + " = " + extent + ", but this kernel was made for " + fixed);
      if (spec.isContiguous(mode)) {
        require(stride == 1 || !tensor.walks(mode), spec,
            "stride of " + name + " is " + stride + ", this kernel needs 1");
      } else {
        require(stride % spec.alignment() == 0 || !tensor.walks(mode), spec, "stride of " + name + " is "
            + stride + ", this kernel needs multiples of " + spec.alignment());
        long known = made.stride().orElse(stride);
        require(stride == known || !tensor.walks(mode), spec, "stride of " + name + " is " + stride
            + ", but this kernel was made for " + known);
      }
    }
  }

  private static void require(boolean condition, TensorSpec spec, String message) {
    if (!condition) throw new IllegalArgumentException("tensor " + spec.name() + spec.extents() + ": " + message);
  }
}
