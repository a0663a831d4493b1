package tilewright.ops.collectives;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A meeting place for the ranks of one process: the n-th collective of a rank is the n-th of all others, and the n-th
 * tensor that it sends to another is the n-th that the other receives from it. Those that meet must agree, and the
 * first failure is everyone's.
 */
final class Exchange {
  private final int size;
  private final Consumer<List<Arrival>> perform;
  private final Map<Place, Meeting> open = new HashMap<>();
  private final Map<Turn, Long> counts = new HashMap<>();
  private Optional<String> failure = Optional.empty();

  /**
   * One rank's part.
   *
   * @param side of a copy that both ranks' streams wait for
   */
  record Arrival(int rank, Transfer transfer, Optional<CopySide> side) {}

  /** The ranks of a transfer; −1 and −1 of a collective. */
  private record Route(int from, int to) {}

  private record Turn(int rank, boolean sends, Route route) {}

  private record Place(Route route, long number) {}

  /** Transfers that belong together. */
  static final class Meeting {
    private final List<Arrival> arrivals = new ArrayList<>();
    private boolean done;
  }

  /** @param perform moves the data once all have arrived, in the order of ranks */
  Exchange(int size, Consumer<List<Arrival>> perform) {
    this.size = size;
    this.perform = perform;
  }

  /** @throws CollectiveException when ranks disagree, or have failed before */
  Meeting meet(int rank, Transfer transfer) {
    return meet(new Arrival(rank, transfer, Optional.empty()));
  }

  /** @throws CollectiveException when ranks disagree, or have failed before */
  synchronized Meeting meet(Arrival arrival) {
    requireSound();
    int rank = arrival.rank;
    var transfer = arrival.transfer;
    var route = switch (transfer) {
      case Transfer.Send(_, int peer) -> new Route(rank, peer);
      case Transfer.Receive(_, int peer) -> new Route(peer, rank);
      default -> new Route(-1, -1);
    };
    var turn = new Turn(rank, transfer instanceof Transfer.Send, route);
    var place = new Place(route, counts.merge(turn, 1L, Long::sum));
    var meeting = open.computeIfAbsent(place, _ -> new Meeting());
    meeting.arrivals.add(arrival);
    requireAgreement(route, meeting.arrivals);
    if (meeting.arrivals.size() == expected(transfer)) complete(place, meeting);
    return meeting;
  }

  private int expected(Transfer transfer) {
    return transfer instanceof Transfer.Pair ? 2 : size;
  }

  private void complete(Place place, Meeting meeting) {
    open.remove(place);
    try {
      perform.accept(meeting.arrivals.stream().sorted((a, b) -> Integer.compare(a.rank, b.rank)).toList());
    } catch (RuntimeException e) {
      fail(String.valueOf(e.getMessage()));
      throw e;
    }
    meeting.done = true;
    notifyAll();
  }

  private void requireAgreement(Route route, List<Arrival> arrivals) {
    var first = arrivals.getFirst();
    var last = arrivals.getLast();
    if (first.transfer.signature().equals(last.transfer.signature())) return;
    var what = route.from >= 0 ? "rank " + route.from + " sends to rank " + route.to + ", but they disagree: "
        : "ranks disagree: ";
    fail(what + "rank " + first.rank + " has " + first.transfer.signature() + ", rank " + last.rank + " has "
        + last.transfer.signature());
    requireSound();
  }

  /** @throws CollectiveException when others do not come in time, or a rank has failed */
  synchronized void await(Meeting meeting, Deadline deadline) {
    try {
      while (!meeting.done) {
        requireSound();
        if (deadline.isOver()) fail(missing(meeting));
        else wait(deadline.leftMillis());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      fail("rank " + meeting.arrivals.getFirst().rank + " was interrupted");
      requireSound();
    }
  }

  private String missing(Meeting meeting) {
    var first = meeting.arrivals.getFirst();
    var absent = switch (first.transfer) {
      case Transfer.Send(_, int peer) -> "rank " + peer + " to receive from rank " + first.rank + ": ";
      case Transfer.Receive(_, int peer) -> "rank " + peer + " to send to rank " + first.rank + ": ";
      default -> {
        var others = new TreeSet<>(IntStream.range(0, size).boxed().toList());
        meeting.arrivals.forEach(arrival -> others.remove(arrival.rank));
        yield "ranks " + others + ": ";
      }
    };
    return "timeout waiting for " + absent + first.transfer.signature();
  }

  /** Fails every rank, unless they have failed before. */
  synchronized void fail(String reason) {
    if (failure.isEmpty()) failure = Optional.of(reason);
    notifyAll();
  }

  /** Whether no rank has failed. */
  synchronized boolean isSound() {
    return failure.isEmpty();
  }

  /** @throws CollectiveException when a rank has failed */
  synchronized void requireSound() {
    failure.ifPresent(reason -> {
      throw new CollectiveException(reason);
    });
  }
}
