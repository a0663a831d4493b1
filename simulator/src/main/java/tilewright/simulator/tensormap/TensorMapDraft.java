package tilewright.simulator.tensormap;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import tilewright.ptx.tensormap.Interleave;
import tilewright.ptx.tensormap.OutOfBoundsFill;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;

/**
 * A tensor map that threads may still be making. Triton makes one from 128 bytes of zeros, field by field with {@code
 * tensormap.replace}; the PTX ISA does not say what zeros mean, so each field must be set before a copy goes by it.
 *
 * @param set one bit for each field that has a value, by {@link TensorMapField#bit}
 */
public record TensorMapDraft(TensorDescriptor descriptor, long set) {
  private static final long ALL = -1;

  /** A finished map. */
  public static TensorMapDraft of(TensorDescriptor descriptor) {
    return new TensorMapDraft(descriptor, ALL);
  }

  /** 128 bytes of zeros: nothing is set. The fields have the values that a map of one element would have. */
  static TensorMapDraft blank() {
    var ones = Collections.nCopies(TensorDescriptor.MOST_DIMENSIONS, 1);
    var none = List.of(0, 0, 0);
    return new TensorMapDraft(new TensorDescriptor(AccessMode.TILED, 0, 1, TensorElement.U8, Interleave.NONE,
        SwizzleMode.NONE, OutOfBoundsFill.ZERO, Collections.nCopies(TensorDescriptor.MOST_DIMENSIONS, 1L),
        Collections.nCopies(TensorDescriptor.MOST_DIMENSIONS - 1, 0L), ones, ones, none, none, 1, 1), 0);
  }

  /** The draft with a new value, as {@link TensorMapField#replace} has it. */
  public TensorMapDraft replace(TensorMapField field, int ordinal, long value) {
    return new TensorMapDraft(field.replace(descriptor, ordinal, value), set | field.bit(ordinal));
  }

  /** Whether any field is set. */
  public boolean isBegun() {
    return set != 0;
  }

  /** The fields that a copy needs and that nobody has set, such as {@code box_dim[1]}; empty for a finished map. */
  public List<String> missing() {
    var missing = new ArrayList<String>();
    for (var field : TensorMapField.values()) {
      for (int i = 0; i < field.needed(descriptor.rank()); i++) {
        if ((set & field.bit(i)) == 0) missing.add(field.modifier() + (field.hasOrdinal() ? "[" + i + "]" : ""));
      }
    }
    return missing;
  }
}
