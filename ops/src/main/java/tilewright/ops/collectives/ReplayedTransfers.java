package tilewright.ops.collectives;

import java.util.ArrayList;
import java.util.List;
import tilewright.ops.DeviceTensor;
import tilewright.ops.Ops;

/**
 * Transfers that simulators make at each replay of captured calls. They name memory rather than tensors, since the
 * calls may have closed these by then.
 */
final class ReplayedTransfers implements Work, AutoCloseable {
  private final Ops ops;
  /** The tensors that the calls have named: their memory stays while these are reachable. */
  private final List<DeviceTensor> named = new ArrayList<>();
  private final List<DeviceTensor> memory = new ArrayList<>();
  private Work work = () -> {};

  ReplayedTransfers(Ops ops, Transport transport, List<Transfer> transfers) {
    this.ops = ops;
    var lasting = transfers.stream().map(transfer -> transfer.with(this::memory)).toList();
    ops.enqueue(() -> work = transport.start(lasting));
  }

  private DeviceTensor memory(DeviceTensor tensor) {
    named.add(tensor);
    memory.add(ops.foreign(tensor.type(), tensor.address(), new long[] {tensor.elements()}, new long[] {1}));
    return memory.getLast();
  }

  @Override
  public void join() {
    ops.enqueue(() -> work.join());
  }

  @Override
  public void close() {
    memory.forEach(DeviceTensor::close);
    named.clear();
  }
}
