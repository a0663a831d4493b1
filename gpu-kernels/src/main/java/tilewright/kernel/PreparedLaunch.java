package tilewright.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;

/**
 * A compiled kernel with its grid and checked arguments: everything of a launch but the bytes. CUDA knows no grid of
 * nothing, so a grid that is none has one cluster all the same, which finds that there is no work.
 *
 * @param scratch memory that is the kernel's own; one launch after the other may use it, not two at once
 */
public record PreparedLaunch(CompiledKernel kernel, Dim3 grid, List<Launch.Argument> arguments,
    List<Scratch> scratch) {
  private static final int ALIGNMENT = 256;

  public PreparedLaunch {
    grid = grid.max(kernel.cluster());
    arguments = List.copyOf(arguments);
    scratch = List.copyOf(scratch);
  }

  /** Without scratch memory. */
  public PreparedLaunch(CompiledKernel kernel, Dim3 grid, List<Launch.Argument> arguments) {
    this(kernel, grid, arguments, List.of());
  }

  /** A buffer of zeros before the first launch, which each launch leaves as the next one needs it. */
  public record Scratch(String name, ElementType type, Layout layout) {
    public long bytes() {
      return layout.cosize() * type.bytes();
    }

    /** The launch argument. */
    public LaunchArguments.Tensor tensor() {
      return new LaunchArguments.Tensor(name, 0, layout.shape().leaves().boxed().toList(),
          layout.stride().leaves().boxed().toList());
    }
  }

  /** The launch on these buffers, by the names that the arguments use; scratch memory that is not among them is new. */
  public Launch on(Map<String, MemorySegment> buffers) {
    var all = new HashMap<>(buffers);
    for (var part : scratch) {
      all.computeIfAbsent(part.name(), _ -> Arena.ofAuto().allocate(part.bytes(), ALIGNMENT));
    }
    return new Launch(kernel.ptx(), kernel.name(), grid, kernel.block(), kernel.cluster(),
        kernel.dynamicSharedBytes(), kernel.features(), ahead(), all, arguments);
  }

  /** Buffers of the tensors that the kernel reads ahead. */
  private Set<String> ahead() {
    var buffers = new HashSet<String>();
    for (int i = 0; i < kernel.parameters().size(); i++) {
      var parameter = kernel.parameters().get(i);
      if (parameter instanceof KernelParameter.Pointer(var tensor) && kernel.ahead().contains(tensor.name())
          && arguments.get(i) instanceof Launch.Argument.Buffer(var name, _)) {
        buffers.add(name);
      }
      if (parameter instanceof KernelParameter.Map(var map) && kernel.ahead().contains(map.tensor().name())
          && arguments.get(i) instanceof Launch.Argument.TensorMapOf(var buffer, _)) {
        buffers.add(buffer.name());
      }
    }
    return buffers;
  }
}
