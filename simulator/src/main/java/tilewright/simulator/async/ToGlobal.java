package tilewright.simulator.async;

import java.util.List;
import java.util.Optional;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.Issuer;

/** The second half of a bulk copy: its source has been read, and global memory not yet written. */
record ToGlobal(Issuer issuer, int group, Effect effect, List<Content> contents) implements BulkGroups.Member {
  /** The mask that lets all bytes through. */
  static final int ALL_BYTES = 0xFFFF;
  private static final int GRANULE = 16;

  /**
   * The effect on global memory.
   *
   * @param origin the address that the rows count from
   * @param reduction empty for a copy
   * @param bytes which of every sixteen bytes are written
   */
  record Effect(long origin, Optional<ToShared.Element> reduction, int bytes) {
    static Effect copy(long origin) {
      return new Effect(origin, Optional.empty(), ALL_BYTES);
    }
  }

  /** Bytes and where they go. */
  record Content(long address, byte[] bytes) {}

  @Override
  public boolean reads() {
    return false;
  }

  @Override
  public void complete() {
    for (var content : contents) {
      var buffer = issuer.cta().space.buffer(content.address);
      int at = (int) (content.address & AddressSpace.OFFSETS);
      if (effect.reduction.isPresent()) {
        var r = effect.reduction.get();
        r.operation().apply(r.type(), content.bytes, buffer, at);
      } else if (effect.bytes == ALL_BYTES) {
        System.arraycopy(content.bytes, 0, buffer, at, content.bytes.length);
      } else {
        for (int k = 0; k < content.bytes.length; k++) {
          if ((effect.bytes >>> k % GRANULE & 1) != 0) buffer[at + k] = content.bytes[k];
        }
      }
    }
  }

  @Override
  public int site() {
    return issuer.site();
  }

  @Override
  public String describe() {
    return issuer.describe("a bulk copy to " + issuer.cta().space.describe(effect.origin));
  }
}
