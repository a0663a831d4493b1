package tilewright.ops.collectives;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.numerics.ElementType;
import tilewright.ops.DeviceTensor;
import tilewright.ops.Ops;

/** Transfers of processes, which tell each other beforehand what each is about to do, and go on where they agree. */
final class CheckedTransport implements Transport {
  /** Bytes of a text that is told, more than any has. */
  private static final int ROOM = 128;

  private final Ops ops;
  private final int rank;
  private final int size;
  private final Transport transport;

  CheckedTransport(Ops ops, int rank, int size, Transport transport) {
    this.ops = ops;
    this.rank = rank;
    this.size = size;
    this.transport = transport;
  }

  /**
   * A text and those that others have told.
   *
   * @param ranks whose texts these are
   * @param theirs texts one after the other
   */
  private record Told(String own, List<Integer> ranks, DeviceTensor mine, DeviceTensor theirs)
      implements AutoCloseable {
    @Override
    public void close() {
      mine.close();
      theirs.close();
    }
  }

  @Override
  public Work start(List<Transfer> transfers) {
    // The calls of a capture have run before, and were compared then.
    if (ops.isCapturing()) return transport.start(transfers);
    var told = new ArrayList<Told>();
    try {
      var texts = new ArrayList<Transfer>();
      for (var transfer : transfers.stream().sorted(Comparator.comparing(this::sendsUp)).toList()) {
        if (!(transfer instanceof Transfer.Pair pair)) told.add(all(transfer, texts));
        else if (pair.peer() != rank) told.add(one(pair, texts));
      }
      if (!texts.isEmpty()) transport.start(texts).join();
      told.forEach(this::requireAgreement);
    } finally {
      told.forEach(Told::close);
    }
    return transport.start(transfers);
  }

  /** Both ranks of a pair tell in one order: first of what the lower one sends, then of what the higher one sends. */
  private int sendsUp(Transfer transfer) {
    return switch (transfer) {
      case Transfer.Send(_, int peer) -> rank < peer ? 0 : 1;
      case Transfer.Receive(_, int peer) -> peer < rank ? 0 : 1;
      default -> 0;
    };
  }

  private Told all(Transfer transfer, List<Transfer> texts) {
    var told = new Told(transfer.signature(), IntStream.range(0, size).boxed().toList(), text(transfer.signature()),
        ops.empty(ElementType.I8, size, ROOM));
    texts.add(new Transfer.AllGather(told.mine, told.theirs, size));
    return told;
  }

  private Told one(Transfer.Pair pair, List<Transfer> texts) {
    boolean sends = pair instanceof Transfer.Send;
    var route = sends ? rank + " to " + pair.peer() : pair.peer() + " to " + rank;
    var own = "transfer from " + route + " of " + pair.signature();
    var told = new Told(own, List.of(pair.peer()), text(own), ops.empty(ElementType.I8, 1, ROOM));
    texts.add(new Transfer.Send(told.mine, pair.peer()));
    texts.add(new Transfer.Receive(told.theirs, pair.peer()));
    return told;
  }

  private DeviceTensor text(String text) {
    var bytes = Arrays.copyOf(text.getBytes(StandardCharsets.UTF_8), ROOM);
    return ops.tensor(ElementType.I8, MemorySegment.ofArray(bytes), ROOM);
  }

  private void requireAgreement(Told told) {
    var bytes = told.theirs.bytes();
    for (int i = 0; i < told.ranks.size(); i++) {
      var theirs = new String(bytes, i * ROOM, ROOM, StandardCharsets.UTF_8).replace("\0", "");
      if (theirs.equals(told.own)) continue;
      var reason = "ranks disagree: rank " + rank + " has " + told.own + ", rank " + told.ranks.get(i) + " has "
          + theirs;
      transport.abort(reason);
      throw new CollectiveException(reason);
    }
  }

  @Override
  public void await() {
    transport.await();
  }

  @Override
  public void beforeReplay() {
    transport.beforeReplay();
  }

  @Override
  public void keep(CapturedTransfers captured) {
    transport.keep(captured);
  }

  @Override
  public void forget(CapturedTransfers captured) {
    transport.forget(captured);
  }

  @Override
  public void abort(String reason) {
    transport.abort(reason);
  }

  @Override
  public void close() {
    transport.close();
  }
}
