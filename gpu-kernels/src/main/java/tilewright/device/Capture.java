package tilewright.device;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import tilewright.device.driver.Driver;

/** The objects needed by work that streams enqueue into a graph instead of running it. */
final class Capture {
  /** {@code CU_STREAM_CAPTURE_MODE_RELAXED}: the thread's captures forbid it nothing. */
  private static final int RELAXED = 2;

  private final Set<DriverObject> needed = new LinkedHashSet<>();
  private boolean open = true;

  /** One that has ended: what a stream or an event has that is part of none. */
  static Capture none() {
    var none = new Capture();
    none.end();
    return none;
  }

  /** Makes a call that touches no stream, such as an allocation, which this thread's captures would forbid it. */
  static long permitting(Driver driver, LongSupplier call) {
    try (var arena = Arena.ofConfined()) {
      var mode = arena.allocate(JAVA_INT);
      mode.set(JAVA_INT, 0, RELAXED);
      driver.call("cuThreadExchangeStreamCaptureMode", "permitting calls during captures", mode.address());
      try {
        return call.getAsLong();
      } finally {
        driver.result("cuThreadExchangeStreamCaptureMode", mode.address());
      }
    }
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
