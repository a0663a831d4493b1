package tilewright.ops;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import tilewright.kernel.CompiledKernel;
import tilewright.ptx.Dim3;

/** Finds a kernel's grid: one block per tile along each axis by which the kernel takes tiles of its tensors. */
final class DerivedGrid {
  private static final List<String> AXES = List.of("x", "y", "z");

  private DerivedGrid() {}

  static Dim3 of(CompiledKernel kernel, Map<String, Long> extents) {
    var blocks = IntStream.range(0, AXES.size()).map(axis -> blocks(kernel, axis, extents)).toArray();
    return new Dim3(blocks[0], blocks[1], blocks[2]);
  }

  private static int blocks(CompiledKernel kernel, int axis, Map<String, Long> extents) {
    var tiles = kernel.tilings().stream().filter(t -> t.axis() == axis)
        .map(t -> Math.ceilDiv(extents.get(t.extent()), (long) t.tile())).max(Comparator.naturalOrder());
    if (tiles.isPresent()) return Math.toIntExact(Math.max(1, tiles.get()));
    var ptx = kernel.ptx();
    if (ptx.contains("%ctaid." + AXES.get(axis)) || ptx.contains("%nctaid." + AXES.get(axis))) {
      throw new IllegalArgumentException("the grid of kernel " + kernel.name() + " does not follow from its tiles: it "
          + "uses the block's index in " + AXES.get(axis) + " otherwise than as the position of a tile; say "
          + "grid(blocks)");
    }
    return 1;
  }
}
