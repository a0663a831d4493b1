package tilewright.ops.collectives;

import java.util.ArrayDeque;
import java.util.Queue;
import tilewright.device.Event;
import tilewright.device.Gpu;
import tilewright.device.Stream;
import tilewright.ops.Ops;

/** The stream of a rank's transfers, beside that of its operators. */
interface Lane extends AutoCloseable {
  /** Returns the handle for NCCL, 0 where there is no stream. */
  long stream();

  /** Makes the calling thread's calls of NCCL this device's, and later transfers wait for the operators so far. */
  void begin();

  /** Marks the end of the transfers so far, for operators to wait for. */
  Work end();

  /** Notes that captured transfers are about to be enqueued as the operators' work. */
  default void beforeReplay() {}

  /** Whether all transfers so far are done. */
  boolean isIdle();

  /** Whether nothing that operators compute waits for a transfer. */
  boolean isResultSure();

  @Override
  void close();

  /** The lane of some operators: a stream of its own on a GPU. */
  static Lane of(Ops ops) {
    return ops.stream().<Lane>map(OfGpu::new).orElseGet(OfHost::new);
  }

  /** Transfers in the memory of this process, which are done at once. */
  final class OfHost implements Lane {
    @Override
    public long stream() {
      return 0;
    }

    @Override
    public void begin() {}

    @Override
    public Work end() {
      return () -> {};
    }

    @Override
    public boolean isIdle() {
      return true;
    }

    @Override
    public boolean isResultSure() {
      return true;
    }

    @Override
    public void close() {}
  }

  /** A stream of a GPU, ordered with that of the operators by events. */
  final class OfGpu implements Lane {
    /** Above that of the operators, whose kernels would keep a transfer's from the SMs. */
    private static final int PRIORITY = -1;

    private final Stream operators;
    private final Gpu gpu;
    private final Stream transfers;
    private final Event begun;
    /** Events that a wait was enqueued for, to record again. */
    private final Queue<Event> free = new ArrayDeque<>();
    /** Whether the operators' work may have transfers that were captured. */
    private volatile boolean replayed;

    OfGpu(Stream operators) {
      this.operators = operators;
      gpu = operators.gpu();
      transfers = gpu.independentStream(PRIORITY);
      begun = gpu.event();
    }

    @Override
    public long stream() {
      return transfers.handle();
    }

    @Override
    public synchronized void begin() {
      gpu.enter();
      begun.record(operators);
      transfers.waitFor(begun);
    }

    @Override
    public synchronized Work end() {
      var ended = free.isEmpty() ? gpu.event() : free.remove();
      ended.record(transfers);
      return new Ended(ended);
    }

    private final class Ended implements Work {
      private final Event event;
      private boolean joined;

      Ended(Event event) {
        this.event = event;
      }

      @Override
      public void join() {
        synchronized (OfGpu.this) {
          if (joined) return;
          joined = true;
          operators.waitFor(event);
          free.add(event);
        }
      }
    }

    @Override
    public void beforeReplay() {
      replayed = true;
    }

    @Override
    public boolean isIdle() {
      return transfers.isIdle() && (!replayed || areOperatorsIdle());
    }

    @Override
    public boolean isResultSure() {
      return areOperatorsIdle() || !replayed && transfers.isIdle();
    }

    private boolean areOperatorsIdle() {
      boolean idle = operators.isIdle();
      if (idle) replayed = false;
      return idle;
    }

    @Override
    public void close() {
      transfers.close();
      begun.close();
      free.forEach(Event::close);
    }
  }
}
