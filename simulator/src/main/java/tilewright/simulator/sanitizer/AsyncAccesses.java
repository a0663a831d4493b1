package tilewright.simulator.sanitizer;

import java.util.ArrayList;
import java.util.List;

/** The {@link AsyncAccess}es of a cluster, which epochs name by their index. */
final class AsyncAccesses {
  private final List<AsyncAccess> accesses = new ArrayList<>();

  void reset() {
    accesses.clear();
  }

  /** A new one; beyond what epochs can tell apart, the last one again, which then stands for several. */
  AsyncAccess begin(String fix) {
    if (accesses.size() < Epoch.LATEST) accesses.add(new AsyncAccess(accesses.size(), fix));
    return accesses.getLast();
  }

  AsyncAccess of(long epoch) {
    return accesses.get(Epoch.time(epoch));
  }
}
