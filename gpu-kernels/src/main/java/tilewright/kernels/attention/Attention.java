package tilewright.kernels.attention;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.CapturedTensor;
import tilewright.kernel.collective.attention.Captures;
import tilewright.kernel.collective.attention.GivenBlocks;
import tilewright.kernel.collective.attention.MaskMod;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.attention.serving.Serving;
import tilewright.numerics.ElementType;

/**
 * Attention as a user asks for it:
 *
 * <pre>{@code
 * Attention.forward(ElementType.BF16, Sizes.of(2, 4096, 4096, 16, 128)).causal().softcap(30)
 *     .prepare(AttentionKernels.builtIn().of(90));
 * }</pre>
 */
public final class Attention {
  private AttentionProblem problem;

  private Attention(AttentionProblem problem) {
    this.problem = problem;
  }

  /** O = softmax(Q·Kᵀ/√D) · V of buffers Q, K, V and O, (B,S,H,D) in memory, with the logarithms in LSE. */
  public static Attention forward(ElementType type, Sizes sizes) {
    return new Attention(AttentionProblem.dense(type, sizes));
  }

  /** Like {@link #forward(ElementType, Sizes)}, of e4m3 codes in buffers Q, K and V, whose factors are given. */
  public static Attention forward(AttentionProblem.Quantized quantized, Sizes sizes) {
    return new Attention(AttentionProblem.dense(quantized, sizes));
  }

  /** A problem, to which more can be added. */
  public static Attention of(AttentionProblem problem) {
    return new Attention(problem);
  }

  /** Places the tensors elsewhere. */
  public Attention tensors(View q, View k, View v, View o) {
    problem = problem.at(q, k, v, o);
    return this;
  }

  /** Places the logarithms elsewhere, or leaves them out. */
  public Attention logSumExp(Optional<View> lse) {
    problem = problem.withLogarithms(lse);
    return this;
  }

  /** Stores each row's largest score and its sum of exponentials, relative to that, in the place of its logarithm. */
  public Attention maximaAndSums(AttentionProblem.Apart places) {
    problem = problem.with(places);
    return this;
  }

  /** Sets another scale than 1/√D; it must be positive. */
  public Attention scale(float scale) {
    problem = problem.scaled(scale);
    return this;
  }

  /**
   * Adds the P·V of each block of keys to O in FP32: the tensor cores' own sums of 8-bit products are less exact the
   * more keys there are.
   */
  public Attention promoted() {
    problem = problem.promoted();
    return this;
  }

  /** Each query sees the keys up to its own position; the last query is aligned with the last key. */
  public Attention causal() {
    problem = problem.with(Band.CAUSAL);
    return this;
  }

  /**
   * Each query sees the keys from {@code left} before its own position to {@code right} behind it, both included;
   * {@code -1} is all of that side.
   */
  public Attention window(int left, int right) {
    if (left < -1 || right < -1) {
      throw new IllegalArgumentException("invalid window " + left + "," + right + ": lengths from 0, or -1 for all");
    }
    problem = problem.with(new Band(left < 0 ? OptionalInt.empty() : OptionalInt.of(left),
        right < 0 ? OptionalInt.empty() : OptionalInt.of(right)));
    return this;
  }

  /** Scores bent into ±{@code cap}. */
  public Attention softcap(float cap) {
    if (!(cap > 0)) throw new IllegalArgumentException("invalid softcap " + cap + ": it must be positive");
    return score(ScoreMod.softcap(cap));
  }

  /** A function of each score, after those that were there before. */
  public Attention score(ScoreMod next) {
    problem = problem.with(problem.modification().then(next));
    return this;
  }

  /** A mask, beside those that were there before. */
  public Attention mask(MaskMod next) {
    problem = problem.with(problem.modification().and(next));
    return this;
  }

  /** A dense tensor that functions read, in the buffer of its name, its last extent contiguous. */
  public Attention capture(CapturedTensor tensor, long... extents) {
    return capture(Captures.Given.dense(tensor, extents));
  }

  /** A tensor that functions read, anywhere. */
  public Attention capture(Captures.Given tensor) {
    return capture(captures().and(tensor));
  }

  /** A number that functions read by {@link tilewright.kernel.F32#parameter}. */
  public Attention capture(String name, float number) {
    return capture(captures().and(name, number));
  }

  /** An integer in 0…2³⁰ that functions read by {@link tilewright.kernel.I32#parameter}. */
  public Attention capture(String name, int integer) {
    return capture(captures().and(name, integer));
  }

  private Captures captures() {
    return problem.modification().captures();
  }

