package tilewright.simulator.async;

import java.util.Locale;
import tilewright.ptx.tensormap.Interleave;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.Issuer;
import tilewright.simulator.tensormap.AccessMode;
import tilewright.simulator.tensormap.LoadMode;
import tilewright.simulator.tensormap.TensorDescriptor;

/** Checks the operands of instructions with tensor maps. */
final class TensorChecks {
  private static final int SHARED_ALIGNMENT = 128;
  private static final int GRANULE = 16;
  private static final int PADDED_MULTIPLE = 128;

  private TensorChecks() {}

  /** Whether the map suits the instruction. */
  static void map(Issuer issuer, TensorForm form, TensorDescriptor d) {
    if (d.rank() != form.rank()) {
      throw issuer.invalid(d.address(), "accesses " + form.rank() + " dimensions by a tensor map of " + d.rank());
    }
    if (d.mode() != form.mode().map()) {
      throw issuer.invalid(d.address(), "accesses a tensor map of mode " + d.mode().name().toLowerCase(Locale.ROOT)
          + " by ." + form.mode().modifier() + ", which needs one of mode "
          + form.mode().map().name().toLowerCase(Locale.ROOT));
    }
    if (form.mode().isFourRows() && (d.box().get(1) != 1 || d.interleave() != Interleave.NONE)) {
      throw issuer.invalid(d.address(), "accesses four rows by a tensor map whose box has " + d.box().get(1)
          + " rows and interleave " + d.interleave() + "; needed are 1 and none");
    }
    if (d.interleave() != Interleave.NONE && d.mode() != AccessMode.TILED) {
      throw issuer.invalid(d.address(), "accesses a tensor map of mode " + d.mode().name().toLowerCase(Locale.ROOT)
          + " with interleave " + d.interleave() + ", which is not simulated; use interleave none, or a tiled map");
    }
    if (d.address() % GRANULE != 0) {
      throw new Fault(Kind.MISALIGNED, issuer.site(), issuer.lane(), d.address(), issuer.warp().who(issuer.lane())
          + " accesses a tensor at an address that is no multiple of 16: " + issuer.cta().space.describe(d.address()));
    }
  }

  static void load(Issuer issuer, TensorForm form, TensorDescriptor d, int shared) {
    map(issuer, form, d);
    shared(issuer, d, shared);
    if (d.element() == TensorElement.U6_ALIGN16B && d.swizzle() == SwizzleMode.B128_ATOM_64B) {
      throw issuer.invalid(shared, "loads " + d.element() + " with swizzle " + d.swizzle() + ", which only stores can");
    }
  }

  static void store(Issuer issuer, TensorForm form, TensorDescriptor d, int shared) {
    map(issuer, form, d);
    shared(issuer, d, shared);
    if (d.element() == TensorElement.U4_ALIGN16B || d.swizzle() == SwizzleMode.B128_ATOM_32B_FLIP_8B) {
      throw issuer.invalid(shared, "stores " + d.element() + " with swizzle " + d.swizzle()
          + ", which only loads can");
    }
    form.reduction().filter(r -> !r.takes(d.element())).ifPresent(r -> {
      throw issuer.invalid(shared, "reduces by ." + r.name().toLowerCase(Locale.ROOT)
          + ", which does not exist for elements " + d.element());
    });
  }

  private static void shared(Issuer issuer, TensorDescriptor d, int offset) {
    if (offset % SHARED_ALIGNMENT != 0) {
      throw new Fault(Kind.MISALIGNED, issuer.site(), issuer.lane(), offset, issuer.warp().who(issuer.lane())
          + " copies a box at an address that is no multiple of " + SHARED_ALIGNMENT + ": "
          + issuer.cta().space.describe(AddressSpace.SHARED_WINDOW + issuer.warp().sharedBase + offset));
    }
  }

  /** Stores and reductions cannot begin before the tensor, although loads can: an H200 calls that illegal. */
  static void notNegative(Issuer issuer, int[] coordinates) {
    for (int i = 0; i < coordinates.length; i++) {
      if (coordinates[i] < 0) {
        throw issuer.invalid(coordinates[i], "stores a box at coordinate " + coordinates[i] + " of dimension " + i
            + "; only loads may begin before the tensor");
      }
    }
  }

  static void coordinates(Issuer issuer, TensorForm form, TensorDescriptor d, int[] coordinates, int[] offsets) {
    long bits = (long) coordinates[0] * d.element().bits();
    boolean whole = d.element().isPadded() ? coordinates[0] % PADDED_MULTIPLE == 0 : bits % (8 * GRANULE) == 0;
    if (!whole && d.interleave() == Interleave.NONE) {
      throw issuer.invalid(coordinates[0], "begins at innermost coordinate " + coordinates[0] + " of elements "
          + d.element() + "; it must be a multiple of "
          + (d.element().isPadded() ? PADDED_MULTIPLE : 8 * GRANULE / d.element().bits()));
    }
    if (d.mode() == AccessMode.IM2COL && form.mode() == LoadMode.IM2COL) {
      int bitsOfOffset = 16 / (d.rank() - 2);
      for (int offset : offsets) within(issuer, "im2col offset", offset, (1 << bitsOfOffset) - 1);
    } else if (d.mode() == AccessMode.IM2COL_W || d.mode() == AccessMode.IM2COL_W128) {
      within(issuer, "wHalo", offsets[0], d.mode() == AccessMode.IM2COL_W ? 511 : 31);
      within(issuer, "wOffset", offsets[1], 31);
    }
  }

  private static void within(Issuer issuer, String name, int value, int most) {
    if (value < 0 || value > most) {
      throw issuer.invalid(value, "gives " + name + " " + value + "; needed is 0 to " + most);
    }
  }
}
