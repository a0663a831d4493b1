package tilewright.docs.blackwell;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import tilewright.docs.source.Excerpt;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm100.attention.Sm100AttentionKernel;

/** Parts of the page about Blackwell attention: sources, Tensor Memory, barriers and a timeline. */
public final class BlackwellAttentionPage {
  private static final Path SOURCES = Path.of("sm100/src/main/java/tilewright/sm100/attention");
  private static final RoleNames ROLES = new RoleNames(List.of("softmax 0", "softmax 0", "softmax 0", "softmax 0",
      "softmax 1", "softmax 1", "softmax 1", "softmax 1", "correct", "correct", "correct", "correct", "multiply",
      "store", "load", "idle"));

  private BlackwellAttentionPage() {}

  public static void write(Path root, Path generated, Path images) throws IOException {
    var sources = root.resolve(SOURCES);
    excerpt(generated, "sm100-attention-trace", sources.resolve("Sm100Attention.java"), "void trace(Scope k)");
    excerpt(generated, "sm100-attention-multiply", sources.resolve("MmaWarp.java"), "void multiply(Tile tile)");
    excerpt(generated, "sm100-attention-softmax", sources.resolve("SoftmaxWarpgroup.java"), "void compute(Tile tile)");
    var problem = AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 256, 384, 1, 128));
    var launch = new Sm100AttentionKernel().prepare(problem);
    var profile = BlackwellTrace.attention(problem, new PreparedLaunch(launch.kernel(), Dim3.ONE, launch.arguments()));
    Files.writeString(images.resolve("sm100-attention-tensor-memory.svg"), TensorMemoryFigure.of(profile, ROLES,
        "Columns of Tensor Memory and who uses them for what").toSvg());
    Files.writeString(images.resolve("sm100-attention-barriers.svg"), BarrierFigure.of(profile, ROLES, 1,
        "Who arrives at which mbarriers and who waits for them").toSvg());
    Files.writeString(images.resolve("sm100-attention-timeline.svg"), WarpTimeline.of(profile, ROLES, 0,
        "Warps of a CTA over time").toSvg());
  }

  private static void excerpt(Path generated, String name, Path source, String method) throws IOException {
    Files.writeString(generated.resolve(name + ".java"), Excerpt.method(source, method));
  }
}
