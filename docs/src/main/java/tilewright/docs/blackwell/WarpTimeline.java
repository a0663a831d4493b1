package tilewright.docs.blackwell;

import tilewright.layout.draw.Drawing;
import tilewright.simulator.Profile;

/** A timeline of a CTA's warps, recorded by the simulator: boxes while they run, lines while they wait. */
final class WarpTimeline {
  private static final int LEFT = 110;
  private static final int WIDTH = 640;
  private static final int ROW = 26;

  private WarpTimeline() {}

  /** The timeline of the CTA with this number in its row of the grid. */
  static Drawing of(Profile profile, RoleNames roles, int block, String title) {
    var slices = profile.timeline().stream().filter(s -> s.block().x() == block).toList();
    long end = slices.stream().mapToLong(Profile.Slice::end).max().orElse(1);
    var names = roles.byWarp();
    var drawing = new Drawing(LEFT + WIDTH + 20, ROW * names.size() + 30, title);
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
    return drawing.text(LEFT, ROW * names.size() + 22, "small", "0")
        .text(LEFT + WIDTH - 130, ROW * names.size() + 22, "small", end + " warp instructions of the CTA");
  }
}
