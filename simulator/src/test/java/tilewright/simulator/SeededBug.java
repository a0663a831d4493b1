package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchFeature;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorView;

/**
 * A kernel with one mistake, and the same without it. Its two buffers have 1024 words each; for chips that have tensor
 * maps there is one more parameter, {@code map}, which says that the first buffer has 32 by 32 words and takes boxes of
 * 16 by 4.
 *
 * @param cluster blocks of a cluster
 * @param programmatic whether it may begin before earlier kernels have ended, which may write all but the first buffer
 * @param kind of the finding
 * @param body {@code FIX[…]} is only in the twin, {@code BAD[…]} only in the faulty kernel; {@code // HERE} marks
 *     the line that the report must name, {@code // THERE} the other one of a race
 * @param facts what the report must say
 */
record SeededBug(String name, String target, int blocks, int cluster, int threads, boolean programmatic,
    Finding.Kind kind, String body, List<String> facts) {
  static final TensorMap MAP =
      new TensorMap.Tiled(TensorView.of(TensorElement.U32, List.of(32L, 32L), List.of(128L)), List.of(16, 4));

  SeededBug(String name, String target, int blocks, int cluster, int threads, Finding.Kind kind, String body,
      List<String> facts) {
    this(name, target, blocks, cluster, threads, false, kind, body, facts);
  }

  static SeededBug sm80(String name, int blocks, int threads, Finding.Kind kind, String body, List<String> facts) {
    return new SeededBug(name, "sm_80", blocks, 1, threads, kind, body, facts);
  }

  /** With all blocks in one cluster. */
  static SeededBug sm90(String name, int blocks, int threads, Finding.Kind kind, String body, String... facts) {
    return new SeededBug(name, "sm_90a", blocks, blocks, threads, kind, body, List.of(facts));
  }

  static SeededBug sm100(String name, int blocks, int threads, Finding.Kind kind, String body, String... facts) {
    return new SeededBug(name, "sm_100a", blocks, blocks, threads, kind, body, List.of(facts));
  }

  /** With all blocks in one cluster, launched as {@link #programmatic} says. */
  static SeededBug programmatic(String name, int blocks, int threads, Finding.Kind kind, String body,
      String... facts) {
    return new SeededBug(name, "sm_90a", blocks, blocks, threads, true, kind, body, List.of(facts));
  }

  String ptx(boolean faulty) {
    var text = body.replaceAll((faulty ? "FIX" : "BAD") + "\\[(.*)\\]", "")
        .replaceAll("(?:FIX|BAD)\\[(.*)\\]", "$1");
    return Kernels.kernel(target, 2, hasMap() ? List.of(".param .align 64 .b8 map[128]") : List.of(), "", text);
  }

  private boolean hasMap() {
    return !target.equals("sm_80");
  }

  /** What the kernel, or its twin, comes to under each of so many seeds. */
  List<List<Finding>> findings(boolean faulty, int seeds) {
    var ptx = ptx(faulty);
    var program = Simulator.load(ptx);
    return IntStream.range(0, seeds).mapToObj(seed -> {
      var l = Kernels.launch(ptx, Dim3.of(blocks), Dim3.of(threads), 0, new int[1024], new int[1024]);
      var arguments = new ArrayList<>(l.arguments());
      if (hasMap()) arguments.add(new Launch.Argument.TensorMapOf(new Launch.Argument.Buffer("arg0"), MAP));
      var launch = new Launch(ptx, "k", l.grid(), l.block(), Dim3.of(cluster), 0, l.buffers(), arguments);
      return program.run(programmatic ? launch.with(LaunchFeature.PROGRAMMATIC).withAhead("arg0") : launch,
          Kernels.SANITIZED.withThreads(1).withSeed(seed)).findings();
    }).toList();
  }

  void requireReports(int seeds) {
    for (var findings : findings(true, seeds)) {
      var found = findings.stream().filter(f -> f.kind() == kind).findFirst();
      assertTrue(found.isPresent(), () -> kind + " is not among " + findings);
      var text = found.get().toString();
      for (var fact : facts) assertTrue(text.contains(fact), () -> "no '" + fact + "' in: " + text);
      requireLines(found.get());
    }
  }

  void requireCleanTwin(int seeds) {
    var all = findings(false, seeds);
    for (int seed = 0; seed < seeds; seed++) assertEquals(List.of(), all.get(seed), "seed " + seed);
  }

  /** The lines that carry a mark, counted from 1. */
  private List<Integer> lines(String mark) {
    var lines = ptx(true).lines().toList();
    return IntStream.range(0, lines.size()).filter(i -> lines.get(i).matches(".*//.*\\b" + mark + "\\b.*"))
        .mapToObj(i -> i + 1).toList();
  }

  /** Either access of a race may be the later one. */
  private void requireLines(Finding found) {
    var here = lines("HERE");
    var there = lines("THERE");
    assertFalse(here.isEmpty(), "no line is marked HERE");
    var other = found.other().map(Finding.Access::line);
    boolean so = here.contains(found.line()) && (other.isEmpty() || there.contains(other.get()));
    boolean reversed = there.contains(found.line()) && other.map(here::contains).orElse(true);
    assertTrue(so || reversed, () -> "lines " + here + " and " + there + " are to blame, but it says: " + found);
  }
}
