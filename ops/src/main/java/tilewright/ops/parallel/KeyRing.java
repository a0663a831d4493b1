package tilewright.ops.parallel;

import java.util.ArrayList;
import java.util.List;
import tilewright.ops.DeviceTensor;
import tilewright.ops.collectives.Communicator;

/** Keys and values that go round the ranks: each rank computes on one block while the next one comes. */
final class KeyRing implements AutoCloseable {
  private final Sequence s;
  private final Communicator ranks;
  private final List<DeviceTensor> memory = new ArrayList<>();

  /** Keys and values of a rank. */
  record Block(DeviceTensor k, DeviceTensor v) {}

  /** A step of the ring. */
  @FunctionalInterface
  interface Step {
    /** @param source the rank whose keys and values these are */
    void compute(int source, Block block);
  }

  KeyRing(Sequence sequence, Communicator ranks) {
    this.s = sequence;
    this.ranks = ranks;
  }

  /** Computes on the rank's own block first, and on that of the next rank last: two take turns in receiving. */
  void go(Step step) {
    int size = ranks.size();
    int next = (s.rank() + 1) % size;
    int previous = (s.rank() + size - 1) % size;
    var current = new Block(inOrder(s.k()), inOrder(s.v()));
    var received = new ArrayList<Block>();
    for (int i = 0; i < Math.min(2, size - 1); i++) received.add(new Block(like(s.k()), like(s.v())));
    for (int i = 0; i < size; i++) {
      int source = (s.rank() + size - i) % size;
      if (i == size - 1) {
        step.compute(source, current);
        return;
      }
      var sent = current;
      var coming = received.get(i % received.size());
      var work = ranks.start(() -> {
        ranks.send(sent.k, next);
        ranks.send(sent.v, next);
        ranks.receive(coming.k, previous);
        ranks.receive(coming.v, previous);
      });
      step.compute(source, current);
      work.join();
      current = coming;
    }
  }

  private DeviceTensor inOrder(DeviceTensor tensor) {
    if (tensor.isContiguous()) return tensor;
    var copy = tensor.ops().contiguous(tensor);
    memory.add(copy);
    return copy;
  }

  private DeviceTensor like(DeviceTensor tensor) {
    var empty = tensor.ops().empty(tensor.type(), tensor.shape());
    memory.add(empty);
    return empty;
  }

  @Override
  public void close() {
    memory.forEach(DeviceTensor::close);
  }
}
