package tilewright.simulator.tensormap;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.ptx.tensormap.Interleave;
import tilewright.ptx.tensormap.OutOfBoundsFill;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorView;
import tilewright.ptx.tensormap.WideMode;

/**
 * The contents of a tensor map in memory. Lists have one number a possible dimension, innermost first; those beyond the
 * rank mean nothing, but {@code tensormap.replace} can reach them.
 *
 * @param address of the tensor in global memory
 * @param box elements, in tiled mode
 * @param lowerCorner of the bounding box in W, H and D, in the im2col modes
 * @param channels a pixel, in the im2col modes
 * @param pixels a column, in the im2col modes
 */
public record TensorDescriptor(AccessMode mode, long address, int rank, TensorElement element, Interleave interleave,
    SwizzleMode swizzle, OutOfBoundsFill fill, List<Long> dims, List<Long> strides, List<Integer> elementStrides,
    List<Integer> box, List<Integer> lowerCorner, List<Integer> upperCorner, int channels, int pixels) {
  public static final int MOST_DIMENSIONS = 5;
  private static final int MOST_SPATIAL = 3;

  public TensorDescriptor {
    dims = List.copyOf(dims);
    strides = List.copyOf(strides);
    elementStrides = List.copyOf(elementStrides);
    box = List.copyOf(box);
    lowerCorner = List.copyOf(lowerCorner);
    upperCorner = List.copyOf(upperCorner);
  }

  /** Describes a map over memory at an address; the map must keep the rules. */
  public static TensorDescriptor of(TensorMap map, long address) {
    return switch (map) {
      case TensorMap.Tiled(var view, var box) ->
          of(AccessMode.TILED, view, address, box, List.of(), List.of(), 1, 1);
      case TensorMap.Im2col m -> of(AccessMode.IM2COL, m.view(), address, List.of(), m.lowerCorner(), m.upperCorner(),
          m.channelsPerPixel(), m.pixelsPerColumn());
      case TensorMap.Im2colWide m -> of(m.mode() == WideMode.W ? AccessMode.IM2COL_W : AccessMode.IM2COL_W128,
          m.view(), address, List.of(), List.of(m.lowerCornerWidth()), List.of(m.upperCornerWidth()),
          m.channelsPerPixel(), m.pixelsPerColumn());
    };
  }

  private static TensorDescriptor of(AccessMode mode, TensorView view, long address, List<Integer> box,
      List<Integer> lower, List<Integer> upper, int channels, int pixels) {
    return new TensorDescriptor(mode, address, view.rank(), view.element(), view.interleave(), view.swizzle(),
        view.fill(), padded(view.dims(), MOST_DIMENSIONS, 1L), padded(view.strides(), MOST_DIMENSIONS - 1, 0L),
        padded(view.elementStrides(), MOST_DIMENSIONS, 1), padded(box, MOST_DIMENSIONS, 1),
        padded(lower, MOST_SPATIAL, 0), padded(upper, MOST_SPATIAL, 0), channels, pixels);
  }

  private static <N> List<N> padded(List<N> numbers, int size, N filler) {
    return IntStream.range(0, size).mapToObj(i -> i < numbers.size() ? numbers.get(i) : filler).toList();
  }

  /**
   * Elements that one copy takes in a dimension, after the element strides thinned them out (tiled mode). With an
   * interleave it is one in the last dimension but one, whatever the box says (as an H200 has it).
   */
  public int traversed(int dimension) {
    if (interleave != Interleave.NONE && dimension == rank - 2) return 1;
    int step = dimension == 0 && interleave == Interleave.NONE ? 1 : elementStrides.get(dimension);
    return Math.ceilDiv(box.get(dimension), step);
  }
}
