package tilewright.simulator.machine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.Findings;
import tilewright.simulator.core.Warp;

/**
 * Finds out whether nothing can change any more on several devices: each warp that can go on comes back to where it
 * was, with the same registers, and memory stays as it was. Then all of them ask for ever for what nobody will do.
 */
final class Standstill {
  private static final String FIX = "let the device that is waited for release the flag, once for each wait, and reset "
      + "it only when the waiter has seen it";

  private Standstill() {}

  /** A warp that asks again and again, in words, and the report of it. */
  record Poll(Findings.Report at, String text) {}

  /** Reports where the devices wait if none can go on; returns whether that is so. */
  static boolean report(List<DeviceRun> devices, GroupMemory memory) {
    long[] before = digests(devices, memory);
    var polls = new ArrayList<List<Poll>>();
    for (var device : devices) {
      var own = new ArrayList<Poll>();
      for (var cluster : device.active()) {
        var found = polls(device, cluster, memory);
        // A cluster of which no warp can go on is done, or a deadlock of its own.
        if (found.isEmpty() || found.get().isEmpty()) return false;
        own.addAll(found.get());
      }
      polls.add(own);
    }
    boolean asks = polls.stream().anyMatch(own -> !own.isEmpty());
    if (!asks || !Arrays.equals(before, digests(devices, memory))) return false;
    boolean more = false;
    for (var device : devices) more |= device.widen();
    if (more) return false;
    for (int i = 0; i < devices.size(); i++) {
      var findings = devices.get(i).state().findings;
      for (var poll : polls.get(i)) findings.add(poll.at(), poll::text);
    }
    return true;
  }

  /** @throws Fault that is a finding already */
  private static Optional<List<Poll>> polls(DeviceRun device, ClusterRunner cluster, GroupMemory memory) {
    try {
      return cluster.polls(memory, FIX);
    } catch (Fault f) {
      Machine.blame(f, cluster, device.state());
      throw f;
    }
  }

  /** Digests of global memory and of the shared memory of all CTAs, which is not copied for that. */
  private static long[] digests(List<DeviceRun> devices, GroupMemory memory) {
    var shared = devices.stream().flatMap(d -> d.active().stream()).flatMap(c -> Arrays.stream(c.cluster().ctas))
        .map(cta -> cta.shared);
    return Stream.concat(memory.contents(), shared).mapToLong(Standstill::digest).toArray();
  }

  private static long digest(byte[] bytes) {
    var sum = new CRC32C();
    sum.update(bytes);
    return sum.getValue() << Integer.SIZE | Integer.toUnsignedLong(Arrays.hashCode(bytes));
  }

  /** A finding about a warp that asks for ever. */
  static Findings.Report of(int site, Warp w, int lane, long offset, String fix) {
    return new Findings.Report(Kind.DEADLOCK, site, w.cta, w.thread(lane), offset, fix);
  }
}
