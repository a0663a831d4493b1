package tilewright.kernel.collective.attention;

import tilewright.kernel.I32;
import tilewright.kernel.Pred;

/**
 * Ready-made masks, named as PyTorch's attention-gym names them. Queries and keys are counted from their sequence's
 * begin: query i is at the position of key i.
 */
public final class Masks {
  private Masks() {}

  /** Keys up to the query's position. */
  public static MaskMod causal() {
    return (b, h, q, k) -> k.lessThan(q.plus(1));
  }

  /** All keys before {@code prefix}, and those up to the query's position (prefix-LM). */
  public static MaskMod prefixLm(int prefix) {
    return causal().or(globalKeys(require("prefix", prefix, 0)));
  }

  /** Like {@link #prefixLm(int)}, with the prefix of each batch entry: i32 of (batch). */
  public static MaskMod prefixLm(CapturedTensor prefixes) {
    return causal().or((b, h, q, k) -> k.lessThan(prefixes.integerAt(b)));
  }

  /** Keys up to the query's position, at most {@code window} before it. */
  public static MaskMod slidingWindow(int window) {
    require("window", window, 0);
    return causal().and((b, h, q, k) -> q.lessThan(k.plus(window + 1)));
  }

  /** Keys up to the query's position in the same chunk of {@code chunk} positions (chunked or local attention). */
  public static MaskMod chunked(int chunk) {
    require("chunk", chunk, 1);
    return causal().and((b, h, q, k) -> q.dividedBy(chunk).equalTo(k.dividedBy(chunk)));
  }

  /** Keys of the same document: i32 numbers of documents of (batch, positions). */
  public static MaskMod document(CapturedTensor documents) {
    return (b, h, q, k) -> documents.integerAt(b, q).equalTo(documents.integerAt(b, k));
  }

  /** Every {@code dilation}-th key up to the query's position, at most {@code window} before it. */
  public static MaskMod dilatedSlidingWindow(int window, int dilation) {
    require("dilation", dilation, 1);
    // Where the key is behind the query, the remainder is any number, and the window hides the key.
    return slidingWindow(window).and((b, h, q, k) -> q.minus(k).max(0).modulo(dilation).equalTo(0));
  }

  /** The first {@code count} keys for every query, and every key for the first {@code count} queries. */
  public static MaskMod globalTokens(int count) {
    require("number of global tokens", count, 0);
    return globalKeys(count).or((b, h, q, k) -> q.lessThan(count));
  }

  private static MaskMod globalKeys(int count) {
    return (b, h, q, k) -> k.lessThan(count);
  }

  /**
   * Neighbourhood attention of an image of {@code width} columns, row by row: the {@code kernelWidth} ×
   * {@code kernelHeight} pixels around each one, moved inside at the edges (NATTEN).
   */
  public static MaskMod natten2d(int width, int height, int kernelWidth, int kernelHeight) {
    requireKernel("width", kernelWidth, width);
    requireKernel("height", kernelHeight, height);
    return (b, h, q, k) -> near(q.modulo(width), k.modulo(width), kernelWidth, width)
        .and(near(q.dividedBy(width), k.dividedBy(width), kernelHeight, height));
  }

  /** Neighbourhood attention of a volume, images of {@code width} × {@code height} one after the other (NATTEN). */
  public static MaskMod natten3d(int width, int height, int depth, int kernelWidth, int kernelHeight, int kernelDepth) {
    requireKernel("width", kernelWidth, width);
    requireKernel("height", kernelHeight, height);
    requireKernel("depth", kernelDepth, depth);
    return (b, h, q, k) -> near(q.modulo(width), k.modulo(width), kernelWidth, width)
        .and(near(q.dividedBy(width).modulo(height), k.dividedBy(width).modulo(height), kernelHeight, height))
        .and(near(q.dividedBy(width * height), k.dividedBy(width * height), kernelDepth, depth));
  }

  private static Pred near(I32 query, I32 key, int kernel, int extent) {
    var center = query.max(kernel / 2).min(extent - 1 - kernel / 2);
    return center.lessThan(key.plus(kernel / 2 + 1)).and(key.lessThan(center.plus(kernel / 2 + 1)));
  }

  /**
   * A tree of drafted tokens behind {@code context} keys that all of them see (speculative decoding): query i sees key
   * context + j where {@code ancestors}, i8 or i32 of (nodes, nodes), is not 0 at (i, j), as it is for i = j.
   */
  public static MaskMod tree(CapturedTensor ancestors, int context) {
    require("context", context, 0);
    return globalKeys(context).or((b, h, q, k) ->
        ancestors.integerAt(q, k.plus(-context).max(0)).equalTo(0).not());
  }

  /**
   * Keys up to the query's position, and all of its own span where it is of one (Transfusion): i32 numbers of spans,
   * such as images, of (batch, positions), from 0 on; −1 is none.
   */
  public static MaskMod transfusion(CapturedTensor spans) {
    return causal().or((b, h, q, k) -> spans.integerAt(b, q).equalTo(spans.integerAt(b, k))
        .and(spans.integerAt(b, k).atLeast(0)));
  }

  private static int require(String what, int value, int least) {
    if (value < least) throw new IllegalArgumentException("invalid " + what + " " + value + ": at least " + least);
    return value;
  }

  private static void requireKernel(String what, int kernel, int extent) {
    if (kernel < 1 || kernel % 2 == 0 || kernel > extent) {
      throw new IllegalArgumentException("invalid kernel of " + kernel + " along a " + what + " of " + extent
          + ": an odd number, not larger");
    }
  }
}
