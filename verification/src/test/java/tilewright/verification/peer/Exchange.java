package tilewright.verification.peer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import tilewright.kernels.peer.PeerLaunches;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchGroup;
import tilewright.simulator.GroupResult;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/**
 * An exchange among devices on numbers of its own, and what it must come to.
 *
 * @param definition of the numbers that a device must have, from those of all
 */
record Exchange(PeerLaunches launches, String result, Definition definition, Map<String, MemorySegment> buffers) {
  /** The numbers of {@code Y} on a device from those of {@code X} on all. */
  interface Definition {
    float[] of(float[][] x, int rank);
  }

  static Exchange of(PeerLaunches launches, Definition definition, long seed) {
    var buffers = new HashMap<String, MemorySegment>();
    for (var m : launches.memory()) buffers.put(m.name(), MemorySegment.ofArray(new float[(int) m.bytes() / 4]));
    var exchange = new Exchange(launches, "Y", definition, buffers);
    exchange.fill(seed);
    return exchange;
  }

  int ranks() {
    return launches.launches().size();
  }

  private MemorySegment buffer(String tensor, int rank) {
    return buffers.get(PeerLaunches.buffer(tensor, rank));
  }

  /** Numbers of very different sizes, so that the order of additions shows. */
  private void fill(long seed) {
    var random = new Random(seed);
    for (int rank = 0; rank < ranks(); rank++) {
      var x = buffer("X", rank);
      for (long at = 0; at < x.byteSize(); at += 4) {
        x.set(ValueLayout.JAVA_FLOAT, at, (random.nextFloat() - 0.5f) * (float) Math.pow(2, random.nextInt(24)));
      }
    }
  }

  private float[] floats(String tensor, int rank) {
    return buffer(tensor, rank).toArray(ValueLayout.JAVA_FLOAT);
  }

  /** Whether every device has the numbers of the definition, bit for bit. */
  boolean isRight() {
    var x = new float[ranks()][];
    for (int rank = 0; rank < ranks(); rank++) x[rank] = floats("X", rank);
    for (int rank = 0; rank < ranks(); rank++) {
      var expected = MemorySegment.ofArray(definition.of(x, rank));
      if (expected.mismatch(buffer(result, rank)) >= 0) return false;
    }
    return true;
  }

  /** Whether every flag is what a next launch expects. */
  boolean isReady() {
    return launches.memory().stream().filter(m -> m.workspace() && m.name().matches("(ready|done|busy|.*Full)\\..*"))
        .allMatch(m -> buffers.get(m.name()).mismatch(MemorySegment.ofArray(new byte[(int) m.bytes()])) < 0);
  }

  private Set<String> uninitialised() {
    return launches.memory().stream().filter(m -> !m.workspace() && m.name().startsWith("Y"))
        .map(PeerLaunches.Memory::name).collect(Collectors.toSet());
  }

  GroupResult run(long seed) {
    return run(launches.on(buffers), seed);
  }

  /** Runs the same launches of other text, from the state before the first launch. */
  GroupResult runWith(String ptx, long seed) {
    for (var m : launches.memory()) if (!m.name().startsWith("X")) buffers.get(m.name()).fill((byte) 0);
    var group = launches.on(buffers);
    return run(new LaunchGroup(group.members().stream().map(m -> new LaunchGroup.Member(m.device(), m.peers(),
        of(ptx, m.launch()))).toList(), group.owners()), seed);
  }

  private static Launch of(String ptx, Launch l) {
    return new Launch(ptx, l.entry(), l.grid(), l.block(), l.cluster(), l.dynamicSharedBytes(), l.buffers(),
        l.arguments());
  }

  private GroupResult run(LaunchGroup group, long seed) {
    return Simulator.run(group, SimulatorOptions.defaults().withSanitizer(true).withSeed(seed)
        .withInstructionLimit(50_000_000).withUninitialized(uninitialised()));
  }
}
