package tilewright.kernels.attention.decoding;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.OnlineSoftmax;
import tilewright.kernel.collective.attention.ScoreMask;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernel.tiled.TiledMma;
import tilewright.numerics.ElementType;

/**
 * The main loop of a group of warps on its keys of a tile's blocks, the first block first: S = Q·Kᵀ, its softmax, and
 * O += P·V.
 */
final class DecodeMainloop {
  /** The name of the first group's barrier; 0 is the CTA's. */
  private static final int FIRST_BARRIER = 1;

  private final Scope k;
  private final DecodeConfig config;
  private final DecodeShape shape;
  private final KeyCache cache;
  private final AttentionTiles.Tile tile;
  private final I32 firstRow;
  private final I32 member;
  private final I32 group;
  private final SharedTensor keys;
  private final SharedTensor values;
  private final Optional<CodeFactors> factors;
  /** Factors of tokens (tokens, of K or V, stages of each group), where these have their own. */
  private final Optional<SharedTensor> ofTokens;
  private final TiledMma scoring;
  private final TiledMma mixing;
  private final FragmentRows rowsOfScores;
  private final FragmentRows rowsOfOutput;
  private final Fragment output;
  private final WarpRows rows;

  /** @param member the thread's number in its group */
  DecodeMainloop(Scope k, DecodeConfig config, KeyCache cache, Optional<CodeFactors> factors, AttentionTiles.Tile tile,
      I32 member, I32 group) {
    this.k = k;
    this.config = config;
    this.cache = cache;
    this.tile = tile;
    this.member = member;
    this.group = group;
    shape = config.shape();
    firstRow = config.packing().rows(tile.query());
    keys = k.shared(config.cache(), config.layoutOfK());
    values = config.latent() ? keys.under(config.layoutOfV()) : k.shared(config.cache(), config.layoutOfV());
    this.factors = factors;
    ofTokens = factors.filter(CodeFactors::ofTokens).map(_ -> k.shared(ElementType.F32, config.layoutOfFactors()));
    scoring = config.scoring();
    mixing = config.mixing();
    rows = WarpRows.of(k, config, scoring, mixing, keys, member);
    rowsOfScores = rows.ofScores();
    rowsOfOutput = rows.ofOutput();
    output = mixing.accumulators(k);
  }

  /** K in shared memory, which nothing reads behind the loop. */
  SharedTensor keys() {
    return keys;
  }

  WarpRows rows() {
    return rows;
  }

  /** The thread's part of O behind the loop. */
  List<F32> output() {
    return rowsOfOutput.values(k, output);
  }

  /** Starts the copies of the first blocks: a group of copies for each. */
  void begin() {
    for (int ahead = 0; ahead < shape.ahead(); ahead++) {
      var block = k.constant(ahead);
      copy(block, places(block), block);
    }
  }

  /** Waits for the copies that this thread started before {@link #begin}. */
  void awaitEarlier() {
    CpAsync.waitFor(k, shape.ahead());
  }

