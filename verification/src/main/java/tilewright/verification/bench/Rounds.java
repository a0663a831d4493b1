package tilewright.verification.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Our times and the peers', in turns. What slows a GPU for a while slows all who run in that round, so ours are
 * compared with a peer's round by round.
 */
final class Rounds {
  private final List<Sample> ours = new ArrayList<>();
  private final Map<String, List<Double>> peers = new TreeMap<>();

  /**
   * Adds a round.
   *
   * @param times of our runs, in milliseconds
   * @param others medians of the peers that took part, in milliseconds
   */
  void add(List<Double> times, Map<String, Double> others) {
    ours.add(new Sample(times));
    others.forEach((name, ms) -> peers.computeIfAbsent(name, _ -> new ArrayList<>()).add(ms));
  }

  /** All of our times. */
  Sample ours() {
    return new Sample(ours.stream().flatMap(round -> round.times().stream()).toList());
  }

  /** Median milliseconds by peer. */
  Map<String, Double> peers() {
    var medians = new TreeMap<String, Double>();
    peers.forEach((name, times) -> medians.put(name, new Sample(times).median()));
    return medians;
  }

  /** The ratio of the fastest peer's time to ours, for each round that it took part in. */
  Optional<Sample> ratios() {
    var best = peers().entrySet().stream().min(Map.Entry.comparingByValue());
    return best.map(peer -> {
      var theirs = peers.get(peer.getKey());
      return new Sample(IntStream.range(0, theirs.size()).mapToObj(i -> theirs.get(i) / ours.get(i).median()).toList());
    });
  }
}
