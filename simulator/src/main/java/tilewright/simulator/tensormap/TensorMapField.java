package tilewright.simulator.tensormap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import tilewright.ptx.tensormap.Interleave;
import tilewright.ptx.tensormap.OutOfBoundsFill;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;

/** The fields of a tensor map that {@code tensormap.replace} sets, with the encodings of its new values. */
public enum TensorMapField {
  GLOBAL_ADDRESS, RANK, BOX_DIM, GLOBAL_DIM, GLOBAL_STRIDE, ELEMENT_STRIDE, ELEMTYPE, INTERLEAVE_LAYOUT, SWIZZLE_MODE,
  SWIZZLE_ATOMICITY, FILL_MODE;

  private static final List<TensorElement> ELEMENTS = List.of(TensorElement.U8, TensorElement.U16, TensorElement.U32,
      TensorElement.S32, TensorElement.U64, TensorElement.S64, TensorElement.F16, TensorElement.F32,
      TensorElement.F32_FTZ, TensorElement.F64, TensorElement.BF16, TensorElement.TF32, TensorElement.TF32_FTZ,
      TensorElement.U4_ALIGN8B, TensorElement.U4_ALIGN16B, TensorElement.U6_ALIGN16B);
  private static final List<SwizzleMode> SWIZZLES = List.of(SwizzleMode.NONE, SwizzleMode.B32, SwizzleMode.B64,
      SwizzleMode.B128, SwizzleMode.B96);
  /** The 128-byte swizzles, by atomicity. */
  private static final List<SwizzleMode> ATOMICITIES = List.of(SwizzleMode.B128, SwizzleMode.B128_ATOM_32B,
      SwizzleMode.B128_ATOM_32B_FLIP_8B, SwizzleMode.B128_ATOM_64B);

  /** The field of that PTX modifier, such as {@code global_dim}. */
  public static Optional<TensorMapField> parse(String modifier) {
    return Arrays.stream(values()).filter(f -> f.modifier().equals(modifier)).findFirst();
  }

  /** The spelling of PTX. */
  String modifier() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  /** Whether the new value has 64 bits. */
  public boolean isWide() {
    return this == GLOBAL_ADDRESS || this == GLOBAL_STRIDE;
  }

  /** Whether the instruction says of which dimension. */
  public boolean hasOrdinal() {
    return switch (this) {
      case BOX_DIM, GLOBAL_DIM, GLOBAL_STRIDE, ELEMENT_STRIDE -> true;
      default -> false;
    };
  }

  /** The bit that stands for the field, or for its value in one dimension, among those of all fields. */
  long bit(int dimension) {
    return 1L << ordinal() * TensorDescriptor.MOST_DIMENSIONS + dimension;
  }

  /** The number of values of this field that a tensor of rank {@code rank} has. */
  int needed(int rank) {
    return switch (this) {
      case BOX_DIM, GLOBAL_DIM, ELEMENT_STRIDE -> rank;
      case GLOBAL_STRIDE -> rank - 1;
      // The swizzle mode comes with an atomicity.
      case SWIZZLE_ATOMICITY -> 0;
      default -> 1;
    };
  }

  /** Whether the new value must be a constant. */
  public boolean isImmediate() {
    return compareTo(ELEMTYPE) >= 0;
  }

  /**
   * The descriptor with a new value.
   *
   * @param ordinal of the dimension, for fields that have one
   * @param value as the instruction encodes it
   * @throws IllegalArgumentException naming the value and what is possible
   */
  public TensorDescriptor replace(TensorDescriptor d, int ordinal, long value) {
    var copy = new Draft(d);
    switch (this) {
      case GLOBAL_ADDRESS -> copy.address = value;
      case RANK -> copy.rank = (int) within(value, 0, TensorDescriptor.MOST_DIMENSIONS - 1) + 1;
      case BOX_DIM -> copy.box = with(d.box(), ordinal, (int) within(value, 1, 256));
      // The operand has 32 bits, of which 0 stands for 2^32.
      case GLOBAL_DIM -> copy.dims = with(d.dims(), ordinal, ((value - 1) & 0xFFFF_FFFFL) + 1);
      case GLOBAL_STRIDE -> copy.strides = with(d.strides(), ordinal, within(value, 0, (1L << 40) - 1));
      case ELEMENT_STRIDE -> copy.elementStrides = with(d.elementStrides(), ordinal, (int) within(value, 1, 8));
      case ELEMTYPE -> copy.element = one(ELEMENTS, value);
      case INTERLEAVE_LAYOUT -> copy.interleave = one(List.of(Interleave.values()), value);
      case SWIZZLE_MODE -> copy.swizzle = one(SWIZZLES, value);
      case SWIZZLE_ATOMICITY -> copy.swizzle = d.swizzle().span() == 128 ? one(ATOMICITIES, value)
          : value == 0 ? d.swizzle() : refuse(value, "0, because the swizzle is " + d.swizzle());
      case FILL_MODE -> copy.fill = one(List.of(OutOfBoundsFill.values()), value);
    }
    return copy.finish(d);
  }

  private long within(long value, long least, long most) {
    return value >= least && value <= most ? value : refuse(value, least + " to " + most);
  }

  private <E> E one(List<E> possible, long value) {
    return value >= 0 && value < possible.size() ? possible.get((int) value)
        : refuse(value, "0 to " + (possible.size() - 1));
  }

  private <N> List<N> with(List<N> numbers, int ordinal, N value) {
    if (ordinal < 0 || ordinal >= numbers.size()) {
      throw new IllegalArgumentException("ordinal " + ordinal + " of ." + modifier() + "; possible is 0 to "
          + (numbers.size() - 1));
    }
    var changed = new ArrayList<>(numbers);
    changed.set(ordinal, value);
    return changed;
  }

  private <E> E refuse(long value, String possible) {
    throw new IllegalArgumentException("new value " + value + " of ." + modifier() + "; possible is " + possible);
  }

  /** The fields that change, while they do. */
  private static final class Draft {
    long address;
    int rank;
    TensorElement element;
    Interleave interleave;
    SwizzleMode swizzle;
    OutOfBoundsFill fill;
    List<Long> dims;
    List<Long> strides;
    List<Integer> elementStrides;
    List<Integer> box;

    Draft(TensorDescriptor d) {
      address = d.address();
      rank = d.rank();
      element = d.element();
      interleave = d.interleave();
      swizzle = d.swizzle();
      fill = d.fill();
      dims = d.dims();
      strides = d.strides();
      elementStrides = d.elementStrides();
      box = d.box();
    }

    TensorDescriptor finish(TensorDescriptor d) {
      return new TensorDescriptor(d.mode(), address, rank, element, interleave, swizzle, fill, dims, strides,
          elementStrides, box, d.lowerCorner(), d.upperCorner(), d.channels(), d.pixels());
    }
  }
}
