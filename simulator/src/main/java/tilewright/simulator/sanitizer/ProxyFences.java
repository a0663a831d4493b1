package tilewright.simulator.sanitizer;

import java.util.ArrayList;
import java.util.List;

/**
 * When the lanes of a CTA executed {@code fence.proxy.async}, in the time of their warps. A write through the generic
 * proxy is fit for asynchronous operations of those who know of a fence that its own thread executed after it.
 */
public final class ProxyFences {
  /** Spaces that a fence is for. */
  public static final int SHARED = 1;
  public static final int GLOBAL = 2;
  public static final int ALL = SHARED | GLOBAL;

  private record Fence(int mask, int spaces, int time) {}

  private final List<List<Fence>> byWarp = new ArrayList<>();

  ProxyFences(int warps) {
    for (int w = 0; w < warps; w++) byWarp.add(new ArrayList<>());
  }

  void reset() {
    byWarp.forEach(List::clear);
  }

  void add(int warp, int mask, int spaces, int time) {
    byWarp.get(warp).add(new Fence(mask, spaces, time));
  }

  /** The fence for a space that follows a write, as an access of the same lane at its time; 0 if there is none. */
  long after(long write, int space) {
    var fences = byWarp.get(Epoch.warp(write));
    int low = 0;
    int high = fences.size();
    while (low < high) {
      int middle = (low + high) / 2;
      if (fences.get(middle).time() < Epoch.time(write)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    for (; low < fences.size(); low++) {
      var fence = fences.get(low);
      boolean concerned = (fence.spaces() & space) != 0 && (fence.mask() >>> Epoch.lane(write) & 1) != 0;
      if (concerned) return Epoch.settled(write, fence.time());
    }
    return 0;
  }
}
