package tilewright.verification.bench;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** PyTorch's operators over several GPUs, in processes that take turns with ours; or nobody. */
final class DevicePeers implements AutoCloseable {
  /** Runs before a turn, after the other side's. */
  private static final int WARM = 1;

  private final Consumer<String> notes;
  private Optional<Peers> peers;

  private DevicePeers(Optional<Peers> peers, Consumer<String> notes) {
    this.peers = peers;
    this.notes = notes;
  }

  static DevicePeers none() {
    return new DevicePeers(Optional.empty(), _ -> {});
  }

  /** @throws BenchmarkException when there is no such Python */
  static DevicePeers start(String python, int gpus, Consumer<String> notes) {
    return new DevicePeers(Optional.of(Peers.start(python, "device_peers.py", List.of("" + gpus), notes)), notes);
  }

  boolean arePresent() {
    return peers.isPresent();
  }

  /** Milliseconds of a run by peer; none once they have ended, which our own times outlast. */
  Map<String, Double> turn(Map<String, Object> problem, int runs) {
    return turn(problem, WARM, runs);
  }

  /** @param warm runs before those that are timed */
  Map<String, Double> turn(Map<String, Object> problem, int warm, int runs) {
    if (peers.isEmpty()) return Map.of();
    var request = new HashMap<>(problem);
    request.put("warm", warm);
    request.put("runs", runs);
    try {
      return peers.get().times(request);
    } catch (BenchmarkException e) {
      notes.accept(e.getMessage());
      close();
      return Map.of();
    }
  }

  Map<String, String> versions() {
    return peers.map(Peers::versions).orElse(Map.of());
  }

  @Override
  public void close() {
    peers.ifPresent(Peers::close);
    peers = Optional.empty();
  }
}
