package tilewright.device;

import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

/** Work on a GPU that runs in order. */
public final class Stream extends DriverObject {
  private final Handles.Queue handle = new Handles.Queue();

  Stream(Gpu gpu) {
    super(gpu);
    enter();
    int result = JCudaDriver.cuStreamCreate(handle, CUstream_flags.CU_STREAM_DEFAULT);
    Driver.check(result, "cuStreamCreate", "creating a stream");
  }

  /**
   * Waits for all work enqueued so far.
   *
   * @throws GpuException when some of it failed, such as a kernel with an illegal address
   */
  public void synchronize() {
    synchronize("waiting for " + this);
  }

  void synchronize(String doing) {
    enter();
    Driver.check(JCudaDriver.cuStreamSynchronize(handle), "cuStreamSynchronize", doing);
  }

  Handles.Queue handle() {
    return handle;
  }

  @Override
  void release() {
    JCudaDriver.cuStreamDestroy(handle);
  }

  @Override
  public String toString() {
    return "stream 0x" + Long.toHexString(handle.value());
  }
}
