package tilewright.ops.collectives;

import java.util.List;
import java.util.Optional;
import tilewright.device.Event;
import tilewright.device.Stream;
import tilewright.ops.DeviceTensor;

/**
 * One rank's part in a copy from GPU to GPU. The rank that comes last enqueues the copy; each rank then has an event of
 * its own to wait for.
 */
final class CopySide {
  private final Stream copies;
  private final Event ready;
  private Optional<Event> copied = Optional.empty();

  /**
   * Begins the part.
   *
   * @param copies the rank's stream for what it sends
   * @param ready the point from which its operators leave the tensor alone
   */
  CopySide(Stream copies, Event ready) {
    this.copies = copies;
    this.ready = ready;
  }

  /** Enqueues a copy on the sender's stream, behind the operators of both ranks, unless both capture the transfer. */
  static void copy(List<Exchange.Arrival> arrivals) {
    if (!(arrivals.getFirst().transfer() instanceof Transfer.Pair)) return;
    if (arrivals.stream().allMatch(arrival -> arrival.side().isEmpty())) return;
    int first = arrivals.getFirst().transfer() instanceof Transfer.Send ? 0 : 1;
    var sender = side(arrivals.get(first));
    var receiver = side(arrivals.get(1 - first));
    sender.copies.waitFor(sender.ready);
    sender.copies.waitFor(receiver.ready);
    copy(((Transfer.Pair) arrivals.get(first).transfer()).tensor(), sender.copies,
        ((Transfer.Pair) arrivals.get(1 - first).transfer()).tensor(), receiver.copies);
    for (var side : List.of(sender, receiver)) {
      var event = sender.copies.gpu().event();
      event.record(sender.copies);
      side.copied = Optional.of(event);
    }
  }

  private static CopySide side(Exchange.Arrival arrival) {
    return arrival.side().orElseThrow(() -> new CollectiveException("rank " + arrival.rank() + " captures a transfer "
        + "that the other rank does not capture"));
  }

  private static void copy(DeviceTensor sent, Stream sending, DeviceTensor received, Stream receiving) {
    long bytes = sent.type().bytes(sent.elements());
    if (bytes == 0) return;
    try (var from = sending.gpu().foreignMemory(sent.address(), bytes);
        var into = receiving.gpu().foreignMemory(received.address(), bytes)) {
      into.copyFrom(from, sending);
    }
  }

  /** Makes a stream wait for the copy, which has been enqueued. */
  void join(Stream operators) {
    var event = copied.orElseThrow();
    operators.waitFor(event);
    event.close();
  }
}
