package tilewright.simulator.sanitizer;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import tilewright.simulator.core.Warp;

/**
 * The {@link AsyncAccess}es to global memory, by CTA; epochs name them by their number. They are kept to the end of a
 * launch, because other CTAs may come across what they did.
 */
final class GlobalAccesses {
  private final Map<Integer, List<AsyncAccess>> byCta = new ConcurrentHashMap<>();

  /** A lane's access, as an epoch without bytes; beyond what epochs can tell apart, it shares the last number. */
  long add(Warp w, int lane, AsyncAccess access) {
    var list = byCta.computeIfAbsent(Epoch.cta(w.cta.number), _ -> new ArrayList<>());
    synchronized (list) {
      if (list.size() < Epoch.LATEST) {
        list.add(access);
      } else {
        list.set(list.size() - 1, access);
      }
      return Epoch.asyncGlobal(w.cta.number, w.index, lane, list.size() - 1);
    }
  }

  AsyncAccess of(long epoch) {
    var list = byCta.get(Epoch.ctaOf(epoch));
    synchronized (list) {
      return list.get(Epoch.time(epoch));
    }
  }
}
