package tilewright.ptx.tensormap;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The requirements of the functions that encode tensor maps (CUDA driver API, Tensor Map Object Management). */
public final class TensorMapRules {
  private static final int MOST_DIMENSIONS = 5;
  private static final long MOST_ELEMENTS = 1L << 32;
  private static final long STRIDE_LIMIT = 1L << 40;
  private static final int MOST_BOX = 256;
  private static final int MOST_STEP = 8;
  private static final int MOST_PIXELS = 1024;
  private static final int GRANULE = 16;
  private static final int PADDED_BOX = 128;
  private static final int FIRST_WITH_PACKED = 100;

  private final TensorMap map;
  private final TensorView view;
  private final int architecture;
  private final List<String> violations = new ArrayList<>();

  private TensorMapRules(TensorMap map, int architecture) {
    this.map = map;
    this.view = map.view();
    this.architecture = architecture;
  }

  /**
   * Every rule that a map breaks, each with the bad value and what is needed; empty for a map that can be encoded.
   *
   * @param address of the tensor in global memory
   * @param architecture the GPU's, such as 90 or 100
   */
  public static List<String> violations(TensorMap map, long address, int architecture) {
    var rules = new TensorMapRules(map, architecture);
    rules.lengths();
    // What follows takes one number per dimension for granted.
    if (!rules.violations.isEmpty()) return rules.violations;
    rules.architecture();
    rules.address(address);
    rules.tensor();
    rules.elementStrides();
    switch (map) {
      case TensorMap.Tiled tiled -> rules.box(tiled.box());
      case TensorMap.Im2col im2col -> rules.im2col(im2col);
      case TensorMap.Im2colWide wide -> rules.wide(wide);
    }
    rules.interleave();
    rules.packed();
    rules.fill();
    return rules.violations;
  }

  /**
   * Demands that a map can be encoded.
   *
   * @throws IllegalArgumentException with all rules that it breaks
   */
  public static void require(TensorMap map, long address, int architecture) {
    var violations = violations(map, address, architecture);
    if (!violations.isEmpty()) throw new IllegalArgumentException("tensor map: " + String.join("; ", violations));
  }

  private void lengths() {
    int least = map instanceof TensorMap.Tiled && view.interleave() == Interleave.NONE ? 1 : 3;
    int rank = view.rank();
    if (rank < least || rank > MOST_DIMENSIONS) {
      var why = map instanceof TensorMap.Tiled ? least == 1 ? "" : " with interleave " + view.interleave()
          : " in im2col mode";
      broken("dims has " + rank + " dimensions; " + least + " to " + MOST_DIMENSIONS + " are possible" + why);
      return;
    }
    length("strides", view.strides().size(), rank - 1);
    length("elementStrides", view.elementStrides().size(), rank);
    if (map instanceof TensorMap.Tiled(_, var box)) length("box", box.size(), rank);
    if (map instanceof TensorMap.Im2col im2col) {
      length("lowerCorner", im2col.lowerCorner().size(), rank - 2);
      length("upperCorner", im2col.upperCorner().size(), rank - 2);
    }
  }

  private void length(String name, int actual, int needed) {
    if (actual != needed) {
      broken(name + " has " + actual + " numbers; a tensor of " + view.rank() + " dimensions needs " + needed);
    }
  }

  private void architecture() {
    if (architecture >= FIRST_WITH_PACKED) return;
    if (view.element().isPacked()) needsNewer("element type " + view.element());
    if (view.swizzle().atom() > GRANULE) needsNewer("swizzle " + view.swizzle());
    if (map instanceof TensorMap.Im2colWide) needsNewer("an im2colWide map");
  }

  private void needsNewer(String what) {
    broken(what + " needs sm_" + FIRST_WITH_PACKED + " or newer; this is sm_" + architecture);
  }

  /** The bytes of which addresses and strides must be multiples. */
  private int granule() {
    return view.interleave() == Interleave.B32 || view.element().isPadded() ? 32 : GRANULE;
  }

  private String granuleReason() {
    return view.interleave() == Interleave.B32 ? " with interleave 32B"
        : view.element().isPadded() ? " for elements " + view.element() : "";
  }

  private void address(long address) {
    if (address % granule() != 0) {
      broken("address 0x" + Long.toHexString(address) + " is no multiple of " + granule() + " bytes"
          + granuleReason() + "; align the tensor");
    }
  }

  private void tensor() {
    for (int i = 0; i < view.rank(); i++) within("dims[" + i + "]", view.dims().get(i), 1, MOST_ELEMENTS);
    int multiple = view.element().isPadded() ? PADDED_BOX : view.element().isPacked() ? 2 : 1;
    if (view.dims().getFirst() % multiple != 0) {
      broken("dims[0] is " + view.dims().getFirst() + "; elements " + view.element() + " need a multiple of "
          + multiple);
    }
    for (int i = 0; i < view.strides().size(); i++) {
      long stride = view.strides().get(i);
      var name = "strides[" + i + "]";
      if (stride < 0 || stride >= STRIDE_LIMIT) {
        broken(name + " is " + stride + " bytes; needed is 0 or more and less than 2^40");
      }
      if (stride % granule() != 0) {
        broken(name + " is " + stride + " bytes, no multiple of " + granule() + granuleReason() + "; pad the rows");
      }
    }
  }

