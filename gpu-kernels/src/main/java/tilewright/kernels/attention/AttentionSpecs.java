package tilewright.kernels.attention;

import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.TensorSpec;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.numerics.ElementType;

/**
 * The assumptions of kernels that copy boxes about attention's tensors: head dimensions are contiguous, all else is
 * aligned.
 *
 * @param type of Q, K, V and their gradients
 * @param output type of O
 */
public record AttentionSpecs(ElementType type, ElementType output) {
  private static final int ALIGNED_BYTES = 16;

  /** Tensors of one type. */
  public AttentionSpecs(ElementType type) {
    this(type, type);
  }

  /**
   * Why a kernel that copies boxes cannot compute a problem, if it cannot.
   *
   * @param fits whether it has tiles for the head dimensions, of which {@code most} says the largest
   */
  public static Optional<String> refusal(AttentionProblem p, boolean fits, String most) {
    return unaligned(p.outputType(), Stream.of(p.o()))
        .or(() -> refusal(p, Stream.of(p.q(), p.k(), p.v()), fits, most));
  }

  /** Why a kernel of 16-bit operands cannot compute a problem, if it cannot. */
  public static Optional<String> refusalOfQuantized(AttentionProblem p) {
    return p.quantized().map(_ -> p.format() + " operands need another kernel");
  }

  /** Why a kernel whose tensor cores multiply by no scales cannot compute a problem, if it cannot. */
  public static Optional<String> refusalOfScales(AttentionProblem p) {
    return p.blockScaled() ? Optional.of(p.format() + " operands need tensor cores with block scales: take "
        + "sm100_attention, or e4m3 operands") : Optional.empty();
  }

  /** Like {@link #refusal(AttentionProblem, boolean, String)}, for the gradients. */
  public static Optional<String> refusal(AttentionBackwardProblem p, boolean fits, String most) {
    return refusal(p.forward(), p.views(), fits, most);
  }

  private static Optional<String> refusal(AttentionProblem p, Stream<View> views, boolean fits, String most) {
    var dims = fits ? Optional.<String>empty() : Optional.of("head dimensions " + p.sizes().headDim() + " and "
        + p.sizes().valueDim() + " are more than " + most);
    return unaligned(p.type(), views).or(() -> dims);
  }

  private static Optional<String> unaligned(ElementType type, Stream<View> views) {
    int vector = ALIGNED_BYTES / type.bytes();
    return views.allMatch(view -> view.isAligned(vector, type.bytes())) ? Optional.empty()
        : Optional.of("tensor copies need strides and offsets of " + ALIGNED_BYTES + " bytes");
  }

  public TensorSpec q() {
    return tensor("Q", "Sq", "D", "H", "D");
  }

  public TensorSpec k() {
    return tensor("K", "Sk", "D", "Hk", "D");
  }

  /** V, with keys as its second mode, as operand B of P·V has them. */
  public TensorSpec v() {
    return tensor("V", "Dv", "Sk", "Hk", "Dv");
  }

  public TensorSpec o() {
    return new AttentionSpecs(output).tensor("O", "Sq", "Dv", "H", "Dv");
  }

  /** The gradient by O. */
  public TensorSpec dO() {
    return tensor("dO", "Sq", "Dv", "H", "Dv");
  }

  /** The gradient by K. */
  public TensorSpec dK() {
    return tensor("dK", "Sk", "D", "Hk", "D");
  }

  /** The gradient by V, with keys as its second mode. */
  public TensorSpec dV() {
    return tensor("dV", "Dv", "Sk", "Hk", "Dv");
  }

  /** The logarithms of rows' sums. */
  public static TensorSpec logSumExp() {
    return TensorSpec.of("LSE", ElementType.F32, "Sq", "H", "B");
  }

  /** The factors of codes: descaleQ, descaleK or descaleV, of a block of rows of each head. */
  public static TensorSpec factors(String name) {
    var heads = name.endsWith("Q") ? "H" : "Hk";
    return TensorSpec.of(name, ElementType.F32, "Blocks" + name, heads, "Entries");
  }

  /** Cumulated lengths of packed sequences: cuQ or cuK. */
  public static TensorSpec lengths(String name) {
    return TensorSpec.of(name, ElementType.I32, "B1").contiguous("B1");
  }

  private TensorSpec tensor(String name, String rows, String columns, String heads, String contiguous) {
    return TensorSpec.of(name, type, rows, columns, heads, "B").contiguous(contiguous)
        .aligned(ALIGNED_BYTES / type.bytes());
  }
}
