package tilewright.ops.collectives;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import tilewright.device.Stream;
import tilewright.ops.DeviceTensor;
import tilewright.ops.Ops;

/**
 * One rank's way to the others: each device is a rank, and a thread or process of its own calls the same collectives in
 * the same order.
 *
 * {@snippet :
 * try (var ops = Ops.gpu(rank);
 *     var ranks = Communicator.join(ops, rank, size, Rendezvous.tcp("host", 29500), CollectiveOptions.of());
 *     var x = ops.tensor(ElementType.F32, numbers, 1024)) {
 *   ranks.allReduce(x, x, Reduction.SUM);
 *   float[] sums = x.floats();
 * }
 * }
 *
 * <p>Transfers follow the operators that were called before, and operators called later follow the transfers. On GPUs
 * NCCL makes them, on a stream of their own; {@link #start} lets operators run meanwhile. In the simulator they are
 * made in Java: elements are reduced in the order of ranks and rounded once.
 *
 * <p>Tensors must lie in order without gaps. Ranks of one process that call different collectives, or with other types
 * or sizes, all get a {@link CollectiveException} that says so. Those of several processes do with
 * {@link CollectiveOptions#check}; else they fail after the timeout, or get wrong numbers where only sizes differ. A
 * rank that waits for results ({@link DeviceTensor#floats}, {@link Ops#synchronize}) waits no longer than the timeout
 * either. After a failure the communicator is of no use.
 */
public final class Communicator implements AutoCloseable {
  private final Ops ops;
  private final int rank;
  private final int size;
  private final Transport transport;
  /** Transfers that have begun and are not joined. */
  private final Set<Object> open = ConcurrentHashMap.newKeySet();
  private boolean captures;
  /** Transfers of the capture that goes on. */
  private final List<ReplayedTransfers> replayed = new ArrayList<>();
  /** The transfers of the group that is being made. */
  private Optional<List<Transfer>> group = Optional.empty();

  private Communicator(Ops ops, int rank, int size, Transport transport) {
    this.ops = ops;
    this.rank = rank;
    this.size = size;
    this.transport = transport;
  }

  /** The communicators of devices of this process; see {@link #among(List, CollectiveOptions)}. */
  public static List<Communicator> among(List<Ops> devices) {
    return among(devices, CollectiveOptions.of());
  }

  /**
   * The communicators of devices of this process, of which each is given to a thread of its own.
   *
   * @param devices all simulators, or all on GPUs of their own; rank by rank
   * @throws CollectiveException when there is no NCCL, or it fails
   */
  public static List<Communicator> among(List<Ops> devices, CollectiveOptions options) {
    if (devices.isEmpty()) throw new IllegalArgumentException("no devices: ranks need one each");
    var gpus = devices.stream().map(Ops::stream).flatMap(Optional::stream).map(Stream::gpu).toList();
    if (gpus.isEmpty()) return simulated(devices, options);
    if (gpus.size() < devices.size()) {
      throw new IllegalArgumentException(devices + ": either all are GPUs or all are simulators");
    }
    var seen = new HashSet<Integer>();
    gpus.stream().filter(gpu -> !seen.add(gpu.properties().index())).findFirst().ifPresent(gpu -> {
      throw new IllegalArgumentException(gpu + " is given twice: NCCL needs a GPU for each rank");
    });
    return byNccl(devices, Nccl.load(options.library(), NcclSearch.ofThisMachine()), options);
  }

  private static List<Communicator> simulated(List<Ops> devices, CollectiveOptions options) {
    var exchange = new Exchange(devices.size(), HostTransfers::perform);
    return IntStream.range(0, devices.size()).mapToObj(rank -> new Communicator(devices.get(rank), rank,
        devices.size(), new SimulatedTransport(rank, exchange, options))).toList();
  }

