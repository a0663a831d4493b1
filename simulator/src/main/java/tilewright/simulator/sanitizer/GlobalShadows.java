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

  @Override
  public void allocated(int window, int bytes) {
    allocations.put(window, new GlobalShadow(bytes, false, false, EarlierGrids.ABSENT));
  }

  /** The shadow of the buffer an address points into; null when it points into none. */
  GlobalShadow of(long address) {
    int window = AddressSpace.window(address);
    return window > 0 && window <= buffers.length ? buffers[window - 1] : allocations.get(window);
  }
}
