package tilewright.simulator.core;

import java.util.List;
import java.util.Map;
import tilewright.simulator.Coordinates;

/** Names what lies at an address: a variable or a buffer, and the element of it where its layout is known. */
final class Places {
  private final List<Kernel.SharedVariable> shared;
  private final AddressSpace space;
  private final Map<String, Coordinates> coordinates;

  Places(Kernel kernel, AddressSpace space, Map<String, Coordinates> coordinates) {
    shared = kernel.shared();
    this.space = space;
    this.coordinates = coordinates;
  }

  /** Such as {@code 'A' (3,17)}, {@code shared 'tile' + 20}. */
  String of(long address) {
    long offset = AddressSpace.offset(address);
    if (AddressSpace.isShared(address)) return shared(offset);
    if (AddressSpace.isLocal(address)) return "local memory + " + offset;
    var buffer = space.name(address);
    if (buffer.isEmpty()) return space.describe(address);
    return "'" + buffer + "' + " + offset + element(buffer, offset);
  }

  private String element(String name, long offset) {
    var layout = coordinates.get(name);
    return layout == null ? "" : layout.of(offset).map(c -> ", element " + c).orElse("");
  }

  private String shared(long offset) {
    for (var v : shared.reversed()) {
      if (offset >= v.offset()) {
        return "shared '" + v.name() + "' + " + (offset - v.offset()) + element(v.name(), offset - v.offset());
      }
    }
    return "shared memory + " + offset;
  }

  /** What an access between two variables of shared memory overran. */
  String overrun(long offset) {
    for (var v : shared.reversed()) {
      if (offset >= v.offset()) {
        return "shared '" + v.name() + "' + " + (offset - v.offset()) + element(v.name(), offset - v.offset())
            + ", which has " + v.bytes() + " bytes";
      }
    }
    return "shared memory + " + offset;
  }
}
