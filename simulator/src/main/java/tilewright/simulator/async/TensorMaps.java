package tilewright.simulator.async;

import java.util.HashSet;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.Issuer;
import tilewright.simulator.core.Warp;
import tilewright.simulator.memory.Memory;
import tilewright.simulator.tensormap.TensorDescriptor;
import tilewright.simulator.tensormap.TensorMapBytes;
import tilewright.simulator.tensormap.TensorMapDraft;
import tilewright.simulator.tensormap.TensorMapField;

/** Tensor maps in memory: reading them for a copy, and changing their fields (PTX ISA, tensormap.replace). */
public final class TensorMaps {
  private TensorMaps() {}

  /** Decodes the tensor map at a generic address. */
  static TensorDescriptor at(Issuer issuer, long address) {
    var space = issuer.cta().space;
    if (AddressSpace.isShared(address) || AddressSpace.isLocal(address)) {
      throw issuer.invalid(address, "names a tensor map in " + space.describe(address)
          + "; it must lie in parameter, constant or global memory");
    }
    var memory = AddressSpace.isParameter(address) ? issuer.cta().parameters : space.buffer(address);
    return decode(issuer, memory, address & AddressSpace.OFFSETS, address);
  }

  private static TensorDescriptor decode(Issuer issuer, byte[] memory, long offset, long address) {
    var where = issuer.cta().space.describe(address);
    if (offset + TensorMapBytes.SIZE > memory.length) {
      throw Memory.outOfBounds(issuer.warp(), issuer.lane(), address, offset, TensorMapBytes.SIZE, Access.READ,
          issuer.site());
    }
    if (offset % TensorMapBytes.ALIGNMENT != 0) {
      throw new Fault(Kind.MISALIGNED, issuer.site(), issuer.lane(), offset, issuer.warp().who(issuer.lane())
          + " names a tensor map at an address that is no multiple of 64: " + where);
    }
    var draft = TensorMapBytes.decode(memory, (int) offset).filter(TensorMapDraft::isBegun).orElseThrow(
        () -> issuer.invalid(address, "finds no tensor map at " + where
            + "; pass one as a kernel argument, or copy one there"));
    var missing = draft.missing();
    if (!missing.isEmpty()) {
      throw issuer.invalid(address, "goes by the tensor map at " + where + " before all of it was set; "
          + "tensormap.replace it: " + String.join(", ", missing));
    }
    return draft.descriptor();
  }

  /**
   * Sets a field of the maps at the places in {@link Warp#offsets}.
   *
   * @param field ordinal of a {@link TensorMapField}
   */
  public static void replace(Warp w, int mask, long[] value, int field, int ordinal, int site) {
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      var issuer = new Issuer(w, lane, site);
      var memory = w.base == Warp.PER_LANE ? w.bases[lane] : w.base;
      int offset = w.offsets[lane];
      var old = TensorMapBytes.decode(memory, offset).orElseThrow(() -> issuer.invalid(offset,
          "replaces a field where neither a tensor map nor 128 bytes of zeros are; copy or store them there first"));
      try {
        var changed = old.replace(TensorMapField.values()[field], ordinal, value[lane]);
        System.arraycopy(TensorMapBytes.encode(changed), 0, memory, offset, TensorMapBytes.SIZE);
      } catch (IllegalArgumentException e) {
        throw issuer.invalid(value[lane], "sets a field of a tensor map wrongly: " + e.getMessage());
      }
    }
  }

  /**
   * Copies the maps of 128 bytes at the held places in shared memory to those addresses in global memory
   * ({@code tensormap.cp_fenceproxy}).
   */
  public static void copy(Warp w, int mask, long[] address, long displacement, int site) {
    var written = new HashSet<Long>();
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      var to = w.base == Warp.PER_LANE ? w.bases[lane] : w.base;
      // The warp copies as one: where its lanes agree, nobody writes twice.
      if (w.cta.watch != null && written.add(address[lane])) {
        long window = address[lane] + displacement & ~AddressSpace.OFFSETS;
        w.cta.watch.global(w, 1 << lane, window, TensorMapBytes.SIZE, Access.WRITE, site);
      }
      System.arraycopy(w.cta.shared, w.held[lane], to, w.offsets[lane], TensorMapBytes.SIZE);
    }
  }
}
