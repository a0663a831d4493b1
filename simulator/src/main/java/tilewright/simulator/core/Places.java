package tilewright.simulator.core;

import java.util.List;
import java.util.Map;
import tilewright.simulator.Coordinates;

/** Names what lies at an address: a variable or a buffer, and the element of it where its layout is known. */
public final class Places {
  private final List<Kernel.SharedVariable> shared;
  private final AddressSpace space;
  private final Map<String, Coordinates> coordinates;

  Places(Kernel kernel, AddressSpace space, Map<String, Coordinates> coordinates) {
    shared = kernel.memory().shared();
    this.space = space;
    this.coordinates = coordinates;
  }

  /** Names the place at an address, such as {@code 'A' (3,17)} or {@code shared 'tile' + 20}. */
  public String of(long address) {
    long offset = AddressSpace.offset(address);
    if (AddressSpace.isShared(address)) return shared(offset);
    if (AddressSpace.isLocal(address)) return "local memory + " + offset;
    var buffer = space.name(address);
    if (buffer.isEmpty()) return space.describe(address);
    var element = element(buffer, offset);
    return element.isEmpty() ? "'" + buffer + "' + " + offset
        : element + " of '" + buffer + "' (byte " + offset + ")";
  }

  /** The element at an offset, where the layout is known. */
  private String element(String name, long offset) {
    var layout = coordinates.get(name);
    return layout == null ? "" : layout.of(offset).map(c -> "element " + c).orElse("");
  }

  private String shared(long offset) {
    for (var v : shared.reversed()) {
      if (offset >= v.offset()) {
        return named(v, offset);
      }
    }
    return "shared memory + " + offset;
  }

  private String named(Kernel.SharedVariable v, long offset) {
    var place = "shared '" + v.name() + "' + " + (offset - v.offset());
    var element = element(v.name(), offset - v.offset());
    return element.isEmpty() ? place : element + " (" + place + ")";
  }

  /** Names the variable of shared memory that an access behind it overran. */
  public String overrun(long offset) {
    for (var v : shared.reversed()) {
      if (offset >= v.offset()) {
        return named(v, offset) + ", which has " + v.bytes() + " bytes";
      }
    }
    return "shared memory + " + offset;
  }
}
