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
import tilewright.ptx.Multiprocessor;

/**
 * The SM80 kernel for few queries of latent attention: from a problem to a configuration to a launch.
 *
 * @param capability of the GPU that it is for, times ten
 */
public record Sm80MlaDecodeKernel(int capability) implements DecodeKernel {
  private static final int ACCESS_BYTES = 16;

  /** The kernel for an A100. */
  public Sm80MlaDecodeKernel() {
    this(Target.SM80.capability());
  }

  @Override
  public String name() {
    return "sm80_mla_decode";
  }

  @Override
  public Sm80MlaDecodeKernel on(int other) {
    return new Sm80MlaDecodeKernel(other);
  }

  @Override
  public Optional<String> refusal(AttentionProblem p) {
    return AttentionSpecs.refusalOfQuantized(p).or(() -> refusalOfDims(p)).or(() -> AttentionSpecs.refusalOfCodes(p))
        .or(() -> BlockSplits.refusal(p)).or(() -> Sm80DecodeAttentionKernel.refusalOfPadding(p))
        .or(() -> AttentionSpecs.refusalOfBandOnTokens(p)).or(() -> refusalOfAlignment(p));
  }

  private static Optional<String> refusalOfDims(AttentionProblem p) {
    var s = p.sizes();
    if (!p.isLatent() || s.keyHeads() != 1) {
      return Optional.of("V is not the first columns of K, or K has " + s.keyHeads() + " heads: latent attention reads "
          + "one row for all heads");
    }
    boolean fits = s.valueDim() <= LatentShapes.MOST_VALUE_DIM && s.valueDim() % LatentShapes.STEP_OF_VALUE_DIM == 0
        && s.headDim() == s.valueDim() + LatentShapes.ROTARY;
    return fits ? Optional.empty() : Optional.of("rows of K of " + s.headDim() + " columns, of which V has "
        + s.valueDim() + ": V has a multiple of " + LatentShapes.STEP_OF_VALUE_DIM + " up to "
        + LatentShapes.MOST_VALUE_DIM + ", and K " + LatentShapes.ROTARY + " more");
  }

  private static Optional<String> refusalOfAlignment(AttentionProblem p) {
    int vector = ACCESS_BYTES / p.type().bytes();
    boolean aligned = AttentionProblem.View.widestAccess(List.of(p.q(), p.k(), p.o()), p.type().bytes(),
        p.sizes().headDim(), p.sizes().valueDim()) == vector;
    return aligned ? Optional.empty() : Optional.of("strides and offsets are not multiples of " + ACCESS_BYTES
        + " bytes");
  }

  @Override
  public DecodeLaunches supported(AttentionProblem p) {
    requireSupport(p);
    // Where queries have keys of their own, a tile has one query.
    boolean gathers = p.serving().tokens().isPresent();
    long rows = (long) DecodeLaunches.packing(p, LatentShapes.MOST_ROWS).stride() * (gathers ? 1 : p.sizes().queries());
    var shape = LatentShapes.of((int) Math.clamp(rows, 1, LatentShapes.MOST_ROWS), p.sizes().valueDim(), p.type(),
        Multiprocessor.of(capability));
    var packing = DecodeLaunches.packing(p, shape.rows());
    return new DecodeLaunches(p, shape, gathers ? new HeadPacking(packing.heads(), shape.rows()) : packing, capability);
  }

  /** Prepares the kernel on a division of the keys, and the launches that this needs besides. */
  public LaunchSequence launches(AttentionProblem p, Division division) {
    return supported(p).all(division);
  }
}
