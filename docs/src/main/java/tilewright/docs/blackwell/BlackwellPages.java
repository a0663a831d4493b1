package tilewright.docs.blackwell;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import tilewright.docs.source.Excerpt;
import tilewright.kernels.GemmProblem;
import tilewright.layout.draw.Drawing;
import tilewright.numerics.ElementType;
import tilewright.simulator.Profile;
import tilewright.sm100.NarrowGemm;
import tilewright.sm100.Sm100Gemms;
import tilewright.sm100.UmmaTypes;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;

/** Parts of the pages about Blackwell's GEMMs: sources, maps of Tensor Memory, barriers, timelines, and counts. */
public final class BlackwellPages {
  private static final Path SOURCES = Path.of("sm100/src/main/java/tilewright/sm100");
  private static final RoleNames ROLES = new RoleNames(List.of("write out 0", "write out 1", "write out 2",
      "write out 3", "copy", "multiply", "find tiles"));
  /** Role names that do not tell the epilogue's warps apart. */
  private static final RoleNames GROUPS = new RoleNames(List.of("write out", "write out", "write out", "write out",
      "copy", "multiply", "find tiles"));
  private static final GemmProblem PROBLEM =
      GemmProblem.packed(ElementType.BF16, ElementType.BF16, 512, 512, 256, 1, "TN");
  private static final UmmaTypes NVF4 =
      new UmmaTypes(MmaKind.NVF4, MmaFormat.E2M1, MmaFormat.E2M1, ElementType.BF16);

  private BlackwellPages() {}

  public static void write(Path root, Path generated, Path images) throws IOException {
    var sources = root.resolve(SOURCES);
    excerpt(generated, "sm100-trace", sources.resolve("Sm100Gemm.java"), "void trace(Scope k)");
    excerpt(generated, "sm100-single-thread", sources.resolve("SingleThreadGemm.java"), "void trace(Scope k)");
    excerpt(generated, "sm100-scales", sources.resolve("collective/ScaledMainloop.java"),
        "void multiply(Pipeline.Cursor stage");
    Files.writeString(generated.resolve("sm100-counts.adoc"), RungCounts.table(PROBLEM));
    for (var rung : RungCounts.sentences(PROBLEM).entrySet()) {
      Files.writeString(generated.resolve("sm100-rung-" + rung.getKey() + ".adoc"), rung.getValue());
    }
    figures(images, "sm100", gemm("dynamic_single"), 1);
    figures(images, "sm100-pairs", gemm("dynamic"), 2);
    int k = 512;
    figures(images, "sm100-scaled", BlackwellTrace.scaled(NVF4, 256, 256, k,
        NarrowGemm.prepare(NVF4, 256, 256, k, 1)), 2);
    Files.writeString(images.resolve("sm100-scale-layout.svg"), ScaleFigure.tile().toDrawing().toSvg());
  }

  private static void excerpt(Path generated, String name, Path source, String method) throws IOException {
    Files.writeString(generated.resolve(name + ".java"), Excerpt.method(source, method));
  }

  /** One cluster takes the tiles of all others, whose launch it cancels. */
  private static Profile gemm(String rung) {
    return BlackwellTrace.gemm(PROBLEM, Sm100Gemms.prepare(PROBLEM, rung));
  }

  private static void figures(Path images, String name, Profile profile, int ctas) throws IOException {
    write(images, name + "-tensor-memory", TensorMemoryFigure.of(profile, GROUPS,
        "Columns of Tensor Memory and who uses them for what"));
    write(images, name + "-barriers", BarrierFigure.of(profile, GROUPS, ctas,
        "Who arrives at which mbarriers and who waits for them"));
    write(images, name + "-timeline", WarpTimeline.of(profile, ROLES, 0, "Warps of the first CTA over time"));
  }

  private static void write(Path images, String name, Drawing drawing) throws IOException {
    Files.writeString(images.resolve(name + ".svg"), drawing.toSvg());
  }
}
