package tilewright.ops.collectives;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * Transfers among simulators of one process, which are made when they are joined, in the order of their start: a
 * program that uses a tensor before then sees its old elements.
 */
final class SimulatedTransport implements Transport {
  private final int rank;
  private final Exchange exchange;
  private final CollectiveOptions options;
  private final Queue<Started> started = new ArrayDeque<>();
  private volatile boolean closed;

  SimulatedTransport(int rank, Exchange exchange, CollectiveOptions options) {
    this.rank = rank;
    this.exchange = exchange;
    this.options = options;
  }

  private final class Started implements Work {
    private final List<Transfer> transfers;

    Started(List<Transfer> transfers) {
      this.transfers = transfers;
    }

    @Override
    public void join() {
      while (started.contains(this)) started.remove().run();
    }

    private void run() {
      var deadline = Deadline.in(options.timeout());
      var meetings = new ArrayList<Exchange.Meeting>();
      for (var transfer : transfers) meetings.add(exchange.meet(rank, transfer));
      for (var meeting : meetings) exchange.await(meeting, deadline);
    }
  }

  @Override
  public Work start(List<Transfer> transfers) {
    exchange.requireSound();
    var work = new Started(transfers);
    started.add(work);
    return work;
  }

  @Override
  public void await() {
    exchange.requireSound();
    while (!started.isEmpty()) started.remove().run();
  }

  @Override
  public void beforeReplay() {
    exchange.requireSound();
    if (closed) throw new IllegalStateException("the communicator of rank " + rank + " is closed");
  }

  @Override
  public void abort(String reason) {
    started.clear();
    exchange.fail(reason);
  }

  @Override
  public void close() {
    closed = true;
    started.clear();
  }
}
