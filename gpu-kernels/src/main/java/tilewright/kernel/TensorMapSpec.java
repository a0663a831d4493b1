package tilewright.kernel;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.ptx.Launch;
import tilewright.ptx.tensormap.L2Promotion;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorView;

/**
 * A tensor map that the launch makes from a tensor: which box of it one copy takes, and how the box is swizzled in
 * shared memory (CUDA driver API, cuTensorMapEncodeTiled; SM90).
 *
 * @param tensor has a contiguous mode and is aligned to 16 bytes
 * @param box elements of each mode of the tensor
 * @param steps coordinates from one element of the box to the next in each mode; 1 in the contiguous one
 */
public record TensorMapSpec(TensorSpec tensor, List<Integer> box, List<Integer> steps, SwizzleMode swizzle) {
  private static final int GRANULE = 16;
  private static final int MOST = 256;
  /** The driver's largest element stride. */
  public static final int MOST_STEP = 8;

  public TensorMapSpec {
    box = List.copyOf(box);
    steps = List.copyOf(steps);
    var name = "tensor " + tensor.name() + tensor.extents();
    if (box.size() != tensor.extents().size() || box.size() > 5) {
      throw new TraceException(name + " cannot be copied in boxes of " + box + ": one extent a mode, at most five");
    }
    requireSpans(name, box, steps);
    if (tensor.contiguous().isEmpty() || tensor.alignment() * tensor.type().bytes() % GRANULE != 0) {
      throw new TraceException(name + " cannot be copied in boxes: declare its contiguous mode, and it aligned to "
          + GRANULE / tensor.type().bytes() + " elements");
    }
    int row = box.get(tensor.extents().indexOf(tensor.contiguous().get())) * tensor.type().bytes();
    if (row % GRANULE != 0 || swizzle.span() > 0 && row > swizzle.span()) {
      throw new TraceException(name + " cannot be copied in boxes of " + box + " swizzled by " + swizzle + ": " + row
          + " contiguous bytes; a multiple of " + GRANULE + " is needed, at most the swizzle's span");
    }
  }

  /** Boxes of neighbours. */
  public TensorMapSpec(TensorSpec tensor, List<Integer> box, SwizzleMode swizzle) {
    this(tensor, box, Collections.nCopies(box.size(), 1), swizzle);
  }

  private static void requireSpans(String name, List<Integer> box, List<Integer> steps) {
    for (int mode = 0; mode < box.size(); mode++) {
      int extent = box.get(mode);
      int step = steps.get(mode);
      if (step < 1 || step > MOST_STEP) {
        throw new TraceException(name + " cannot be copied in steps of " + steps + ": they are 1 to " + MOST_STEP);
      }
      if (extent < 1 || extent * step > MOST) {
        throw new TraceException(name + " cannot be copied in boxes of " + box
            + (step > 1 ? " in steps of " + steps : "") + ": extents are 1 to " + MOST);
      }
    }
  }

  /** The parameter's name in PTX. */
  String name() {
    return tensor.name() + "_map";
  }

  /** The tensor's modes in the order of the map: the contiguous one is innermost. */
  public List<Integer> order() {
    int inner = tensor.extents().indexOf(tensor.contiguous().orElseThrow());
    var order = new ArrayList<>(List.of(inner));
    IntStream.range(0, box.size()).filter(mode -> mode != inner).forEach(order::add);
    return order;
  }

  /** The bytes of one box in shared memory. */
  public int bytes() {
    return box.stream().reduce(tensor.type().bytes(), Math::multiplyExact);
  }

  /** The map of a tensor that a launch gives. */
  Launch.Argument argument(LaunchArguments.Tensor given) {
    var dims = new ArrayList<Long>();
    var strides = new ArrayList<Long>();
    for (int mode : order()) {
      // A mode without elements leaves nothing to copy, but a map needs one.
      dims.add(Math.max(1, given.extents().get(mode)));
      // A stride that is never walked need not be aligned.
      strides.add(given.walks(mode) ? given.strides().get(mode) * element().bits() / Byte.SIZE : 2 * GRANULE);
    }
    // Of rows that begin inside cache lines, 256 bytes at a time would fetch more lines that no one reads.
    var view = TensorView.of(element(), dims, strides.subList(1, strides.size())).withSwizzle(swizzle)
        .withL2Promotion(L2Promotion.B128).withElementStrides(inOrder(steps));
    return new Launch.Argument.TensorMapOf(new Launch.Argument.Buffer(given.buffer(), given.offset()),
        new TensorMap.Tiled(view, inOrder(spans())));
  }

  /** The coordinates that a box spans in each mode. */
  public List<Integer> spans() {
    return IntStream.range(0, box.size()).mapToObj(mode -> box.get(mode) * steps.get(mode)).toList();
  }

  private List<Integer> inOrder(List<Integer> ofModes) {
    return order().stream().map(ofModes::get).toList();
  }

  /** The elements' type as the map has it. */
  public TensorElement element() {
    return tensor.packed().orElse(switch (tensor.type()) {
      case F64 -> TensorElement.F64;
      case F32 -> TensorElement.F32;
      case TF32 -> TensorElement.TF32;
      case F16 -> TensorElement.F16;
      case BF16 -> TensorElement.BF16;
      case E4M3, E5M2, I8 -> TensorElement.U8;
      case I32 -> TensorElement.S32;
      case I4 -> throw new TraceException("no tensor copy takes " + tensor + " as i4: copy bytes, as i8");
    });
  }
}
