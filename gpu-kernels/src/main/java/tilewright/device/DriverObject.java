package tilewright.device;

import java.util.concurrent.atomic.AtomicBoolean;
import tilewright.device.driver.Driver;

/** Something of a GPU's context that must be released once. Closing the GPU closes it too. */
abstract class DriverObject implements AutoCloseable {
  private final Gpu gpu;
  private final AtomicBoolean closed = new AtomicBoolean();

  DriverObject(Gpu gpu) {
    this.gpu = gpu;
  }

  /** The GPU that this belongs to. */
  public final Gpu gpu() {
    return gpu;
  }

  final Driver driver() {
    return gpu.driver();
  }

  /** @throws IllegalStateException when this object is closed */
  final void requireOpen() {
    if (closed.get()) throw new IllegalStateException(this + " is closed");
  }

  /**
   * Makes the context current; every driver call on this object comes after it.
   *
   * @throws IllegalStateException when this object is closed
   */
  final void enter() {
    requireOpen();
    gpu.enter();
  }

  final boolean isClosed() {
    return closed.get();
  }

  /**
   * Releases without reporting failures: they only repeat what an earlier call, such as the launch that broke the
   * context, has reported already, and would hide it.
   */
  abstract void release();

  /** Releases the driver's object. Closing again does nothing. */
  @Override
  public final void close() {
    if (!closed.compareAndSet(false, true)) return;
    gpu.forget(this);
    release();
  }
}
