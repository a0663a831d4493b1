package tilewright.device;

import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUstream;

/** JCuda's handles with their values readable, which calls outside JCuda need. */
final class Handles {
  private Handles() {}

  static final class Function extends CUfunction {
    long value() {
      return getNativePointer();
    }
  }

  static final class Queue extends CUstream {
    long value() {
      return getNativePointer();
    }
  }

  static final class Address extends CUdeviceptr {
    long value() {
      return getNativePointer();
    }
  }
}
