package tilewright.ops.collectives;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import tilewright.ops.DeviceTensor;
import tilewright.ops.Ops;

/**
 * Transfers by NCCL, whose calls do not block: each wait looks for errors, its own and those of other ranks of this
 * process, and ends at the timeout. What fails is aborted, so that no kernel waits for ever.
 */
final class NcclTransport implements Transport {
  private static final int UINT8 = 1;
  private static final long POLL_NANOS = 20_000;

  private final Ops ops;
  private final Nccl nccl;
  private final int rank;
  private final Exchange exchange;
  private final boolean complete;
  private final CollectiveOptions options;
  private final Lane lane;
  private final long communicator;
  private final Runnable endOfChecks;
  /** Captured calls: NCCL gives up a communicator once no graph has its transfers. */
  private final Set<CapturedTransfers> captured = ConcurrentHashMap.newKeySet();
  private Optional<String> failure = Optional.empty();
  private boolean closed;

  /**
   * Begins to join the ranks.
   *
   * @param exchange of the ranks in this process
   * @param complete whether these are all ranks
   */
  NcclTransport(Ops ops, Nccl nccl, byte[] id, int rank, int size, Exchange exchange, boolean complete,
      CollectiveOptions options) {
    this.ops = ops;
    this.nccl = nccl;
    this.rank = rank;
    this.exchange = exchange;
    this.complete = complete;
    this.options = options;
    lane = Lane.of(ops);
    lane.begin();
    communicator = nccl.initialise(id, rank, size);
    endOfChecks = ops.beforeWaits(() -> await(lane::isResultSure));
  }

  /** Waits until all ranks have joined. */
  void awaitMembers() {
    settle("ranks to join; all need one unique id, each a rank of its own, and as many ranks as there are");
  }

  @Override
  public synchronized Work start(List<Transfer> transfers) {
    requireSound();
    if (complete) transfers.forEach(this::meet);
    lane.begin();
    nccl.call("ncclGroupStart");
    try {
      transfers.forEach(this::enqueue);
      nccl.call("ncclGroupEnd");
    } catch (CollectiveException e) {
      nccl.result("ncclGroupEnd");
      fail(e.getMessage());
    }
    settle("other ranks in " + transfers.stream().map(Transfer::signature).toList());
    return lane.end();
  }

  private void meet(Transfer transfer) {
    try {
      exchange.meet(rank, transfer);
    } catch (CollectiveException e) {
      fail(e.getMessage());
    }
  }

  private void enqueue(Transfer transfer) {
    long stream = lane.stream();
    switch (transfer) {
      case Transfer.AllReduce(var from, var into, var reduction) -> nccl.call("ncclAllReduce", from.address(),
          into.address(), from.elements(), type(from), reduction.code(), communicator, stream);
      case Transfer.Reduce(var from, var into, var reduction, int root) -> nccl.call("ncclReduce", from.address(),
          into.address(), from.elements(), type(from), reduction.code(), root, communicator, stream);
      case Transfer.ReduceScatter(var from, var into, var reduction, _) -> nccl.call("ncclReduceScatter",
          from.address(), into.address(), into.elements(), type(from), reduction.code(), communicator, stream);
      case Transfer.AllGather(var from, var into, _) -> nccl.call("ncclAllGather", from.address(), into.address(),
          bytes(from), UINT8, communicator, stream);
      case Transfer.Broadcast(var tensor, int root) -> nccl.call("ncclBroadcast", tensor.address(), tensor.address(),
          bytes(tensor), UINT8, root, communicator, stream);
      case Transfer.Agreement _ -> {}
      case Transfer.Send(var tensor, int peer) -> nccl.call("ncclSend", tensor.address(), bytes(tensor), UINT8, peer,
          communicator, stream);
      case Transfer.Receive(var tensor, int peer) -> nccl.call("ncclRecv", tensor.address(), bytes(tensor), UINT8,
          peer, communicator, stream);
    }
  }

  private static long bytes(DeviceTensor tensor) {
    return tensor.type().bytes(tensor.elements());
  }

  /** NCCL's {@code ncclDataType_t} of what is reduced. */
  private static int type(DeviceTensor tensor) {
    return switch (tensor.type()) {
      case I32 -> 2;
      case F16 -> 6;
      case F32 -> 7;
      case BF16 -> 9;
      default -> throw new IllegalArgumentException("NCCL does not add " + tensor.type().text());
    };
  }

  /** Waits until NCCL's calls are over, which may need other ranks the first time. */
  private synchronized void settle(String others) {
    var deadline = Deadline.in(options.timeout());
    while (nccl.state(communicator) == Nccl.IN_PROGRESS) pause(deadline, others);
    requireSound();
  }

  @Override
  public synchronized void beforeReplay() {
    requireSound();
    lane.beforeReplay();
  }

  @Override
  public void keep(CapturedTransfers transfers) {
    captured.add(transfers);
  }

  @Override
  public void forget(CapturedTransfers transfers) {
    captured.remove(transfers);
  }

  @Override
  public void await() {
    await(lane::isIdle);
  }

  private synchronized void await(BooleanSupplier done) {
    requireSound();
    var deadline = Deadline.in(options.timeout());
    while (!done.getAsBoolean()) pause(deadline, "transfers, or the operators before them");
    requireSound();
  }

  private void pause(Deadline deadline, String others) {
    requireSound();
    if (deadline.isOver()) fail("rank " + rank + ": timeout after " + options.timeout() + " waiting for " + others);
    if (Thread.currentThread().isInterrupted()) fail("rank " + rank + " was interrupted");
    LockSupport.parkNanos(POLL_NANOS);
  }

  /** @throws CollectiveException after aborting, where this or another rank of the process has failed */
  private void requireSound() {
    failure.ifPresent(reason -> {
      throw new CollectiveException(reason);
    });
    if (closed) throw new IllegalStateException("the communicator of rank " + rank + " is closed");
    try {
      exchange.requireSound();
    } catch (CollectiveException e) {
      fail(e.getMessage());
    }
    int state = nccl.state(communicator);
    if (state != Nccl.SUCCESS && state != Nccl.IN_PROGRESS) fail("rank " + rank + ": NCCL: " + nccl.text(state));
  }

  private void fail(String reason) {
    abort(reason);
    throw new CollectiveException(reason);
  }

  /** A thread that waits sees the failure, and leaves the lock to this. */
  @Override
  public void abort(String reason) {
    exchange.fail(reason);
    synchronized (this) {
      if (failure.isPresent() || closed) return;
      failure = Optional.of(reason);
      if (captured.isEmpty()) {
        end("ncclCommAbort");
        return;
      }
      // A graph that runs ends by the abort, which in turn waits until all graphs are closed.
      try (var threads = Executors.newSingleThreadExecutor()) {
        threads.execute(() -> end("ncclCommAbort"));
        captured.forEach(CapturedTransfers::close);
      }
    }
  }

  private void end(String symbol) {
    ops.stream().ifPresent(stream -> stream.gpu().enter());
    nccl.result(symbol, communicator);
  }

  /** Throws only where transfers of this rank did not end: a failure of others is theirs. */
  @Override
  public synchronized void close() {
    if (closed) return;
    try {
      if (failure.isEmpty() && !lane.isIdle()) await();
    } finally {
      if (failure.isEmpty()) {
        captured.forEach(CapturedTransfers::close);
        end(exchange.isSound() ? "ncclCommDestroy" : "ncclCommAbort");
      }
      closed = true;
      endOfChecks.run();
      lane.close();
    }
  }
}
