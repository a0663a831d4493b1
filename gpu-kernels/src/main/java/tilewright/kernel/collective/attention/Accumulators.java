package tilewright.kernel.collective.attention;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.Scope;
import tilewright.kernel.Vector;
import tilewright.kernel.tiled.Fragment;
import tilewright.numerics.ElementType;

/**
 * The registers of a product's accumulators as numbers: FP32 numbers, or f16 two by two.
 *
 * @param rows of the product's tile
 */
public record Accumulators(ElementType type, FragmentRows rows) {

  /** The present values of a fragment, in the order of the partition's values. */
  public List<F32> values(Scope k, Fragment fragment) {
    return type == ElementType.F32 ? rows.values(k, fragment)
        : Vector.packed(k, type, fragment.registers()).values();
  }

  /** Multiplies each row by its factor; halves are rounded. */
  public void scale(Scope k, Fragment fragment, List<F32> factors) {
    if (type == ElementType.F32) {
      rows.scale(k, fragment, factors);
      return;
    }
    var pairs = factors.stream().map(factor -> Vector.pack(k, type, factor, factor)).toList();
    var registers = fragment.registers();
    for (int i = 0; i < registers.size(); i++) {
      // Both halves of a register are neighbours in a row.
      k.emit("mul.rn.f16x2", registers.get(i), registers.get(i), pairs.get(rows.rowOf(2 * i)));
    }
  }
}