  /** The communicators by NCCL, whose calls do not wait for other ranks: one thread may begin for all. */
  static List<Communicator> byNccl(List<Ops> devices, Nccl nccl, CollectiveOptions options) {
    int size = devices.size();
    var id = nccl.uniqueId();
    var streams = devices.stream().map(Ops::stream).flatMap(Optional::stream).toList();
    boolean copies = options.copyEngines() && streams.size() == size && CopyingTransport.arePeers(streams);
    var exchange = new Exchange(size, copies ? CopySide::copy : _ -> {});
    var transports = new ArrayList<NcclTransport>();
    try {
      for (int rank = 0; rank < size; rank++) {
        transports.add(new NcclTransport(devices.get(rank), nccl, id, rank, size, exchange, true, options));
      }
      transports.forEach(NcclTransport::awaitMembers);
    } catch (RuntimeException e) {
      transports.forEach(transport -> transport.abort(String.valueOf(e.getMessage())));
      transports.forEach(NcclTransport::close);
      throw e;
    }
    return IntStream.range(0, size).mapToObj(rank -> new Communicator(devices.get(rank), rank, size, copies
        ? new CopyingTransport(devices.get(rank), streams.get(rank), rank, exchange, transports.get(rank), options)
        : transports.get(rank))).toList();
  }

  /**
   * The communicator of one of several processes.
   *
   * @param ops on a GPU
   * @param rank from 0 to before {@code size}
   * @throws CollectiveException when there is no NCCL, it fails, or others do not come in time
   */
  public static Communicator join(Ops ops, int rank, int size, Rendezvous rendezvous, CollectiveOptions options) {
    if (!ops.isGpu()) {
      throw new IllegalArgumentException("simulators of several processes do not meet: use Communicator.among");
    }
    return join(ops, Nccl.load(options.library(), NcclSearch.ofThisMachine()), rank, size, rendezvous, options);
  }

  static Communicator join(Ops ops, Nccl nccl, int rank, int size, Rendezvous rendezvous, CollectiveOptions options) {
    if (size < 1 || rank < 0 || rank >= size) {
      throw new IllegalArgumentException("invalid rank " + rank + " of " + size + ": ranks count from 0");
    }
    var id = rendezvous.exchange(rank, size, nccl::uniqueId, options);
    var transport = new NcclTransport(ops, nccl, id, rank, size, new Exchange(size, _ -> {}), false, options);
    try {
      transport.awaitMembers();
    } catch (RuntimeException e) {
      transport.close();
      throw e;
    }
    rendezvous.joined(rank);
    return new Communicator(ops, rank, size,
        options.checked() ? new CheckedTransport(ops, rank, size, transport) : transport);
  }

  /** Returns this rank, from 0. */
  public int rank() {
    return rank;
  }

  /** Returns the number of ranks. */
  public int size() {
    return size;
  }

  /** Returns the operators whose tensors this moves. */
  public Ops ops() {
    return ops;
  }

  /** Gives every rank the reduced elements of all; {@code into} may be {@code from}. */
  public void allReduce(DeviceTensor from, DeviceTensor into, Reduction reduction) {
    add(new Transfer.AllReduce(from, into, reduction));
  }

  /** Gives rank {@code root} the reduced elements of all; {@code into} of other ranks is left as it is, or is not. */
  public void reduce(DeviceTensor from, DeviceTensor into, Reduction reduction, int root) {
    add(new Transfer.Reduce(from, into, reduction, requireRank(root)));
  }

  /** Gives each rank its part of the reduced elements of all, in the order of ranks. */
  public void reduceScatter(DeviceTensor from, DeviceTensor into, Reduction reduction) {
    add(new Transfer.ReduceScatter(from, into, reduction, size));
  }

  /** Gives every rank the elements of all, in the order of ranks. */
  public void allGather(DeviceTensor from, DeviceTensor into) {
    add(new Transfer.AllGather(from, into, size));
  }

  /** Gives every rank the elements of rank {@code root}. */
  public void broadcast(DeviceTensor tensor, int root) {
    add(new Transfer.Broadcast(tensor, requireRank(root)));
  }

  /** Sends elements to another rank, which receives them. Ranks that also receive do both in a {@link #group}. */
  public void send(DeviceTensor tensor, int peer) {
    add(new Transfer.Send(tensor, requireRank(peer)));
  }

  /** Receives elements that another rank sends. */
  public void receive(DeviceTensor tensor, int peer) {
    add(new Transfer.Receive(tensor, requireRank(peer)));
  }

