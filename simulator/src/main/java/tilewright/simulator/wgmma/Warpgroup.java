package tilewright.simulator.wgmma;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.LaneGroup;
import tilewright.simulator.core.LaneReport;
import tilewright.simulator.core.SyncObject;
import tilewright.simulator.core.SyncTrace.Use;
import tilewright.simulator.core.Warp;
import tilewright.simulator.sanitizer.AsyncQueue;
import tilewright.simulator.sanitizer.Sanitizer;

/**
 * Four neighbouring warps and their {@code wgmma}. Each warp goes through the instructions at its own pace: the first
 * to come to one begins it, the last sets it going. A warpgroup's operations complete in order.
 */
public final class Warpgroup {
  static final int WARPS = Warp.WARPGROUP_WARPS;

  private final Cta cta;
  private final int first;
  /** Operations that have not completed, in order. */
  private final Deque<WgmmaOperation> open = new ArrayDeque<>();
  private long completed;
  private Optional<AsyncQueue> queue = Optional.empty();
  /** By warp, how many operations it has joined, and how many at each of its commits. */
  private final long[] joined = new long[WARPS];
  private final List<Commits> commits;

  /** The number of operations that one warp had joined at each of its commits. */
  private static final class Commits {
    private long[] joined = new long[16];
    private int count;

    void add(long operations) {
      if (count == joined.length) joined = Arrays.copyOf(joined, 2 * count);
      joined[count++] = operations;
    }

    /** How many operations are in all groups but the newest so many. */
    long before(int newest) {
      return count <= newest ? 0 : joined[count - 1 - newest];
    }
  }

  public Warpgroup(Cta cta, int first) {
    this.cta = cta;
    this.first = first;
    commits = java.util.stream.Stream.generate(Commits::new).limit(WARPS).toList();
  }

  public void reset() {
    open.clear();
    completed = 0;
    queue = Optional.empty();
    Arrays.fill(joined, 0);
    for (var c : commits) c.count = 0;
  }

  static Warpgroup of(Warp w, int mask, int site) {
    var cta = w.cta;
    int first = w.index / WARPS * WARPS;
    if (first + WARPS > cta.warps.length || cta.threads < (first + WARPS) * Warp.LANES) {
      throw invalid(w, site, " executes a wgmma instruction in a warpgroup of fewer than 128 threads: warps " + first
          + " to " + (first + WARPS - 1) + " must all exist, and the block has " + cta.threads + " threads");
    }
    if (mask != -1) throw invalid(w, site, " executes a wgmma instruction without lanes " + LaneReport.ranges(~mask));
    return WgmmaUnits.of(cta).warpgroup(first / WARPS);
  }

  static Fault invalid(Warp w, int site, String what) {
    return new Fault(Kind.INVALID_OPERATION, site, 0, 0, w.who(0) + what);
  }

  /** A warp comes to its next operation, which it may be the first to come to. */
  WgmmaOperation join(Warp w, WgmmaFragments fragments, WgmmaForm form, long a, long b, boolean accumulate, int site) {
    int rank = w.index - first;
    long number = joined[rank];
    WgmmaOperation operation = null;
    for (var o : open) if (o.number() == number) operation = o;
    if (operation == null) {
      operation = new WgmmaOperation(this, number, form, w, a, b, accumulate, site);
      open.add(operation);
    } else if (!operation.agrees(a, b, accumulate, site)) {
      throw invalid(w, site, " executes another wgmma, or with other descriptors or another scale-d, than the warps "
          + "before it in its warpgroup did" + cta.at(operation.site));
    }
    operation.warps[rank] = fragments;
    joined[rank]++;
    cta.state.trace.ifPresent(t -> t.uses(SyncObject.warpgroup(cta, first), Use.ARRIVE, number, false));
    if (Arrays.stream(joined).allMatch(n -> n > number)) cta.cluster.async.issue(operation);
    return operation;
  }

  void commit(Warp w) {
    commits.get(w.index - first).add(joined[w.index - first]);
  }

  /** How many operations a warp waits for that waits for all of its groups but the newest so many. */
  long awaited(Warp w, int newest) {
    return commits.get(w.index - first).before(newest);
  }

  /** A warp has waited for so many operations. */
  void tell(Warp w, long operations) {
    cta.state.trace.ifPresent(t -> t.uses(SyncObject.warpgroup(cta, first), Use.RESUME, operations, false));
    WgmmaWarp.of(w).watch.awaited(operations);
    Sanitizer.of(cta).causality().complete(w, -1, queue(), (int) operations);
  }

  /** The queue of its operations' reads of shared memory. */
  AsyncQueue queue() {
    if (queue.isEmpty()) queue = Optional.of(Sanitizer.of(cta).causality().queue());
    return queue.get();
  }

  /** How many operations have completed. */
  long completed() {
    return completed;
  }

  void completedOne() {
    open.removeFirst();
    completed++;
    for (int i = first; i < first + WARPS; i++) cta.warps[i].resume(LaneGroup.State.AT_WGMMA);
  }

  Cta cta() {
    return cta;
  }

  /** Names its warps. */
  String describe() {
    return "warps " + first + "-" + (first + WARPS - 1) + " of block " + cta.position;
  }

  /** Describes, for a deadlock report, what the operation that holds the others up waits for. */
  public String holdUp() {
    if (open.isEmpty()) return "the wgmma of " + describe() + " are complete";
    long number = open.getFirst().number();
    var missing = new java.util.ArrayList<String>();
    for (int i = 0; i < WARPS; i++) if (joined[i] <= number) missing.add("warp " + (first + i));
    return "the wgmma of " + describe() + cta.at(open.getFirst().site) + " awaits " + String.join(", ", missing);
  }
}
