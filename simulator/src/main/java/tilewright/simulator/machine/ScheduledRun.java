package tilewright.simulator.machine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import tilewright.ptx.Launch;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.AsyncOperation;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.Kernel;
import tilewright.simulator.core.LaneGroup;
import tilewright.simulator.core.LaunchState;
import tilewright.simulator.core.SyncObject;
import tilewright.simulator.core.SyncTrace;
import tilewright.simulator.core.Warp;
import tilewright.simulator.explore.Action;
import tilewright.simulator.explore.Footprint;
import tilewright.simulator.explore.Run;
import tilewright.simulator.profile.LaunchProfile;
import tilewright.simulator.sanitizer.LaunchHistory;

/** A run of a launch, all clusters at a time, that takes one step after the other as somebody else chooses. */
final class ScheduledRun implements Run, SyncTrace {
  /** How often waits for mbarriers run out of time, with nothing happening in between, before that is a deadlock. */
  private static final int PATIENCE = 3;
  private static final String END = "its end";

  /** The phases of a barrier that a warp knows to be over when it goes on. */
  private record Wake(SyncObject object, long phases) {}

  /** Where an agent tried to wait in vain. */
  private record Place(String agent, int site) {}

  private final Kernel kernel;
  private final LaunchMemory memory;
  private final LaunchState state;
  private final LaunchProfile profile;
  private final List<ClusterRunner> clusters = new ArrayList<>();
  private final Map<String, Warp> warps = new HashMap<>();
  private final Map<Warp, String> names = new IdentityHashMap<>();
  private final Map<AsyncOperation, String> operations = new IdentityHashMap<>();
  private final Map<String, Integer> issuedBy = new HashMap<>();
  private final Map<Warp, List<Wake>> woken = new IdentityHashMap<>();
  private final Spinning spinning = new Spinning();
  private final Set<Action> actions = new LinkedHashSet<>();
  /** The words that the step writes, as they were before. */
  private final Map<SyncObject, Integer> words = new HashMap<>();
  private final List<String> issued = new ArrayList<>();
  private final Set<Place> givenUp = new HashSet<>();
  private OptionalInt tried = OptionalInt.empty();
  private String agent = "";
  private boolean over;

  ScheduledRun(Kernel kernel, Launch launch, SimulatorOptions options, long start) {
    this.kernel = kernel;
    memory = LaunchMemory.of(kernel, launch, options);
    state = memory.state(kernel, launch, options, start, Optional.of(this));
    profile = new LaunchProfile(state);
    var history = new LaunchHistory(memory.shadows(), state);
    for (var number = state.takeCluster(); number.isPresent(); number = state.takeCluster()) {
      var cluster = new ClusterRunner(state, profile, history);
      cluster.reset(number.getAsLong());
      clusters.add(cluster);
      for (var w : cluster.cluster().warps) {
        var name = number.getAsLong() + "/" + w.number();
        warps.put(name, w);
        names.put(w, name);
      }
    }
  }

  @Override
  public List<String> enabled() {
    if (failed() || over) return List.of();
    var enabled = new ArrayList<String>();
    for (var c : clusters) {
      // Operations come first: what completes late is known to the sanitizer, and fewer warps wake in vain.
      for (var o : c.cluster().async.operations()) if (o.ready()) enabled.add(operations.get(o));
      for (var w : c.cluster().warps) if (w.runnable() && !spinning.contains(names.get(w))) enabled.add(names.get(w));
    }
    if (!enabled.isEmpty()) return enabled;
    if (clusters.stream().allMatch(ClusterRunner::finished)) {
      over = true;
      for (var c : clusters) attempt(c, ClusterRunner::finish);
      return enabled;
    }
    for (var c : clusters) {
      if (!c.finished()) attempt(c, this::timeOut);
    }
    return enabled();
  }

  /** Nothing else can happen in any cluster: who asks again and again may do so once more. */
  private void timeOut(ClusterRunner c) {
    if (c.cluster().countTimeout() >= PATIENCE) throw StuckReport.of(c.cluster());
    spinning.clear();
    c.timeOut();
  }

  private void attempt(ClusterRunner c, Consumer<ClusterRunner> action) {
    try {
      action.accept(c);
    } catch (Fault f) {
      Machine.blame(f, c, state);
    }
  }