  /**
   * Fails all ranks unless they give equal texts, such as a call that has several transfers and its shapes. Ranks of
   * several processes compare them with {@link CollectiveOptions#check} only.
   */
  public void agree(String call) {
    add(new Transfer.Agreement(call));
  }

  /** Makes the transfers that the calls ask for together, so that none waits for another. */
  public void group(Runnable calls) {
    start(calls).join();
  }

  /**
   * Begins the transfers that the calls ask for together, while operators called from now on run beside them. Their
   * tensors stay open, those received are not read, and none is written before {@link Work#join}.
   */
  public synchronized Work start(Runnable calls) {
    if (group.isPresent()) throw new IllegalStateException("groups do not nest");
    var transfers = new ArrayList<Transfer>();
    group = Optional.of(transfers);
    try {
      calls.run();
    } finally {
      group = Optional.empty();
    }
    if (transfers.isEmpty()) return () -> {};
    var work = enqueue(transfers);
    var begun = new Object();
    open.add(begun);
    return () -> {
      work.join();
      open.remove(begun);
    };
  }

  private Work enqueue(List<Transfer> transfers) {
    if (ops.isCapturing() && !captures) {
      throw new IllegalStateException("rank " + rank + " captures operators alone: call the communicator's capture");
    }
    if (ops.isGpu() || !ops.isCapturing()) return transport.start(transfers);
    var captured = new ReplayedTransfers(ops, transport, transfers);
    replayed.add(captured);
    return captured;
  }

  /**
   * Captures calls of operators and transfers, to replay them with one call; see {@link Ops#capture}. All ranks capture
   * the same transfers, and replay them equally often and in the same order as their other transfers. NCCL makes all
   * that are captured: copy engines would need both ranks' graphs. A rank that waits for a replay's results waits no
   * longer than the timeout.
   *
   * @return valid until this communicator is closed or has failed
   * @throws IllegalStateException where transfers have begun and are not joined, before or in the calls
   */
  public Ops.Captured capture(Runnable calls) {
    if (captures) throw new IllegalStateException("captures do not nest");
    requireJoined("before a capture");
    agree("a capture that begins");
    captures = true;
    transport.prepareCapture(true);
    try {
      var captured = new CapturedTransfers(transport, ops.capture(() -> {
        calls.run();
        requireJoined("in the calls of a capture");
      }), List.copyOf(replayed));
      transport.keep(captured);
      agree("a capture that ends");
      return captured;
    } finally {
      captures = false;
      transport.prepareCapture(false);
      open.clear();
      replayed.clear();
    }
  }

  private void requireJoined(String where) {
    if (open.isEmpty()) return;
    throw new IllegalStateException("rank " + rank + " has begun transfers and not joined them: join them " + where);
  }

  private synchronized void add(Transfer transfer) {
    for (var tensor : transfer.tensors()) {
      if (tensor.ops() != ops) {
        throw new IllegalArgumentException(tensor + " belongs to other operators than those of rank " + rank);
      }
      tensor.address();
    }
    if (group.isPresent()) group.get().add(transfer);
    else enqueue(List.of(transfer)).join();
  }

  private int requireRank(int peer) {
    if (peer >= 0 && peer < size) return peer;
    throw new IllegalArgumentException("no rank " + peer + ": 0…" + (size - 1));
  }

  /**
   * Waits for all transfers so far, at most the timeout.
   *
   * @throws CollectiveException when one failed or did not end
   */
  public void await() {
    if (ops.isCapturing()) throw new IllegalStateException("captured transfers are awaited after a replay");
    transport.await();
  }

  /** Ends this rank's transfers. Other ranks of this process fail with the reason, those of others at the timeout. */
  public void abort(String reason) {
    transport.abort("rank " + rank + " aborted: " + reason);
  }

  /** Waits for all transfers so far, and gives up the communicator. Closing again does nothing. */
  @Override
  public void close() {
    transport.close();
  }

  @Override
  public String toString() {
    return "rank " + rank + " of " + size + " on " + ops;
  }
}
