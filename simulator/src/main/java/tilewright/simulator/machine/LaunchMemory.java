package tilewright.simulator.machine;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import tilewright.ptx.Launch;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.GridWorkspace;
import tilewright.simulator.core.Kernel;
import tilewright.simulator.core.LaunchState;
import tilewright.simulator.core.SyncTrace;
import tilewright.simulator.sanitizer.EarlierGrids;
import tilewright.simulator.sanitizer.GlobalShadow;
import tilewright.simulator.sanitizer.GlobalShadows;

/**
 * The global memory of one run of a launch: the module's variables, copies of the launch's buffers in order of their
 * names, and the workspace of the grid, if it needs one.
 */
record LaunchMemory(List<String> names, List<byte[]> contents, GlobalShadows shadows, AddressSpace space) {
  static LaunchMemory of(Kernel kernel, Launch launch, SimulatorOptions options) {
    var names = new ArrayList<String>();
    var contents = new ArrayList<byte[]>();
    var earlier = new ArrayList<EarlierGrids>();
    for (var v : kernel.memory().variables()) {
      names.add(v.name());
      contents.add(v.contents());
      earlier.add(EarlierGrids.of(launch, v));
    }
    // Buffers that are one and the same memory share a copy: what is written to one is read from all.
    var copies = new HashMap<Place, byte[]>();
    for (var b : buffers(launch)) {
      names.add(b.getKey());
      contents.add(copies.computeIfAbsent(new Place(b.getValue(), b.getValue().byteSize()),
          place -> place.memory.toArray(ValueLayout.JAVA_BYTE)));
      earlier.add(EarlierGrids.of(launch, b.getKey()));
    }
    if (GridWorkspace.needed(launch)) {
      names.add(GridWorkspace.NAME);
      contents.add(GridWorkspace.initial());
      earlier.add(EarlierGrids.ABSENT);
    }
    var shadows = new GlobalShadows(options.sanitize() ? IntStream.range(0, names.size())
        .mapToObj(i -> new GlobalShadow(contents.get(i).length, !options.uninitialized().contains(names.get(i)),
            options.ordered().contains(names.get(i)), earlier.get(i))).toList() : List.of());
    var space = new AddressSpace(names, contents, options.sanitize() ? Optional.of(shadows) : Optional.empty());
    return new LaunchMemory(names, contents, shadows, space);
  }

  /** A buffer's memory: segments are equal where they begin at one address. */
  private record Place(MemorySegment memory, long bytes) {}

  private static List<Map.Entry<String, MemorySegment>> buffers(Launch launch) {
    return launch.buffers().entrySet().stream().sorted(Map.Entry.comparingByKey()).toList();
  }

  LaunchState state(Kernel kernel, Launch launch, SimulatorOptions options, long start, Optional<SyncTrace> trace) {
    int variables = kernel.memory().variables().size();
    var parameters = Arguments.encode(kernel, launch,
        name -> AddressSpace.base(variables + names.subList(variables, names.size()).indexOf(name)));
    return new LaunchState(kernel, launch, options, space, parameters, start, trace);
  }

  /** Copies the results into the launch's buffers. */
  void writeBack(Kernel kernel, Launch launch) {
    var buffers = buffers(launch);
    for (int i = 0; i < buffers.size(); i++) {
      var target = buffers.get(i).getValue();
      var bytes = contents.get(kernel.memory().variables().size() + i);
      if (!target.isReadOnly()) MemorySegment.copy(bytes, 0, target, ValueLayout.JAVA_BYTE, 0, bytes.length);
    }
  }
}
