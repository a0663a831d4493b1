package tilewright.kernels.attention.decoding;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.kernels.attention.merging.BlockSplits;
import tilewright.kernels.attention.merging.Division;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.numerics.ElementType;
import tilewright.ptx.Multiprocessor;

/**
 * The SM80 kernel for few queries: from a problem to a configuration to a launch.
 *
 * @param capability of the GPU that it is for, times ten
 */
public record Sm80DecodeAttentionKernel(int capability) implements DecodeKernel {
  private static final int ACCESS_BYTES = 16;
  /** Rows of a tile of the largest head dimension for which balanced splits need no more registers than there are. */
  private static final int MOST_BALANCED = 32;

  /** The kernel for an A100. */
  public Sm80DecodeAttentionKernel() {
    this(Target.SM80.capability());
  }

  @Override
  public String name() {
    return "sm80_decode_attention";
  }

  @Override
  public Sm80DecodeAttentionKernel on(int other) {
    return new Sm80DecodeAttentionKernel(other);
  }

  @Override
  public Optional<String> refusal(AttentionProblem p) {
    return AttentionSpecs.refusalOfQuantized(p).or(() -> AttentionSpecs.refusalOfTokens(p))
        .or(() -> BlockSplits.refusal(p)).or(() -> AttentionSpecs.refusalOfColumns(p)).or(() -> refusalOfPadding(p))
        .or(() -> refusalOfDims(p)).or(() -> refusalOfBalance(p));
  }

  static Optional<String> refusalOfPadding(AttentionProblem p) {
    if (p.serving().padding().isEmpty()) return Optional.empty();
    if (p.serving().pages().isPresent()) return Optional.of("pages have no left padding: begin with the first row");
    return p.serving().lengths().isPresent() ? Optional.empty()
        : Optional.of("left padding needs the number of keys of each entry");
  }

  private static Optional<String> refusalOfDims(AttentionProblem p) {
    if (p.largestDim() > DecodeShape.MOST_DIM) {
      return Optional.of("head dimension " + p.largestDim() + " is more than " + DecodeShape.MOST_DIM);
    }
    boolean aligned = isAligned(p.type(), p.sizes().headDim(), p.sizes().valueDim(), p.q(), p.o())
        && isAligned(p.cacheType(), p.sizes().headDim(), p.sizes().valueDim(), p.k(), p.v());
    return aligned ? Optional.empty()
        : Optional.of("head dimensions, strides and offsets are not multiples of " + ACCESS_BYTES + " bytes");
  }

  /** The largest tiles leave no registers for two places of results. */
  private Optional<String> refusalOfBalance(AttentionProblem p) {
    boolean largest = p.largestDim() > DecodeShape.WIDE_DIM && shape(p, packing(p)).rows() > MOST_BALANCED;
    return largest && p.serving().splits() instanceof KeySplits.Balanced
        ? Optional.of("balanced splits of head dimension " + p.largestDim() + " have room for " + MOST_BALANCED
            + " rows, queries times heads that share keys: take other splits") : Optional.empty();
  }

  private static boolean isAligned(ElementType type, int dim, int valueDim, AttentionProblem.View... views) {
    int vector = ACCESS_BYTES / type.bytes();
    return AttentionProblem.View.widestAccess(List.of(views), type.bytes(), dim, valueDim) == vector;
  }

  @Override
  public DecodeLaunches supported(AttentionProblem p) {
    requireSupport(p);
    var packing = packing(p);
    return new DecodeLaunches(p, shape(p, packing), packing, capability);
  }

  private static HeadPacking packing(AttentionProblem p) {
    return DecodeLaunches.packing(p, DecodeShape.MOST_ROWS);
  }

  /** The tiles of a problem. */
  public DecodeShape shape(AttentionProblem p) {
    return shape(p, packing(p));
  }

  private DecodeShape shape(AttentionProblem p, HeadPacking packing) {
    long rows = (long) packing.stride() * p.sizes().queries();
    return DecodeShape.of((int) Math.clamp(rows, 1, DecodeShape.MOST_ROWS), p.largestDim(), p.type(), p.cacheType(),
        DecodeConfig.tokenFactors(p), isWide(p), Multiprocessor.of(capability));
  }

  /**
   * Whether a warp takes longer over its keys, since it looks for their pages or multiplies by their factors, so that
   * more warps are to share them; with codes in pages, more CTAs are better.
   */
  private static boolean isWide(AttentionProblem p) {
    if (p.serving().splits() instanceof KeySplits.Fixed(var keys) && keys % DecodeShape.WIDE_BLOCK != 0) return false;
    return p.serving().pages().isPresent() ? p.cacheType() == p.type() : DecodeConfig.tokenFactors(p);
  }

  /** Prepares the kernel on a division of the keys, and the launches that this needs besides. */
  public LaunchSequence launches(AttentionProblem p, DecodeShape shape, HeadPacking packing, Division division) {
    return new DecodeLaunches(p, shape, packing, capability).all(division);
  }
}
