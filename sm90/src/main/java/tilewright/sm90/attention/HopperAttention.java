package tilewright.sm90.attention;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernels.attention.AttentionArguments;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.ptx.Dim3;
import tilewright.sm90.attention.Sm90AttentionConfig.Shape;

/** The Hopper kernel: from a problem to a configuration to a launch. */
public final class HopperAttention implements AttentionKernel {
  /** The buffer of the counter that tiles are drawn from: a 32-bit zero, which every launch leaves so. */
  public static final String COUNTER = "tiles";

  private static final int MULTIPROCESSORS = 132;
  private static final int LONGEST = Integer.MAX_VALUE;
  /** Of L2, for the keys and values of heads whose tiles run side by side. */
  private static final long CACHE_BYTES = 32L << 20;
  /** In the order of their head dimensions; the fastest of what was measured on an H200, 16384 tokens of width 2048. */
  private static final List<Choice> CHOICES = List.of(
      new Choice(new Shape(64, 64, 2, 128, 4, 2, 64, false), false, 0, 1024),
      new Choice(new Shape(64, 64, 3, 128, 4, 2, 64, true), true, 0, LONGEST),
      new Choice(new Shape(96, 96, 2, 128, 2, 2, 96, true), true, 0, LONGEST),
      new Choice(new Shape(128, 128, 2, 176, 2, 1, 0, true), true, 8192, LONGEST),
      new Choice(new Shape(128, 128, 2, 128, 2, 2, 128, true), true, 0, LONGEST),
      new Choice(new Shape(192, 128, 2, 112, 2, 1, 128, true), true, 0, LONGEST),
      new Choice(new Shape(192, 192, 2, 96, 2, 1, 96, true), true, 0, LONGEST),
      new Choice(new Shape(256, 256, 2, 80, 2, 1, 0, false), true, 1024, LONGEST),
      new Choice(new Shape(256, 256, 2, 64, 2, 1, 128, true), true, 0, LONGEST));
  /** Blocks of few keys: functions of scores take registers. From 128 on some masks spill a few all the same. */
  private static final List<Shape> MODIFIED = List.of(new Shape(64, 64, 2, 64, 4, 2, 64, false),
      new Shape(128, 128, 2, 64, 2, 2, 128, true), new Shape(192, 192, 2, 64, 2, 1, 96, true),
      new Shape(256, 256, 2, 32, 2, 1, 128, true));

  @Override
  public String name() {
    return "sm90_attention";
  }

  @Override
  public String arch() {
    return "sm90";
  }

  @Override
  public Optional<String> refusal(AttentionProblem problem) {
    if (problem.packed().isPresent()) return Optional.of("packed sequences are not for sm90_attention");
    if (problem.blockMask()) return Optional.of("lists of blocks are not for sm90_attention");
    var misaligned = AttentionSpecs.refusal(problem);
    if (misaligned.isPresent()) return misaligned;
    return shapes(problem).findFirst().isPresent() ? Optional.empty() : Optional.of("head dimensions "
        + problem.sizes().headDim() + " and " + problem.sizes().valueDim() + " are more than 256");
  }

  @Override
  public Map<String, Long> zeros(AttentionProblem problem) {
    return Map.of(COUNTER, (long) Integer.BYTES);
  }

  @Override
  public PreparedLaunch prepare(AttentionProblem problem) {
    refusal(problem).ifPresent(reason -> {
      throw new IllegalArgumentException(reason);
    });
    return prepare(problem, shapes(problem).findFirst().orElseThrow());
  }

  /** Prepares the kernel in a given shape. */
  public static PreparedLaunch prepare(AttentionProblem p, Shape shape) {
    var s = p.sizes();
    var config = new Sm90AttentionConfig(p.type(), shape, headsTogether(p), p.band(), p.modification(),
        p.lse().isPresent());
    var kernel = CompiledKernel.compile(new Sm90Attention(config), Target.SM90A);
    var arguments = AttentionArguments.of(kernel, p)
        .tensor(COUNTER, new LaunchArguments.Tensor(COUNTER, 0, List.of(1L), List.of(1L)));
    long tiles = (long) Math.ceilDiv(s.queries(), shape.queries()) * s.heads() * s.batch();
    return new PreparedLaunch(kernel, Dim3.of((int) Math.clamp(tiles, 1, MULTIPROCESSORS)), arguments.build());
  }

  /** The shapes that a problem can be computed in, the one that should be fastest first. */
  public static Stream<Shape> shapes(AttentionProblem problem) {
    var shapes = problem.modification().equals(Modification.NONE)
        ? CHOICES.stream().filter(choice -> choice.fits(problem)).map(Choice::shape) : MODIFIED.stream();
    return shapes.filter(shape -> problem.sizes().headDim() <= shape.headDim()
        && problem.sizes().valueDim() <= shape.valueDim());
  }

  /**
   * A shape and where it is used.
   *
   * @param full whether for problems without a band too
   * @param from keys that a query sees at most; likewise {@code to}
   */
  private record Choice(Shape shape, boolean full, int from, int to) {
    boolean fits(AttentionProblem problem) {
      var s = problem.sizes();
      var band = problem.band();
      int seen = band.left().isPresent() && band.right().isPresent()
          ? Math.min(s.keys(), band.left().getAsInt() + band.right().getAsInt() + 1) : s.keys();
      return (full || !band.isAll()) && from <= seen && seen <= to;
    }
  }

  private static int headsTogether(AttentionProblem problem) {
    var s = problem.sizes();
    if (problem.band().right().isEmpty()) return 1;
    long head = (long) s.keys() * (s.headDim() + s.valueDim()) * problem.type().bytes();
    long sharers = s.heads() / s.keyHeads();
    return Math.toIntExact(Math.clamp(CACHE_BYTES / Math.max(1, head) * sharers, 1, (long) s.heads() * s.batch()));
  }
}