  private void elementStrides() {
    for (int i = 0; i < view.rank(); i++) {
      within("elementStrides[" + i + "]", view.elementStrides().get(i), 1, MOST_STEP);
    }
  }

  private void box(List<Integer> box) {
    for (int i = 0; i < box.size(); i++) within("box[" + i + "]", box.get(i), 1, MOST_BOX);
    inner("box[0]", box.getFirst());
  }

  private void im2col(TensorMap.Im2col im2col) {
    int bits = switch (view.rank()) {
      case 3 -> 16;
      case 4 -> 8;
      default -> 5;
    };
    for (int i = 0; i < view.rank() - 2; i++) {
      corner("[" + i + "]", im2col.lowerCorner().get(i), im2col.upperCorner().get(i), view.dims().get(i + 1), bits);
    }
    pixels(im2col.channelsPerPixel(), im2col.pixelsPerColumn());
  }

  private void wide(TensorMap.Im2colWide wide) {
    corner("Width", wide.lowerCornerWidth(), wide.upperCornerWidth(), view.dims().get(1), 16);
    pixels(wide.channelsPerPixel(), wide.mode() == WideMode.W ? wide.pixelsPerColumn() : 1);
    if (!Set.of(SwizzleMode.B64, SwizzleMode.B128, SwizzleMode.B128_ATOM_32B).contains(view.swizzle())) {
      broken("swizzle is " + view.swizzle() + "; an im2colWide map needs 64B, 128B or 128B_ATOM_32B");
    }
    if (view.interleave() != Interleave.NONE) {
      broken("interleave is " + view.interleave() + "; an im2colWide map needs none");
    }
  }

  private void corner(String index, int lower, int upper, long extent, int bits) {
    long least = -1L << bits - 1;
    within("lowerCorner" + index, lower, least, -least - 1);
    within("upperCorner" + index, upper, least, -least - 1);
    if (extent + upper - lower <= 0) {
      broken("lowerCorner" + index + " " + lower + " and upperCorner" + index + " " + upper
          + " leave nothing of " + extent + " pixels; the bounding box must not be empty");
    }
  }

  private void pixels(int channels, int pixels) {
    within("channelsPerPixel", channels, 1, MOST_BOX);
    within("pixelsPerColumn", pixels, 1, MOST_PIXELS);
    inner("channelsPerPixel", channels);
  }

  /** Checks the extent of one row of the box, or of one pixel. */
  private void inner(String name, int elements) {
    var element = view.element();
    long bits = (long) elements * element.sharedBits();
    if (bits % (8 * GRANULE) != 0) {
      broken(name + " is " + elements + ", " + bits / 8 + " bytes of " + element
          + "; needed is a multiple of 16 bytes");
    }
    int span = view.swizzle().span();
    if (view.interleave() == Interleave.NONE && span != 0 && bits > 8L * span) {
      broken(name + " is " + elements + ", " + bits / 8 + " bytes of " + element + "; swizzle " + view.swizzle()
          + " takes at most " + span);
    }
    if (element.isPadded() && elements != PADDED_BOX) {
      broken(name + " is " + elements + "; elements " + element + " need " + PADDED_BOX);
    }
  }

  private void interleave() {
    if (view.interleave() == Interleave.B32 && view.swizzle() != SwizzleMode.B32) {
      broken("swizzle is " + view.swizzle() + "; interleave 32B needs swizzle 32B");
    }
    if (view.swizzle() == SwizzleMode.B96) broken("swizzle 96B can only be set by tensormap.replace");
  }

  private void packed() {
    var element = view.element();
    if (element == TensorElement.U6_ALIGN16B && view.interleave() != Interleave.NONE) {
      broken("interleave is " + view.interleave() + "; elements " + element + " need none");
    }
    if (!element.isPadded()) return;
    var possible = element == TensorElement.U4_ALIGN16B
        ? List.of(SwizzleMode.NONE, SwizzleMode.B128, SwizzleMode.B128_ATOM_32B)
        : List.of(SwizzleMode.NONE, SwizzleMode.B128, SwizzleMode.B128_ATOM_32B, SwizzleMode.B128_ATOM_64B);
    if (!possible.contains(view.swizzle())) {
      broken("swizzle is " + view.swizzle() + "; elements " + element + " need one of " + possible);
    }
  }

  private void fill() {
    if (view.fill() == OutOfBoundsFill.NAN && !view.element().isFloat()) {
      broken("oobFill is nan, but elements " + view.element() + " have no NaN; needed is zero");
    }
  }

  private void within(String name, long value, long least, long most) {
    if (value < least || value > most) broken(name + " is " + value + "; needed is " + least + " to " + most);
  }

  private void broken(String what) {
    violations.add(what);
  }
}
