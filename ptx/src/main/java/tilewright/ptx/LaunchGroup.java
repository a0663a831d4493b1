package tilewright.ptx;

import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Launches that run at the same time, one for each device, in one address space.
 *
 * @param members at least one, no two of one device; kept in order of the devices
 * @param owners by name of a buffer, the device that has it; a buffer has one name in all launches
 */
public record LaunchGroup(List<Member> members, Map<String, Integer> owners) {
  /** The most devices that take part, as many as the largest host of today has GPUs with some to spare. */
  public static final int MOST_DEVICES = 64;

  /**
   * The launch of one device.
   *
   * @param device its ordinal
   * @param peers devices whose memory its kernel may access ({@code cuCtxEnablePeerAccess})
   */
  public record Member(int device, Set<Integer> peers, Launch launch) {
    public Member {
      peers = Set.copyOf(peers);
      requireOrdinal(device);
      peers.forEach(LaunchGroup::requireOrdinal);
      if (peers.contains(device)) {
        throw new IllegalArgumentException("device " + device + " is named as its own peer: name other devices only");
      }
      if (!launch.features().isEmpty()) {
        throw new IllegalArgumentException("the launch of device " + device + " has features " + launch.features()
            + ", but launches of several devices at once take none");
      }
    }
  }

  public LaunchGroup {
    members = members.stream().sorted(Comparator.comparingInt(Member::device)).toList();
    owners = Map.copyOf(owners);
    if (members.isEmpty()) throw new IllegalArgumentException("no launch: needed is one for each device");
    var buffers = new TreeMap<String, MemorySegment>();
    int before = -1;
    for (var member : members) {
      if (member.device == before) {
        throw new IllegalArgumentException("device " + before + " has two launches; needed is one for each device");
      }
      before = member.device;
      member.launch.buffers().forEach((name, bytes) -> requireSame(name, bytes, buffers.put(name, bytes)));
    }
    for (var name : buffers.keySet()) {
      var owner = owners.get(name);
      if (owner == null) throw new IllegalArgumentException("no device is said to have buffer '" + name + "'");
      requireOrdinal(owner);
    }
  }

  /**
   * Launches whose devices may all access each other's memory.
   *
   * @param launches by device
   */
  public static LaunchGroup ofPeers(SortedMap<Integer, Launch> launches, Map<String, Integer> owners) {
    return new LaunchGroup(launches.entrySet().stream()
        .map(e -> new Member(e.getKey(), others(launches.keySet(), e.getKey()), e.getValue())).toList(), owners);
  }

  private static Set<Integer> others(Collection<Integer> devices, int device) {
    var others = new HashSet<>(devices);
    others.remove(device);
    return others;
  }

  private static void requireOrdinal(int device) {
    if (device < 0 || device >= MOST_DEVICES) {
      throw new IllegalArgumentException("device " + device + " is not in 0…" + (MOST_DEVICES - 1));
    }
  }

  /** @param other the memory that another launch means by the name; null if none does */
  private static void requireSame(String name, MemorySegment bytes, MemorySegment other) {
    if (other != null && (other.address() != bytes.address() || other.byteSize() != bytes.byteSize()
        || !other.heapBase().equals(bytes.heapBase()))) {
      throw new IllegalArgumentException("two launches have different memory in mind by buffer '" + name
          + "': give it two names");
    }
  }

  /** The buffers of all launches, by name. */
  public SortedMap<String, MemorySegment> buffers() {
    var buffers = new TreeMap<String, MemorySegment>();
    for (var member : members) buffers.putAll(member.launch.buffers());
    return buffers;
  }
}
