package tilewright.docs.blackwell;

import tilewright.layout.draw.Drawing;
import tilewright.simulator.Profile;

/** A timeline of a CTA's warps, recorded by the simulator: boxes while they run, lines while they wait. */
final class WarpTimeline {
  private static final int LEFT = 110;
  private static final int WIDTH = 640;
  private static final int ROW = 26;
  private static final int TICKS = 4;

  private WarpTimeline() {}

  /** The timeline of the CTA with this number in its row of the grid. */
  static Drawing of(Profile profile, RoleNames roles, int block, String title) {
    var slices = profile.timeline().stream().filter(s -> s.block().x() == block).toList();
    long end = slices.stream().mapToLong(Profile.Slice::end).max().orElse(1);
    var names = roles.byWarp();
    int axis = ROW * names.size() + 16;
    var drawing = new Drawing(LEFT + WIDTH + 40, axis + 52, title);
    for (int warp = 0; warp < names.size(); warp++) {
      int middle = ROW * warp + ROW / 2 + 4;
      drawing.text(6, middle + 4, "title", names.get(warp)).line(LEFT, middle, LEFT + WIDTH, middle);
      for (var slice : slices) {
        if (slice.warp() != warp || !slice.what().equals("run")) continue;
        int from = (int) (slice.begin() * WIDTH / end);
        int to = (int) (slice.end() * WIDTH / end);
        if (to > from) drawing.box(LEFT + from, middle - 8, to - from, 16);
      }
    }
    drawing.line(LEFT, axis, LEFT + WIDTH, axis);
    for (int tick = 0; tick <= TICKS; tick++) {
      int x = LEFT + WIDTH * tick / TICKS;
      drawing.line(x, axis, x, axis + 4).text(x, axis + 12, "axis", String.valueOf(end * tick / TICKS));
    }
    return drawing.text(LEFT + WIDTH / 2, axis + 27, "small", "time in warp instructions that the CTA has executed")
        .text(LEFT + WIDTH / 2, axis + 42, "small", "box: the warp runs; line: it waits");
  }
}
