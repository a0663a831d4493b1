package tilewright.device.driver;

/** A call of the CUDA driver that failed, or a launch that wrote where it must not. */
public final class GpuException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String call;
  private final String result;

  public GpuException(String call, String result, String explanation) {
    super(call + ": " + result + ": " + explanation);
    this.call = call;
    this.result = result;
  }

  /** The call that failed, such as {@code cuLaunchKernelEx}. */
  public String call() {
    return call;
  }

  /** The name of the result, such as {@code CUDA_ERROR_INVALID_VALUE}. */
  public String result() {
    return result;
  }
}
