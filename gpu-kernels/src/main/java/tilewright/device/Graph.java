package tilewright.device;

import java.util.List;
import tilewright.device.driver.DriverFunction;

/**
 * Work captured from a stream, to replay as one launch. It uses the same memory and arguments each time; a replay after
 * any of them was closed is refused.
 */
public final class Graph extends DriverObject {
  private final long handle;
  private final List<DriverObject> used;
  private final DriverFunction launch;
  /** The arguments of the call, kept so that a launch makes no garbage. */
  private final long[] call = new long[2];

  Graph(Gpu gpu, long template, List<DriverObject> used) {
    super(gpu);
    this.used = used;
    this.handle = driver().get("cuGraphInstantiateWithFlags", "instantiating a graph", template, 0);
    this.call[0] = handle;
    this.launch = driver().function("cuGraphLaunch", 2);
  }

  /**
   * Enqueues all of it.
   *
   * @throws IllegalStateException when the graph, the stream, or something that was captured is closed
   */
  public synchronized void launch(Stream stream) {
    requireOpen();
    stream.enter();
    for (int i = 0; i < used.size(); i++) used.get(i).requireOpen();
    call[1] = stream.handle();
    driver().check(launch.call(call), "cuGraphLaunch", this);
  }

  @Override
  void release() {
    driver().result("cuGraphExecDestroy", handle);
  }

  @Override
  public String toString() {
    return "graph 0x" + Long.toHexString(handle);
  }
}
