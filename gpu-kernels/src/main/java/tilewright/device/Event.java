package tilewright.device;

import tilewright.device.driver.GpuException;

/** A point in a stream's work, with its time. */
public final class Event extends DriverObject {
  private final long handle;
  private Capture capture = Capture.none();

  Event(Gpu gpu) {
    super(gpu);
    enter();
    handle = driver().get("cuEventCreate", "creating an event", 0);
  }

  /** Marks the point after all work the stream has so far. */
  public void record(Stream stream) {
    requireOpen();
    stream.enter();
    driver().call("cuEventRecord", stream, handle, stream.handle());
    capture = stream.capture();
  }

  /** The capture of the stream whose work this event marks. */
  Capture capture() {
    return capture;
  }

  /** Waits until the point is reached. */
  public void synchronize() {
    enter();
    driver().call("cuEventSynchronize", this, handle);
  }

  /** Whether the point has been reached. */
  public boolean isReached() {
    enter();
    return Stream.isDone(driver(), driver().result("cuEventQuery", handle), "cuEventQuery", this);
  }

  /**
   * Milliseconds from an earlier event to this one, to about half a microsecond. Both must have been reached.
   *
   * @throws GpuException with {@code CUDA_ERROR_NOT_READY} when one has not
   */
  public double millisecondsSince(Event start) {
    enter();
    start.enter();
    return Float.intBitsToFloat((int) driver().get("cuEventElapsedTime", this, start.handle, handle));
  }

  long handle() {
    return handle;
  }

  @Override
  void release() {
    driver().result("cuEventDestroy_v2", handle);
  }

  @Override
  public String toString() {
    return "event 0x" + Long.toHexString(handle);
  }
}