  @Override
  public Step step(String chosen) {
    agent = chosen;
    actions.clear();
    words.clear();
    issued.clear();
    tried = OptionalInt.empty();
    var w = warps.get(chosen);
    String place = END;
    int begin = w == null || w.groups.size() != 1 ? -1 : w.groups.getFirst().block;
    if (w != null) {
      var cluster = clusters.stream().filter(c -> c.cluster() == w.cta.cluster).findFirst().orElseThrow();
      for (var wake : woken.getOrDefault(w, List.of())) uses(wake.object, Use.RESUME, wake.phases, false);
      woken.remove(w);
      attempt(cluster, c -> c.step(w));
      if (!w.groups.isEmpty()) place = place(w.groups.getFirst());
    } else {
      place = place(complete(chosen));
    }
    boolean stuck = w != null && w.groups.stream().anyMatch(ScheduledRun::isStuck);
    var footprint = new Footprint(actions.stream().map(this::effective).toList(), stuck);
    spinning.step(chosen, w, begin, footprint);
    return new Step(footprint, List.copyOf(issued), tried, place);
  }

  /** Whether lanes wait for something that no action tells. */
  private static boolean isStuck(LaneGroup g) {
    return switch (g.state) {
      case RUNNING, PARKED, AT_BARRIER, AT_MBARRIER, AT_CLUSTER_BARRIER -> false;
      case AT_TENSOR_MEMORY, AT_REGISTER_POOL, AT_WGMMA -> true;
    };
  }

  /** The line at which lanes wait, or go on. */
  private String place(LaneGroup g) {
    return place(g.state == LaneGroup.State.RUNNING ? kernel.blocks().get(g.block).site() : g.site);
  }

  private String place(int site) {
    return kernel.sites().get(site).place();
  }

  /** Completes an operation and returns the instruction that began it. */
  private int complete(String chosen) {
    for (var c : clusters) {
      for (var o : c.cluster().async.operations()) {
        if (!operations.get(o).equals(chosen)) continue;
        operations.remove(o);
        attempt(c, cluster -> cluster.cluster().async.complete(o));
        return o.site();
      }
    }
    throw new IllegalStateException("no agent " + chosen + " can take a step");
  }

  @Override
  public void uses(SyncObject object, Use use, long phase, boolean completes) {
    // What arrives and makes its phase await more in one step does both at once.
    if (use == Use.ARRIVE) actions.remove(new Action(object, Use.EXPECT, phase, false));
    actions.add(new Action(object, use, phase, completes));
    if (use == Use.WRITE && isWord(object)) words.putIfAbsent(object, word(object));
  }

  /** An atomic operation that changes nothing, as where a lock is taken, has only read. */
  private Action effective(Action a) {
    boolean changes = a.use() != Use.WRITE || !words.containsKey(a.object())
        || words.get(a.object()) != word(a.object());
    return changes ? a : new Action(a.object(), Use.READ, a.phase(), false);
  }

  private static boolean isWord(SyncObject object) {
    return object.kind() == SyncObject.Kind.SHARED_WORD || object.kind() == SyncObject.Kind.GLOBAL_WORD;
  }

  private int word(SyncObject object) {
    long address = object.place() * Integer.BYTES;
    boolean shared = object.kind() == SyncObject.Kind.SHARED_WORD;
    var cta = clusters.get((int) object.cluster()).cluster().ctas[object.rank()];
    var bytes = shared ? cta.shared : cta.space.buffer(address);
    int at = (int) (shared ? address : address & AddressSpace.OFFSETS);
    int word = 0;
    for (int i = at; i < Math.min(at + Integer.BYTES, bytes.length); i++) word = word << Byte.SIZE | bytes[i] & 0xFF;
    return word;
  }

  @Override
  public void wakes(Warp w, SyncObject object, long phases) {
    woken.computeIfAbsent(w, _ -> new ArrayList<>()).add(new Wake(object, phases));
  }

  @Override
  public boolean givesUp(Warp w, int site) {
    return givenUp.add(new Place(agent, site));
  }

  @Override
  public void tries(int site) {
    tried = OptionalInt.of(site);
  }

  @Override
  public void issues(AsyncOperation operation) {
    var name = agent + "#" + (issuedBy.merge(agent, 1, Integer::sum) - 1);
    operations.put(operation, name);
    issued.add(name);
  }

  @Override
  public boolean failed() {
    return !state.findings.isEmpty();
  }

  @Override
  public String difference(Run other) {
    var before = ((ScheduledRun) other).memory;
    for (int i = kernel.memory().variables().size(); i < memory.names().size(); i++) {
      int at = Arrays.mismatch(before.contents().get(i), memory.contents().get(i));
      if (at >= 0) {
        return "buffer '" + memory.names().get(i) + "' differs at byte " + at + ": 0x"
            + hex(before.contents().get(i)[at]) + " under the first schedule, 0x" + hex(memory.contents().get(i)[at])
            + " under this one";
      }
    }
    return "";
  }

  private static String hex(byte value) {
    return Integer.toHexString(value & 0xFF);
  }

  /** Ends the run: its results go to the launch's buffers. */
  SimulationResult finish(Launch launch, SimulatorOptions options, long start) {
    memory.writeBack(kernel, launch);
    return Machine.result(state, profile, options, start);
  }
}
