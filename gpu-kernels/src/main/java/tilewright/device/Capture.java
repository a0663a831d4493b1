package tilewright.device;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The objects needed by work that streams enqueue into a graph instead of running it. */
final class Capture {
  private final Set<DriverObject> needed = new LinkedHashSet<>();
  private boolean open = true;

  /** One that has ended: what a stream or an event has that is part of none. */
  static Capture none() {
    var none = new Capture();
    none.end();
    return none;
  }

  boolean isOpen() {
    return open;
  }

  void needs(DriverObject object) {
    if (open) needed.add(object);
  }

  /** @return what was needed, which this forgets */
  List<DriverObject> end() {
    open = false;
    var all = List.copyOf(needed);
    needed.clear();
    return all;
  }
}
