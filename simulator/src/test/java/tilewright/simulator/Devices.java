package tilewright.simulator;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchGroup;

/**
 * Kernels of {@link Kernels} that run at the same time, one for each device. Each gets two buffers of each device, in
 * order: its flags and its data, of 64 words.
 */
record Devices(List<String> ptx, int blocks, int threads, boolean peers, Map<String, MemorySegment> buffers) {
  private static final int WORDS = 64;

  /** @param bodies one for each device */
  static Devices of(int blocks, int threads, String... bodies) {
    return of("sm_80", blocks, threads, bodies);
  }

  static Devices of(String target, int blocks, int threads, String... bodies) {
    var buffers = new TreeMap<String, MemorySegment>();
    for (int d = 0; d < bodies.length; d++) {
      for (var name : List.of("flags" + d, "data" + d)) {
        buffers.put(name, MemorySegment.ofArray(new byte[Integer.BYTES * WORDS]));
      }
    }
    var ptx = Stream.of(bodies).map(body -> Kernels.kernel(target, 2 * bodies.length, "", body)).toList();
    return new Devices(ptx, blocks, threads, true, buffers);
  }

  Devices withoutPeers() {
    return new Devices(ptx, blocks, threads, false, buffers);
  }

  LaunchGroup group() {
    int n = ptx.size();
    var arguments = new ArrayList<Launch.Argument>();
    for (int d = 0; d < n; d++) {
      arguments.add(new Launch.Argument.Buffer("flags" + d));
      arguments.add(new Launch.Argument.Buffer("data" + d));
    }
    var owners = new HashMap<String, Integer>();
    for (var name : buffers.keySet()) owners.put(name, Integer.parseInt(name.replaceAll("\\D", "")));
    var launches = new TreeMap<Integer, Launch>();
    for (int d = 0; d < n; d++) {
      launches.put(d, new Launch(ptx.get(d), "k", Dim3.of(blocks), Dim3.of(threads), Dim3.ONE, 0, buffers, arguments));
    }
    if (peers) return LaunchGroup.ofPeers(launches, owners);
    return new LaunchGroup(launches.entrySet().stream()
        .map(e -> new LaunchGroup.Member(e.getKey(), Set.of(), e.getValue())).toList(), owners);
  }

  int word(String buffer, int index) {
    return buffers.get(buffer).get(ValueLayout.JAVA_INT_UNALIGNED, (long) Integer.BYTES * index);
  }

  GroupResult run(long seed) {
    buffers.values().forEach(bytes -> bytes.fill((byte) 0));
    return Simulator.run(group(), Kernels.SANITIZED.withSeed(seed));
  }

  /** The findings of runs, one for each seed. */
  List<Finding> findings(int seeds) {
    return IntStream.range(0, seeds).boxed().flatMap(seed -> run(seed).findings().stream()).toList();
  }
}
