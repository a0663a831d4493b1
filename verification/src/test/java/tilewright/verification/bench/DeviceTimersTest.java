package tilewright.verification.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.ops.Ops;
import tilewright.ops.collectives.Communicator;

/** Rows of several simulated devices, in turns with a stand-in for PyTorch's processes. */
class DeviceTimersTest {
  private static final String TIMES = """
      #!/bin/sh
      while read -r line; do
        echo "$line" >> %s
        echo '{"ms": {"fast": 2e9, "slow": 3e9}, "failures": ["no third way"]}'
      done
      """;

  @TempDir
  private Path folder;
  private final List<String> notes = new ArrayList<>();

  private Path requests() {
    return folder.resolve("requests");
  }

  private DevicePeers peers(String script) throws IOException {
    var file = folder.resolve("python");
    Files.writeString(file, script.formatted(requests()));
    assertTrue(file.toFile().setExecutable(true));
    return DevicePeers.start(file.toString(), 2, notes::add);
  }

  private static <T> T onTwo(Function<List<Communicator>, T> program) {
    var ranks = Communicator.among(Ops.simulators(2));
    try {
      return program.apply(ranks);
    } finally {
      ranks.forEach(Communicator::close);
    }
  }

  @Test
  void attentionAndPeersTakeTurns() throws IOException {
    try (var peers = peers(TIMES)) {
      var rows = onTwo(ranks -> new ContextParallelTimer(ranks, peers, 2).rows(List.of("attention_backward"), 128,
          Scaling.STRONG, 2, 1, 32));
      var row = rows.getFirst();
      var times = row.peers().orElseThrow();
      assertEquals(Map.of("fast", 2e9, "slow", 3e9), times.ms());
      assertTrue(times.ratio() > 1000 && row.largestDifference() < 0.05, row::toString);
    }
    var asked = Files.readAllLines(requests());
    assertEquals(2, asked.size());
    for (var part : List.of("\"op\":\"attention_backward\"", "\"tokens\":128", "\"kvHeads\":1", "\"runs\":")) {
      assertTrue(asked.getLast().contains(part), asked::toString);
    }
    assertTrue(notes.contains("a peer failed: no third way"), notes::toString);
  }

  @Test
  @Tag("full")
  void aLongerSequenceIsComparedByItsWork() {
    var rows = onTwo(ranks -> new ContextParallelTimer(ranks, DevicePeers.none(), 1).rows(
        List.of("attention_backward"), 128, Scaling.WEAK, 1, 1, 32));
    var row = rows.getFirst();
    assertEquals("1×512×1/1×32 bf16 causal, beside 128 tokens on one", row.config());
    // Sixteen times the work, in one round.
    assertEquals(16 * row.oneMs() / row.ms(), row.speedup(), 1e-9);
    assertTrue(row.largestDifference() < 0.05 && row.peers().isEmpty(), row::toString);
  }

  @Test
  void productsAndPeersTakeTurns() throws IOException {
    try (var peers = peers(TIMES)) {
      var rows = onTwo(ranks -> new TensorParallelTimer(ranks, peers, 2, 1)
          .rows(new DeviceScaling.Product(64, 64, 64)));
      assertEquals(List.of("all_gather_gemm", "gemm_reduce_scatter"),
          rows.stream().map(DeviceScaling.ProductRow::kernel).toList());
      for (var row : rows) assertTrue(row.peers().orElseThrow().ratio() > 1000, row::toString);
    }
    assertEquals(4, Files.readAllLines(requests()).size());
  }

  @Test
  void peersThatEndLeaveOurTimes() throws IOException {
    try (var peers = peers("#!/bin/sh\nread -r line\nexit 1\n")) {
      assertEquals(Map.of(), peers.turn(Map.of("op", "attention"), 1));
      assertEquals(Map.of(), peers.turn(Map.of("op", "attention"), 1));
    }
    assertTrue(notes.toString().contains("it needs PyTorch with CUDA"), notes::toString);
  }
}
