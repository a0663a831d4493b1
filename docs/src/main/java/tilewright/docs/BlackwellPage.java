package tilewright.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tilewright.kernels.GemmProblem;
import tilewright.layout.draw.Drawing;
import tilewright.numerics.ElementType;
import tilewright.sm100.BlackwellGemm;
import tilewright.sm100.NarrowGemm;
import tilewright.sm100.Sm100GemmConfig;
import tilewright.sm100.UmmaTypes;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;

/** What the page about the Blackwell GEMM shows: sources, maps of Tensor Memory, barriers, a timeline, and counts. */
final class BlackwellPage {
  private static final Path SOURCES = Path.of("sm100/src/main/java/tilewright/sm100");
  private static final int COLUMNS = 512;
  private static final int LEFT = 110;
  private static final int ROW = 56;

  private BlackwellPage() {}

  static void write(Path root, Path generated, Path images) throws IOException {
    var sources = root.resolve(SOURCES);
    Files.writeString(generated.resolve("sm100-trace.java"),
        Excerpt.method(sources.resolve("Sm100Gemm.java"), "void trace(Scope k)"));
    Files.writeString(generated.resolve("sm100-single-thread.java"),
        Excerpt.method(sources.resolve("SingleThreadGemm.java"), "void trace(Scope k)"));
    Files.writeString(generated.resolve("sm100-scales.java"),
        Excerpt.method(sources.resolve("collective/ScaledMainloop.java"), "void multiply(Pipeline.Cursor stage"));
    var problem = GemmProblem.packed(ElementType.BF16, ElementType.BF16, 512, 512, 256, 1, "TN");
    Files.writeString(generated.resolve("sm100-counts.adoc"), RungCounts.table(problem));
    Files.writeString(images.resolve("sm100-tensor-memory.svg"), tensorMemory(problem).toSvg());
    Files.writeString(images.resolve("sm100-barriers.svg"), barriers().toSvg());
    Files.writeString(images.resolve("sm100-timeline.svg"), WarpTimeline.of(problem, "persistent").toSvg());
  }

  /** Which columns hold what: a pair with two accumulators, and products with scales. */
  private static Drawing tensorMemory(GemmProblem problem) {
    var drawing = new Drawing(LEFT + COLUMNS + 20, 3 * ROW + 30, "Columns of Tensor Memory and what they hold");
    var mxf8 = new UmmaTypes(MmaKind.MXF8F6F4, MmaFormat.E4M3, MmaFormat.E4M3, ElementType.BF16);
    var nvf4 = new UmmaTypes(MmaKind.NVF4, MmaFormat.E2M1, MmaFormat.E2M1, ElementType.BF16);
    map(drawing, 0, "bf16", BlackwellGemm.configure(problem));
    map(drawing, 1, "mxf8", NarrowGemm.configure(mxf8, problem.m(), problem.n()));
    map(drawing, 2, "nvf4", NarrowGemm.configure(nvf4, problem.m(), problem.n()));
    for (int column = 0; column <= COLUMNS; column += 128) {
      drawing.text(LEFT + column, 3 * ROW + 20, "axis", String.valueOf(column));
    }
    return drawing;
  }

  private static void map(Drawing drawing, int row, String name, Sm100GemmConfig config) {
    int top = row * ROW + 10;
    drawing.text(10, top + 24, "title", name).frame(LEFT, top, COLUMNS, ROW - 16);
    for (var columns : config.tensorMemory()) {
      var lines = columns.count() < 64 ? new String[] {} : new String[] {columns.use(), columns.count() + " columns"};
      drawing.box(LEFT + columns.first(), top, columns.count(), ROW - 16, lines);
    }
  }

  /** Who waits for whom: full and empty of the ring, and of the accumulators. */
  private static Drawing barriers() {
    return new Drawing(760, 240, "The four kinds of barriers between the warps of a pair of CTAs")
        .text(10, 20, "title", "first CTA").text(10, 150, "title", "second CTA")
        .box(100, 10, 120, 50, "copy", "warp 4").box(100, 140, 120, 50, "copy", "warp 4")
        .box(340, 10, 120, 50, "multiply", "warp 5").box(600, 10, 130, 50, "write out", "warps 0–3")
        .box(600, 140, 130, 50, "write out", "warps 0–3")
        .arrow(220, 22, 340, 22).text(280, 16, "small", "full: bytes of both")
        .arrow(340, 48, 220, 48).text(280, 66, "small", "empty: commit")
        .line(220, 154, 380, 154).arrow(380, 154, 380, 60)
        .line(420, 60, 420, 178).arrow(420, 178, 220, 178).text(310, 196, "small", "empty: multicast commit")
        .arrow(460, 22, 600, 22).text(532, 16, "small", "sums full: commit")
        .arrow(600, 48, 460, 48).text(532, 66, "small", "sums empty: 8 warps")
        .line(445, 60, 445, 154).arrow(445, 154, 600, 154)
        .line(600, 178, 455, 178).arrow(455, 178, 455, 60);
  }
}
