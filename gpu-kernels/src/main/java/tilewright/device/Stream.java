package tilewright.device;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import tilewright.device.driver.Driver;
import tilewright.device.driver.GpuException;

/** Work on a GPU that runs in order. */
public final class Stream extends DriverObject {
  private static final int NOT_READY = 600;
  private static final int NON_BLOCKING = 1;

  /** Other threads may go on with calls that would break a global capture, such as allocations. */
  private static final int CAPTURE_THREAD_LOCAL = 1;

  private final long handle;
  private final boolean own;
  private Capture capture = Capture.none();

  private Stream(Gpu gpu, long handle, boolean own) {
    super(gpu);
    this.handle = handle;
    this.own = own;
  }

  static Stream ordered(Gpu gpu) {
    return new Stream(gpu, gpu.driver().get("cuStreamCreate", "creating a stream", 0), true);
  }

  static Stream independent(Gpu gpu, int priority) {
    return new Stream(gpu, gpu.driver().get("cuStreamCreateWithPriority", "creating a stream", NON_BLOCKING, priority),
        true);
  }

  static Stream foreign(Gpu gpu, long handle) {
    return new Stream(gpu, handle, false);
  }

  /**
   * Waits for all work enqueued so far.
   *
   * @throws GpuException when some of it failed, such as a kernel with an illegal address
   */
  public void synchronize() {
    synchronize(this);
  }

  /** @param doing for the message, in words only if it fails */
  void synchronize(Object doing) {
    enter();
    driver().call("cuStreamSynchronize", doing, handle);
  }

  /** Whether all work enqueued so far is done. */
  public boolean isIdle() {
    enter();
    return isDone(driver(), driver().result("cuStreamQuery", handle), "cuStreamQuery", this);
  }

  static boolean isDone(Driver driver, int result, String symbol, Object doing) {
    if (result == NOT_READY) return false;
    driver.check(result, symbol, doing);
    return true;
  }

  /** Makes later work of this stream wait for the event, which may be another stream's. */
  public void waitFor(Event event) {
    enter();
    event.requireOpen();
    driver().call("cuStreamWaitEvent", this, handle, event.handle(), 0);
    if (event.capture().isOpen()) capture = event.capture();
  }

  /**
   * Records what the action enqueues on this stream, instead of running it, as a graph to replay. Streams that wait for
   * an event of this one join the capture; they must be waited for in turn before the action ends.
   *
   * @throws IllegalStateException when this stream is capturing already
   */
  public Graph capture(Runnable action) {
    enter();
    if (capture.isOpen()) throw new IllegalStateException(this + " is capturing already; captures do not nest");
    driver().call("cuStreamBeginCapture_v2", this, handle, CAPTURE_THREAD_LOCAL);
    var begun = new Capture();
    capture = begun;
    boolean complete = false;
    try {
      action.run();
      complete = true;
    } finally {
      if (!complete) {
        begun.end();
        discardCapture();
      }
    }
    var needed = begun.end();
    long graph = endCapture();
    try {
      return gpu().register(new Graph(gpu(), graph, needed));
    } finally {
      driver().result("cuGraphDestroy", graph);
    }
  }

  private long endCapture() {
    try (var arena = Arena.ofConfined()) {
      var graph = arena.allocate(ValueLayout.JAVA_LONG);
      driver().call("cuStreamEndCapture", "capturing on " + this, handle, graph.address());
      return graph.get(ValueLayout.JAVA_LONG, 0);
    }
  }

  /** The action's own failure is the one to report. */
  private void discardCapture() {
    try {
      driver().result("cuGraphDestroy", endCapture());
    } catch (GpuException _) {
      // The failure has invalidated the capture, which has ended now.
    }
  }

  /** Notes that enqueued work needs the object. */
  void use(DriverObject object) {
    object.requireOpen();
    capture.needs(object);
  }

  /** The last one that this stream was part of. */
  Capture capture() {
    return capture;
  }

  /** The driver's {@code CUstream}. */
  public long handle() {
    requireOpen();
    return handle;
  }

  @Override
  void release() {
    if (own) driver().result("cuStreamDestroy_v2", handle);
  }

  @Override
  public String toString() {
    return "stream 0x" + Long.toHexString(handle);
  }
}
