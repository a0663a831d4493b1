package tilewright.device;

import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.JCudaDriver;

/** A point in a stream's work, with its time. */
public final class Event extends DriverObject {
  private final CUevent handle = new CUevent();

  Event(Gpu gpu) {
    super(gpu);
    enter();
    int result = JCudaDriver.cuEventCreate(handle, CUevent_flags.CU_EVENT_DEFAULT);
    Driver.check(result, "cuEventCreate", "creating an event");
  }

  /** Marks the point after all work the stream has so far. */
  public void record(Stream stream) {
    enter();
    stream.enter();
    Driver.check(JCudaDriver.cuEventRecord(handle, stream.handle()), "cuEventRecord", "recording on " + stream);
  }

  /** Waits until the point is reached. */
  public void synchronize() {
    enter();
    Driver.check(JCudaDriver.cuEventSynchronize(handle), "cuEventSynchronize", "waiting for " + this);
  }

  /**
   * Milliseconds from an earlier event to this one, to about half a microsecond. Both must have been reached.
   *
   * @throws GpuException with {@code CUDA_ERROR_NOT_READY} when one has not
   */
  public double millisecondsSince(Event start) {
    enter();
    start.enter();
    float[] milliseconds = {0};
    int result = JCudaDriver.cuEventElapsedTime(milliseconds, start.handle, handle);
    Driver.check(result, "cuEventElapsedTime", "timing to " + this);
    return milliseconds[0];
  }

  @Override
  void release() {
    JCudaDriver.cuEventDestroy(handle);
  }

  @Override
  public String toString() {
    return "event " + Integer.toHexString(System.identityHashCode(this));
  }
}
