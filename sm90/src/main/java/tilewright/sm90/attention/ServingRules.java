package tilewright.sm90.attention;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.kernels.attention.merging.BlockSplits;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.attention.serving.Serving;
import tilewright.sm90.attention.Sm90AttentionConfig.Shape;

/** Decides which caches of keys the Hopper kernel reads, and how it divides them. */
final class ServingRules {
  /** Rows after which the swizzle of shared memory begins anew. */
  private static final int LEAST_PART = 8;

  private ServingRules() {}

  /**
   * Why the kernel does not do what a problem asks for, if so.
   *
   * @param part rows that surely lie one after the other in a page, where the launch says how many a page has
   */
  static Optional<String> refusal(AttentionProblem p, OptionalInt part) {
    var serving = p.serving();
    if (serving.equals(Serving.NONE)) return Optional.empty();
    boolean whole = serving.equals(Serving.NONE.with(new KeySplits.Ranges(1)));
    return whole ? Optional.empty() : AttentionSpecs.refusalOfCodes(p).or(() -> AttentionSpecs.refusalOfTokens(p))
        .or(() -> BlockSplits.refusalOfBalance(p)).or(() -> BlockSplits.refusal(p))
        .or(() -> refusalOfPages(p, part)).or(() -> refusalOfPadding(p)).or(() -> refusalOfColumns(p))
        .or(() -> serving.scatters() ? refusalOfStrides(p) : Optional.empty());
  }

  static Optional<String> refusalOfPages(AttentionProblem p, OptionalInt part) {
    int multiple = part.orElse(LEAST_PART);
    // A sequence within one page begins at no other row than its first.
    boolean single = part.isPresent() && p.serving().pages().filter(s -> s.ofEntry(p.sizes().keys()) > 1).isEmpty();
    return p.serving().pages().filter(pages -> !single && pages.rows() % multiple != 0).map(pages -> "pages of "
        + pages.rows() + " rows: tensor copies fill shared memory in multiples of " + multiple
        + " rows, so take pages of those");
  }

  /** Keys that begin behind a padding have positions, lengths and factors of their own. */
  private static Optional<String> refusalOfPadding(AttentionProblem p) {
    if (p.serving().padding().isEmpty()) return Optional.empty();
    if (p.serving().pages().isPresent()) return Optional.of("pages have no left padding: begin with the first row");
    if (p.serving().lengths().isEmpty()) return Optional.of("left padding needs the number of keys of each entry");
    boolean blocks = p.quantized().filter(q -> q.k().rows() != AttentionProblem.Factors.WHOLE
        || q.v().rows() != AttentionProblem.Factors.WHOLE).isPresent();
    return blocks ? Optional.of("blocks of keys have no factors of their own behind a left padding: take one for each "
        + "head") : Optional.empty();
  }

  private static Optional<String> refusalOfColumns(AttentionProblem p) {
    return p.serving().scatters() ? AttentionSpecs.refusalOfColumns(p) : Optional.empty();
  }

  /** Batch entries or pages of a cache follow each other, so that one tensor map reaches every last key. */
  static Optional<String> refusalOfStrides(AttentionProblem p) {
    var pages = p.serving().pages();
    long rows = pages.map(Serving.Pages::rows).orElse(p.sizes().keys());
    int count = pages.map(Serving.Pages::count).orElse(p.sizes().batch());
    var what = pages.isPresent() ? "pages" : "batch entries";
    return Stream.of(p.k(), p.v()).filter(v -> count > 1 && v.batch() != rows * v.sequence()).findFirst()
        .map(v -> what + " of " + v.buffer() + " are " + v.batch() + " elements apart, but " + rows + " rows of "
            + v.sequence() + " are " + rows * v.sequence() + ": lay them one after the other");
  }

  /**
   * The splits of a problem's keys, where it has any.
   *
   * @throws IllegalArgumentException for splits that are no whole blocks of the shape
   */
  static Optional<BlockSplits> splits(AttentionProblem p, Shape shape, HeadPacking packing, int multiprocessors) {
    long tiles = p.tiles(shape.rows() / packing.stride()) / packing.heads();
    return BlockSplits.of(p, shape.keys(), tiles, multiprocessors);
  }
}