  private Attention capture(Captures captures) {
    problem = problem.with(problem.modification().with(captures));
    return this;
  }

  /**
   * Skips blocks of keys that the mask or the band hides, and the mask where both show all of a block;
   * {@link BlockMask#prepare} of the kernel's {@link AttentionKernel#blockMask} makes the lists of blocks that this
   * needs.
   */
  public Attention skippingBlocks() {
    problem = problem.skipping();
    return this;
  }

  /**
   * Skips blocks of keys by lists that the user gives, beside masks: only blocks in them are seen. The kernel's own
   * lists are made of them as of a mask, see {@link #skippingBlocks}.
   */
  public Attention blocks(GivenBlocks lists) {
    problem = problem.with(problem.modification().with(lists)).skipping();
    return this;
  }

  /** Sequences of different lengths one after the other. */
  public Attention packed(Packed packed) {
    problem = problem.with(packed);
    return this;
  }

  /**
   * A logit of each head, H FP32 numbers in a buffer, takes part in the softmax of the head's rows like the score of a
   * key whose value is 0 (attention sinks). It is neither scaled nor modified, and the logarithms include it.
   */
  public Attention sinks(String buffer) {
    problem = problem.withSinks(buffer);
    return this;
  }

  /** Divides the keys among CTAs, see {@link AttentionKernel#launches}. */
  public Attention splits(KeySplits splits) {
    problem = problem.with(problem.serving().with(splits));
    return this;
  }

  /** Reads each batch entry's number of keys from a buffer of 32-bit integers. */
  public Attention keyLengths(String buffer) {
    problem = problem.with(problem.serving().withLengths(buffer));
    return this;
  }

  /**
   * Reads each batch entry's number of rows before its first key from a buffer of 32-bit integers; the numbers of keys
   * count them.
   */
  public Attention leftPadding(String buffer) {
    problem = problem.with(problem.serving().withPadding(buffer));
    return this;
  }

  /** Finds keys and values in dense pages (pages, rows, Hk, D) of K and V. */
  public Attention pages(Serving.Pages pages) {
    problem = problem.paged(pages);
    return this;
  }

  /** Has each query see tokens of its own in dense pages (pages, rows, Hk, D) of K and V. */
  public Attention chosenTokens(Serving.Tokens tokens) {
    problem = problem.choosing(tokens);
    return this;
  }

  /** Reads codes of e4m3 in K and V, each of which stands for itself times a factor, beside a Q of 16 bits. */
  public Attention codes(Serving.Codes codes) {
    problem = problem.with(problem.serving().with(codes));
    return this;
  }

  /**
   * Checks the numbers of keys, of pages and of chosen tokens, and the factors of tokens, in buffers that the host has.
   *
   * @throws IllegalArgumentException naming the first that does not fit
   */
  public Attention requireFit(Map<String, MemorySegment> buffers) {
    var s = problem.sizes();
    problem.serving().requireFit(buffers, s.batch(), s.keys());
    problem.serving().requireFactors(buffers, s.batch(), s.keys(), s.keyHeads());
    problem.serving().tokens().ifPresent(tokens -> tokens.requireFit(buffers, s.batch(), s.queries(), s.keys()));
    return this;
  }

  /** The gradients of what has been described, of (B,S,H,D) tensors dO, dQ, dK and dV. */
  public AttentionBackward backward() {
    return new AttentionBackward(AttentionBackwardProblem.dense(problem));
  }

  public AttentionProblem problem() {
    return problem;
  }

  /**
   * The launch of the first of these kernels that can do it.
   *
   * @throws IllegalArgumentException saying why none can
   */
  public PreparedLaunch prepare(List<AttentionKernel> kernels) {
    return choose(kernels).prepare(problem);
  }

  /**
   * The launches of the first of these kernels that can do it: one, or several where keys are split.
   *
   * @throws IllegalArgumentException saying why none can
   */
  public LaunchSequence launches(List<AttentionKernel> kernels) {
    return choose(kernels).launches(problem);
  }

  /**
   * The first of these kernels that can do it.
   *
   * @throws IllegalArgumentException saying why none can
   */
  public AttentionKernel choose(List<AttentionKernel> kernels) {
    var reasons = new ArrayList<String>();
    for (var kernel : kernels) {
      var reason = kernel.refusal(problem);
      if (reason.isEmpty()) return kernel;
      reasons.add(kernel.name() + ": " + reason.get());
    }
    throw new IllegalArgumentException("no kernel computes this attention: " + String.join("; ", reasons));
  }
}
