package tilewright.kernels.attention.appending;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Element;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.atom.DependentLaunch;
import tilewright.kernels.attention.AttentionArguments;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.kernels.attention.ValueOrder;
import tilewright.kernels.attention.serving.Serving;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.reference.Rotation;

/**
 * Appends the keys and values of new tokens to a cache, for attention on it: the last key of an entry is its last
 * token's. The first columns of keys, and of queries if there are any, are turned by the tables' row of the token's
 * position. A cache of e4m3 gets codes: element ≈ code · factor of the head, or of the head of the token, which is then
 * the largest finite magnitude of its row over 448, within the range of {@link Serving.Factor}. An entry that has fewer
 * keys in use than there are tokens gets the last of these alone, and zeros for the queries of others. A CTA has a tile
 * of tokens and heads of K, V or Q.
 *
 * @param type of new keys, values and queries: f16 or bf16
 * @param codes what the cache has of them
 * @param headDim columns of K and Q, a multiple of 16
 * @param valueDim columns of V, a multiple of 16
 * @param turned columns of a head that {@code rotation} turns
 * @param queries whether queries are turned and brought to the cache's type
 * @param paged whether the cache is made of pages, whose rows the launch tells
 * @param tokens of a CTA
 * @param heads of a CTA
 */
public record CacheAppend(ElementType type, CacheCodes codes, int headDim, int valueDim, Rotation rotation, int turned,
    boolean queries, boolean paged, int tokens, int heads) implements Kernel {
  private static final int MOST_THREADS = 256;
  /** Heads of a tile of a kernel for all problems. */
  private static final int SHARED_HEADS = 8;

  public CacheAppend {
    if (Stream.of(headDim, valueDim).anyMatch(dim -> dim % RowPart.UNIT != 0 || dim / RowPart.UNIT > MOST_THREADS)) {
      throw new IllegalArgumentException("cannot append heads of " + headDim + " and " + valueDim
          + " columns: multiples of " + RowPart.UNIT + ", at most " + MOST_THREADS * RowPart.UNIT);
    }
    if (turned > headDim) {
      throw new IllegalArgumentException("cannot turn " + turned + " columns of a head of " + headDim);
    }
  }

  /**
   * Prepares the launch that comes before attention on a cache whose lengths count the new tokens.
   *
   * @param p with lengths that the launch reads; its Q is where turned queries go
   * @throws IllegalArgumentException saying what of the problem does not go with a cache
   */
  public static PreparedLaunch prepare(AttentionProblem p, NewTokens tokens, Target target) {
    var s = p.sizes();
    int rows = rows(s);
    int heads = Math.clamp(s.keyHeads(), 1, rows);
    return prepare(p, tokens, Math.clamp(s.queries(), 1, rows / heads), heads, target);
  }

  /**
   * Prepares the launch with a kernel that few problems have of their own: for one token or more, and tiles of up to
   * eight heads.
   *
   * @throws IllegalArgumentException saying what of the problem does not go with a cache
   */
  public static PreparedLaunch prepareShared(AttentionProblem p, NewTokens tokens, Target target) {
    int rows = rows(p.sizes());
    int heads = Math.min(SHARED_HEADS, rows);
    int together = p.sizes().queries() > 1 ? Integer.highestOneBit(rows / heads) : 1;
    return prepare(p, tokens, together, heads, target);
  }

  /** Rows that the threads of a CTA hold. */
  private static int rows(Sizes s) {
    return Math.max(1, MOST_THREADS * RowPart.UNIT / Math.max(RowPart.UNIT, Math.max(s.headDim(), s.valueDim())));
  }

  private static PreparedLaunch prepare(AttentionProblem p, NewTokens tokens, int together, int heads, Target target) {
    requireCache(p);
    var s = p.sizes();
    var rotary = tokens.rotary();
    var append = new CacheAppend(p.outputType(), CacheCodes.of(p), s.headDim(), s.valueDim(), rotary.rotation(),
        rotary.columns(), tokens.q().isPresent(), p.serving().pages().isPresent(), together, heads);
    var kernel = CompiledKernel.compile(append, target);
    var arguments = tokens.addTo(AttentionArguments.of(kernel, p), s);
    append.addCache(arguments, p);
    int tiles = 2 * Math.ceilDiv(s.keyHeads(), heads) + (append.queries ? Math.ceilDiv(s.heads(), heads) : 0);
    return new PreparedLaunch(kernel, new Dim3(Math.ceilDiv(s.queries(), together), tiles, s.batch()),
        arguments.build());
  }

  private void addCache(LaunchArguments arguments, AttentionProblem p) {
    var s = p.sizes();
    var pages = p.serving().pages();
    int slots = pages.map(Serving.Pages::count).orElse(s.batch());
    int rows = pages.map(Serving.Pages::rows).orElse(s.keys());
    arguments.tensor("K", NewTokens.tensor(p.k(), slots, rows, s.keyHeads(), s.headDim()))
        .tensor("V", NewTokens.tensor(p.v(), slots, rows, s.keyHeads(), s.valueDim()))
        .tensor("Q", NewTokens.tensor(p.q(), s.batch(), s.queries(), s.heads(), s.headDim()));
  }

  private static void requireCache(AttentionProblem p) {
    if (p.serving().lengths().isEmpty()) {
      throw new IllegalArgumentException("keys are appended at lengths that the launch reads: give them by keyLengths");
    }
    if (p.serving().padding().isPresent()) {
      throw new IllegalArgumentException("keys are appended to caches without left padding: begin with the first row");
    }
    if (ValueOrder.of(p.v()) == ValueOrder.COLUMN_MAJOR) {
      throw new IllegalArgumentException("values are appended as rows: give a row-major V");
    }
    CacheCodes.refusal(p).ifPresent(reason -> {
      throw new IllegalArgumentException(reason);
    });
  }

  @Override
  public String name() {
    return "append_cache_" + type.text() + codes.text() + "_d" + headDim + "_" + valueDim
        + (turned == 0 ? "" : "_rope_" + rotation.text() + turned) + (queries ? "_q" : "")
        + (paged ? "_pages" : "") + "_t" + tokens + "x" + heads;
  }

  private int threads() {
    return tokens * heads * Math.max(headDim, valueDim) / RowPart.UNIT;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(threads());
    if (k.target().capability() >= Target.SM90A.capability()) DependentLaunch.awaitPrevious(k);
    var newK = k.global(rows("newK", type, headDim, "B", "Sq", "Hk", "D"));
    var newV = k.global(rows("newV", type, valueDim, "B", "Sq", "Hk", "Dv"));
    var length = k.global(AttentionSpecs.keyLengths()).at(k.blockZ()).loadInteger();
    var tile = new TokenTile(k, thread, length.minus(newK.extent(1)).plus(k.blockX().times(tokens)), tokens, heads);
    var keyTiles = newK.extent(2).ceilDiv(heads);
    var ofV = k.blockY().minus(keyTiles);
    var ofQ = ofV.minus(keyTiles);
    // Tiles of keys first, then of values, then of queries.
    var keys = tile.of(newK, k.blockY());
    var values = tile.of(newV, ofV);
    k.when(ofV.lessThan(0), () -> append(keys, "K", RowPart.of(headDim, rotation, turned)),
        () -> k.when(ofQ.lessThan(0), () -> append(values, "V", RowPart.of(valueDim)), () -> {
          if (queries) turn(tile.of(k.global(rows("newQ", type, headDim, "B", "Sq", "H", "D")), ofQ));
        }));
  }

  /** A cache. */
  private TensorSpec slots(String name, int columns, String mode) {
    return rows(name, codes.cache(type), columns, "Slots", "Rows", "Hk", mode);
  }

  /** (batch entries or pages, rows, heads, columns). */
  private static TensorSpec rows(String name, ElementType type, int columns, String... modes) {
    return TensorSpec.of(name, type, modes).contiguous(modes[3]).aligned(RowPart.RUN).fixed(modes[3], columns);
  }

  private void append(TokenTile.Heads tile, String name, List<RowPart> rowParts) {
    var k = tile.k();
    boolean isV = name.equals("V");
    var to = k.global(isV ? slots("V", valueDim, "Dv") : slots("K", headDim, "D"));
    var parts = rowParts.stream().map(part -> tile.load(part, turned)).toList();
    var computed = codes == CacheCodes.TOKENS
        ? Optional.of(RowFactors.of(tile.tile(), parts, isV ? valueDim : headDim, isV)) : Optional.<RowFactors>empty();
    for (var part : parts) {
      var place = CachePlace.of(k, to, paged, k.blockZ(), part.position(), part.exists());
      Function<I32[], Element> at = column -> to.at(place.slot(), place.row(), tile.head(column[1]), column[2]);
      switch (codes) {
        case NONE -> part.store(part.exists(), at);
        case ALL, CACHE -> part.storeCodes(tile.inverse(part, "descale" + name), part.exists(), at);
        case TOKENS -> part.storeCodes(computed.orElseThrow().inverse(part, place), part.exists(), at);
      }
    }
  }

  private void turn(TokenTile.Heads tile) {
    var k = tile.k();
    var zero = k.constant(0);
    var to = k.global(rows("Q", codes.queries(type), headDim, "B", "Sq", "H", "D"))
        .tile(List.of(1, tokens, heads), k.blockZ(), k.blockX(), tile.headTile(), zero);
    for (var part : RowPart.of(headDim, rotation, turned).stream().map(part -> tile.load(part, turned)).toList()) {
      Function<I32[], Element> at = place -> to.at(zero, place[0], place[1], place[2]);
      if (codes == CacheCodes.ALL) part.storeCodes(tile.inverse(part, "descaleQ"), part.inside(), at);
      else part.store(part.inside(), at);
    }
  }
}