  /**
   * Visits all blocks.
   *
   * @param queries in shared memory
   */
  List<OnlineSoftmax.Total> run(SharedTensor queries, F32 scale) {
    var q = new HeldQueries(k, config, scoring, member, queries.as(config.layoutOfA()), rowsOfScores);
    var ofScores = q.powers().map(powers -> ofRows(powers, scale, factors.orElseThrow()))
        .orElseGet(() -> rowsOfScores.perRow(_ -> factors.map(f -> f.ofScores(tile, scale)).orElse(scale)));
    var ofSoftmax = ofScores.stream().map(factor -> config.modification().softmaxScale(k, factor)).toList();
    ofSoftmax.forEach(F32::register);
    var softmax = OnlineSoftmax.of(k, rowsOfScores, () -> ofSoftmax, 0, rows.combination());
    var mask = new ScoreMask(config.band(), tile.sequence(), rowsOfScores);
    var slot = k.variable(k.constant(0), shape.stages() - 1);

    k.loop(blocks(), block -> {
      // 1. K and V of this block have landed, and nobody reads those of the block before: a later block goes there.
      var later = block.plus(shape.ahead());
      // Memory answers while the copies are awaited.
      var places = shape.refills() ? Optional.<RowPlaces>empty() : places(later);
      CpAsync.waitFor(k, shape.ahead() - 1);
      groupBarrier();
      var stage = slot.value();
      if (!shape.refills()) copy(later, places, stage.plus(shape.ahead()).modulo(shape.stages()));
      // 2. S = Q·Kᵀ.
      var tokens = cache.tokens().map(list -> TokenMask.read(k, list, rowsOfScores, tile, firstKey(block),
          rows.member()));
      var sums = Stream.generate(() -> scoring.accumulators(k)).limit(shape.sums()).toList();
      var ofScoring = rows.member();
      for (int slice = 0; slice < scoring.slices(); slice++) {
        scoring.multiply(k, ofScoring, q.slice(slice), keys, ofGroup(stage), slice, sums.get(slice % sums.size()));
      }
      // 3. m, P and l.
      var place = new Modification.Place(tile.batch(), tile.head(), firstRow, firstKey(block), config.packing())
          .in(tile.sequence(), false);
      var s = sums.stream().map(part -> rowsOfScores.values(k, part)).reduce(DecodeMainloop::plus).orElseThrow();
      var scores = timesFactors(s, 0, stage, 1);
      var changed = config.modification().apply(k, member, rowsOfScores, ofScores, place, false, scores);
      var step = softmax.next(tokens.map(seen -> seen.apply(changed))
          .orElseGet(() -> mask.apply(k, member, place, changed)));
      // 4. O = diag(factors)·O + P·V.
      softmax.rescale(step, rowsOfOutput, output);
      var p = rows.operand(stage, timesFactors(step.weights(), 1, stage, CodeFactors.SHIFT));
      var ofMixing = rows.member();
      for (int slice = 0; slice < mixing.slices(); slice++) {
        mixing.multiply(k, ofMixing, p.apply(slice), values, ofGroup(stage), slice, output);
      }
      // 5. Or the later block goes where this one was, before the next one is waited for.
      if (shape.refills()) {
        groupBarrier();
        copy(later, places(later), stage);
      }
      slot.set(stage.plus(1).modulo(shape.stages()));
    });
    return softmax.finish();
  }

  /** The thread's part of S or P, by column times the factors of K's or V's tokens, where these have their own. */
  private List<F32> timesFactors(List<F32> parts, int operand, I32 stage, float shift) {
    if (ofTokens.isEmpty()) return parts;
    return new TokenFactors(rowsOfScores, member.settled()).times(parts,
        token -> ofTokens.get().at(token, k.constant(operand), ofGroup(stage)).load().times(shift));
  }

  private static List<F32> plus(List<F32> a, List<F32> b) {
    return IntStream.range(0, a.size()).mapToObj(value -> a.get(value).plus(b.get(value))).toList();
  }

  private List<F32> ofRows(List<F32> powers, F32 scale, CodeFactors factors) {
    var common = factors.ofScores(tile, scale);
    // Positive, so that a key that is not seen keeps its −∞.
    var all = powers.stream().map(power -> common.times(power).max(k.constant(Float.MIN_NORMAL))).toList();
    all.forEach(F32::register);
    return all;
  }

  private I32 blocks() {
    return tile.blocks().end().minus(tile.blocks().first());
  }

  /** The first key that the group has of a block, counted from the tile's first block. */
  private I32 firstKey(I32 block) {
    return tile.blocks().first().plus(block).times(shape.blockKeys()).plus(group.times(shape.keys()));
  }

  private I32 ofGroup(I32 stage) {
    return stage.times(shape.groups()).plus(group);
  }

  /** Where the group's keys of a block lie, unless they lie one after the other. */
  private Optional<RowPlaces> places(I32 block) {
    return cache.places(tile, member, firstKey(block), keys);
  }

  /** Starts the copies of a block, if there is one: a group of copies all the same, so that waits count blocks. */
  private void copy(I32 block, Optional<RowPlaces> places, I32 stage) {
    k.when(block.lessThan(blocks()), () -> {
      cache.copy(tile, member, firstKey(block), places, keys, values, ofGroup(stage));
      ofTokens.ifPresent(to -> cache.copyFactors(factors.orElseThrow(), tile, member, firstKey(block), places, to,
          ofGroup(stage)));
    });
    CpAsync.commit(k);
  }

  private void groupBarrier() {
    if (shape.warpsOfGroup() == 1) k.warpBarrier();
    else if (shape.groups() == 1) k.barrier();
    else k.barrier(group.plus(FIRST_BARRIER), shape.threadsOfGroup());
  }
}
