package tilewright.docs;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.layout.draw.Drawing;
import tilewright.ptx.Dim3;
import tilewright.simulator.Profile;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.sm100.BlackwellGemm;

/** What the warps of a CTA do when, as the simulator recorded it: boxes while they run, lines while they wait. */
final class WarpTimeline {
  private static final List<String> ROLES = List.of("write out 0", "write out 1", "write out 2", "write out 3", "copy",
      "multiply", "find tiles");
  private static final int LEFT = 100;
  private static final int WIDTH = 640;
  private static final int ROW = 26;

  private WarpTimeline() {}

  /** Of the first CTA, where one pair computes every tile. */
  static Drawing of(GemmProblem problem, String rung) {
    var prepared = BlackwellGemm.prepare(problem, rung);
    var launch = new PreparedLaunch(prepared.kernel(), Dim3.of(2), prepared.arguments());
    var slices = profile(problem, launch).timeline().stream().filter(s -> s.block().x() == 0).toList();
    long end = slices.stream().mapToLong(Profile.Slice::end).max().orElse(1);
    var drawing = new Drawing(LEFT + WIDTH + 20, ROW * ROLES.size() + 30, "Warps of the first CTA over time");
    for (int warp = 0; warp < ROLES.size(); warp++) {
      int middle = ROW * warp + ROW / 2 + 4;
      drawing.text(6, middle + 4, "title", ROLES.get(warp)).line(LEFT, middle, LEFT + WIDTH, middle);
      for (var slice : slices) {
        if (slice.warp() != warp || !slice.what().equals("run")) continue;
        int from = (int) (slice.begin() * WIDTH / end);
        int to = (int) (slice.end() * WIDTH / end);
        if (to > from) drawing.box(LEFT + from, middle - 8, to - from, 16);
      }
    }
    return drawing.text(LEFT, ROW * ROLES.size() + 22, "small", "0")
        .text(LEFT + WIDTH - 130, ROW * ROLES.size() + 22, "small", end + " warp instructions of the CTA");
  }

  /** What a launch did with zeros for A and B. */
  static Profile profile(GemmProblem problem, PreparedLaunch launch) {
    var buffers = Map.of("A", zeros(problem.m(), problem.k(), problem.operand().bytes()),
        "B", zeros(problem.n(), problem.k(), problem.operand().bytes()),
        "C", zeros(problem.m(), problem.n(), problem.output().bytes()));
    return Simulator.load(launch.kernel().module()).run(launch.on(buffers),
        SimulatorOptions.defaults().withProfile(true)).profile().orElseThrow();
  }

  private static MemorySegment zeros(int rows, int columns, int bytes) {
    return MemorySegment.ofArray(new byte[rows * columns * bytes]);
  }
}
