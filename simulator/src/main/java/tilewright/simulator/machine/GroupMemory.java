package tilewright.simulator.machine;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.ptx.LaunchGroup;
import tilewright.simulator.HeapMemory;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.DeviceSlot;
import tilewright.simulator.core.Kernel;
import tilewright.simulator.core.LaunchState;
import tilewright.simulator.sanitizer.EarlierGrids;
import tilewright.simulator.sanitizer.GlobalShadow;
import tilewright.simulator.sanitizer.GlobalShadows;

/**
 * The global memory of several devices, which have one address space: the variables of each device's module, in order
 * of the devices, then copies of all buffers in order of their names.
 */
final class GroupMemory {
  private final LaunchGroup group;
  private final List<Kernel> kernels;
  private final SimulatorOptions options;
  private final List<String> names = new ArrayList<>();
  private final List<byte[]> contents = new ArrayList<>();
  /** By position, the device that has the memory. */
  private final List<Integer> owners = new ArrayList<>();
  private final int variables;
  private final GlobalShadows shadows;
  private final HeapMemory heap = new HeapMemory();

  GroupMemory(List<Kernel> kernels, LaunchGroup group, SimulatorOptions options) {
    this.kernels = kernels;
    this.group = group;
    this.options = options;
    for (int i = 0; i < kernels.size(); i++) {
      for (var v : kernels.get(i).memory().variables()) add(v.name(), v.contents(), group.members().get(i).device());
    }
    variables = names.size();
    group.buffers().forEach((name, bytes) -> add(name, bytes.toArray(ValueLayout.JAVA_BYTE), group.owners().get(name)));
    shadows = new GlobalShadows(options.sanitize() ? IntStream.range(0, names.size()).mapToObj(this::shadow).toList()
        : List.of());
  }

  private void add(String name, byte[] bytes, int owner) {
    names.add(name);
    contents.add(bytes);
    owners.add(owner);
  }

  private GlobalShadow shadow(int position) {
    var name = names.get(position);
    return new GlobalShadow(contents.get(position).length, !options.uninitialized().contains(name),
        options.ordered().contains(name), EarlierGrids.ABSENT);
  }

  GlobalShadows shadows() {
    return shadows;
  }

  /** All memory, what kernels have allocated among it. */
  Stream<byte[]> contents() {
    return Stream.concat(contents.stream(),
        IntStream.range(HeapMemory.FIRST_WINDOW, heap.windows()).mapToObj(heap::at));
  }

  /** The name of the buffer with these contents; empty if they are those of no buffer. */
  Optional<String> name(byte[] bytes) {
    return IntStream.range(0, names.size()).filter(i -> contents.get(i) == bytes).mapToObj(names::get).findFirst();
  }

  /** The address of a buffer or variable. */
  long address(String name) {
    return AddressSpace.base(names.indexOf(name));
  }

  /** The launch of a member. */
  LaunchState state(int member, long firstCta, long start) {
    var m = group.members().get(member);
    var kernel = kernels.get(member);
    var space = space(m.device(), m.peers());
    var parameters = Arguments.encode(kernel, m.launch(),
        name -> AddressSpace.base(variables + names.subList(variables, names.size()).indexOf(name)));
    return new LaunchState(kernel, m.launch(), options.withSeed(options.seed() + ((long) m.device() << Integer.SIZE)),
        space, parameters, start, Optional.empty(),
        new DeviceSlot(OptionalInt.of(m.device()), firstCta));
  }

  private AddressSpace space(int device, Set<Integer> peers) {
    var unreachable = new HashMap<Integer, String>();
    var reached = new ArrayList<byte[]>();
    for (int i = 0; i < names.size(); i++) {
      boolean reaches = owners.get(i) == device || peers.contains(owners.get(i));
      reached.add(reaches ? contents.get(i) : new byte[0]);
      if (!reaches) {
        unreachable.put(i, "buffer '" + names.get(i) + "' is memory of device " + owners.get(i) + ", to which device "
            + device + " has no peer access");
      }
    }
    return new AddressSpace(names, reached, unreachable, heap,
        options.sanitize() ? Optional.of(shadows) : Optional.empty());
  }

  /** Copies the results into the launches' buffers. */
  void writeBack() {
    int position = variables;
    for (var target : group.buffers().values()) {
      var bytes = contents.get(position++);
      if (!target.isReadOnly()) MemorySegment.copy(bytes, 0, target, ValueLayout.JAVA_BYTE, 0, bytes.length);
    }
  }
}
