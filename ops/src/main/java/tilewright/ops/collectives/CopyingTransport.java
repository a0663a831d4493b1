package tilewright.ops.collectives;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import tilewright.device.Event;
import tilewright.device.Stream;
import tilewright.ops.Ops;

/**
 * Transfers between GPUs of one process: tensors that one rank sends to another are copied by copy engines, which leave
 * all SMs to the operators, and all else is another transport's. A copy is enqueued when both ranks have called, so
 * none waits on the GPU for a call that never comes. Captured transfers are all the other transport's: a copy would be
 * part of two ranks' graphs.
 */
final class CopyingTransport implements Transport {
  private static final long POLL_NANOS = 20_000;
  /** The priority of streams by default: copies compete for no SM. */
  private static final int PRIORITY = 0;

  private final Stream operators;
  private final Stream copies;
  private final int rank;
  private final Exchange exchange;
  private final Transport others;
  private final CollectiveOptions options;
  private final Runnable endOfChecks;
  private final List<Started> started = new ArrayList<>();
  /** Whether operators may wait for a copy that was joined. */
  private boolean joined;
  private boolean closed;
  private volatile boolean captures;

  CopyingTransport(Ops ops, Stream operators, int rank, Exchange exchange, Transport others,
      CollectiveOptions options) {
    this.operators = operators;
    this.rank = rank;
    this.exchange = exchange;
    this.others = others;
    this.options = options;
    copies = operators.gpu().independentStream(PRIORITY);
    endOfChecks = ops.beforeWaits(this::awaitJoined);
  }

  /** Lets GPUs use each other's memory; returns whether all can. */
  static boolean arePeers(List<Stream> streams) {
    boolean all = true;
    for (var from : streams) {
      for (var to : streams) all &= from == to || from.gpu().enablePeer(to.gpu());
    }
    return all;
  }

  /** Copies that were begun together. */
  private final class Started implements Work {
    private final Event ready;
    private final List<CopySide> sides = new ArrayList<>();
    private final List<Exchange.Meeting> meetings = new ArrayList<>();

    Started(List<Transfer> pairs) {
      ready = operators.gpu().event();
      ready.record(operators);
      for (var pair : pairs) {
        var side = new CopySide(copies, ready);
        sides.add(side);
        meetings.add(exchange.meet(new Exchange.Arrival(rank, pair, Optional.of(side))));
      }
    }

    @Override
    public void join() {
      synchronized (CopyingTransport.this) {
        if (!started.remove(this)) return;
        joined = true;
      }
      var deadline = Deadline.in(options.timeout());
      failing(() -> meetings.forEach(meeting -> exchange.await(meeting, deadline)));
      sides.forEach(side -> side.join(operators));
      ready.close();
    }
  }

  /** Ends the other transport where this fails. */
  private void failing(Runnable action) {
    try {
      action.run();
    } catch (CollectiveException e) {
      others.abort(e.getMessage());
      throw e;
    }
  }

  @Override
  public Work start(List<Transfer> transfers) {
    if (captures) return others.start(transfers);
    Predicate<Transfer> isPair = Transfer.Pair.class::isInstance;
    var pairs = transfers.stream().filter(isPair).toList();
    var rest = transfers.stream().filter(isPair.negate()).toList();
    Work work = rest.isEmpty() ? () -> {} : others.start(rest);
    if (pairs.isEmpty()) return work;
    var copying = new ArrayList<Started>();
    failing(() -> copying.add(new Started(pairs)));
    synchronized (this) {
      started.addAll(copying);
    }
    return () -> {
      work.join();
      copying.forEach(Started::join);
    };
  }

  @Override
  public void await() {
    List<Started> open;
    synchronized (this) {
      open = List.copyOf(started);
    }
    open.forEach(Started::join);
    awaitJoined();
    others.await();
  }

  private synchronized void awaitJoined() {
    failing(() -> {
      exchange.requireSound();
      var deadline = Deadline.in(options.timeout());
      while (joined && !operators.isIdle()) {
        exchange.requireSound();
        if (deadline.isOver()) {
          exchange.fail("rank " + rank + ": timeout after " + options.timeout()
              + " waiting for copies, or the operators before them");
        }
        if (Thread.currentThread().isInterrupted()) exchange.fail("rank " + rank + " was interrupted");
        LockSupport.parkNanos(POLL_NANOS);
      }
      joined = false;
    });
  }

  /** Ranks are connected for the other transport's sends before a capture. */
  @Override
  public void prepareCapture(boolean begins) {
    captures = begins;
  }

  @Override
  public void beforeReplay() {
    others.beforeReplay();
  }

  @Override
  public void keep(CapturedTransfers captured) {
    others.keep(captured);
  }

  @Override
  public void forget(CapturedTransfers captured) {
    others.forget(captured);
  }

  @Override
  public void abort(String reason) {
    others.abort(reason);
  }

  @Override
  public void close() {
    if (closed) return;
    try {
      if (exchange.isSound()) await();
    } finally {
      closed = true;
      endOfChecks.run();
      others.close();
      copies.close();
    }
  }
}
