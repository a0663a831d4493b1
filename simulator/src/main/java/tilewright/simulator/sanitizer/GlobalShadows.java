package tilewright.simulator.sanitizer;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.DeviceHeap;

/** The shadows of a launch's buffers and of what its kernels allocate. */
public final class GlobalShadows implements DeviceHeap.Listener {
  private final GlobalShadow[] buffers;
  /** By window, those of the device heap's allocations. */
  private final Map<Integer, GlobalShadow> allocations = new ConcurrentHashMap<>();

  /** @param buffers the shadow of each buffer of the {@link AddressSpace} */
  public GlobalShadows(List<GlobalShadow> buffers) {
    this.buffers = buffers.toArray(GlobalShadow[]::new);
  }

  /** @param windows of memory that outlives the launch, of which each has its shadow once it is used */
  public GlobalShadows(int windows) {
    buffers = new GlobalShadow[windows];
  }

  @Override
  public void allocated(int window, int bytes, boolean initialised) {
    var shadow = new GlobalShadow(bytes, initialised, false, EarlierGrids.ABSENT);
    if (window <= buffers.length) {
      buffers[window - 1] = shadow;
    } else {
      allocations.put(window, shadow);
    }
  }

  /** The shadow of the buffer an address points into; null when it points into none. */
  GlobalShadow of(long address) {
    int window = AddressSpace.window(address);
    return window > 0 && window <= buffers.length ? buffers[window - 1] : allocations.get(window);
  }
}
