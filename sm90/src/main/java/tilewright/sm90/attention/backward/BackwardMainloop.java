package tilewright.sm90.attention.backward;

import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import tilewright.async.atom.BulkCopy;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.ScoreMask;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernels.attention.backward.GradientWorkspace;
import tilewright.kernels.attention.backward.KeyBlock;
import tilewright.kernels.attention.backward.QueryTiles;
import tilewright.layout.OffsetMap;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.TiledWgmma;

/**
 * The main loop of a warpgroup for its 64 keys: tile by tile of queries, Sᵀ = K·Qᵀ and dPᵀ = V·dOᵀ become Pᵀ and dSᵀ in
 * registers, from where dV += Pᵀ·dO and dK += dSᵀ·Q take them; dQ = dS·K takes dS of all warpgroups from shared memory
 * (FlashAttention-2, algorithm 2; FlashAttention-3, backward pass).
 */
final class BackwardMainloop {
  private static final int EXCHANGE = 1;
  /** Queries side by side of which a thread has values. */
  private static final int NEIGHBOURS = 2;
  /** Columns of tiles whose few descriptors registers hold. */
  private static final int FEW_COLUMNS = 64;

  private final Scope k;
  private final Sm90BackwardConfig config;
  private final BackwardTiles tiles;
  private final QueryTiles slots;
  private final Optional<AdditionOrder.Adder> order;
  private final KeyBlock block;
  private final I32 lane;
  private final I32 group;
  private final Pipeline.Cursor keys;
  private final Pipeline.Cursor values;
  private final Pipeline.Cursor queries;
  /** Moves with the queries, as the stages of P and dS do. */
  private final Pipeline.Cursor gradients;
  private final TiledWgmma gemmOfS;
  private final TiledWgmma gemmOfDP;
  private final KeyGradient dV;
  private final KeyGradient dK;
  private final QueryGradient dQ;
  private final FragmentRows rows;
  private final Fragment s;
  private final Fragment dP;
  private final Fragment accumulatorsOfDQ;
  private final GlobalTensor accumulators;

  BackwardMainloop(Scope k, Sm90BackwardConfig config, BackwardTiles tiles, BackwardRings rings, QueryTiles slots,
      Optional<AdditionOrder> order, KeyBlock block, I32 lane, I32 group) {
    this.k = k;
    this.config = config;
    this.tiles = tiles;
    this.slots = slots;
    this.block = block;
    this.lane = lane;
    this.group = group;
    var shape = config.shape();
    keys = rings.keys().consumer();
    values = rings.values().consumer();
    queries = rings.queries().consumer();
    gradients = rings.gradients().consumer(queries);
    this.order = order.map(o -> o.adder(queries));
    gemmOfS = gemm(config.layoutK(), config.layoutQ());
    gemmOfDP = gemm(config.layoutV(), config.layoutDO());
    dV = new KeyGradient(k, config, tiles.p(), tiles.dO().shared().as(config.transposedDO()));
    dK = new KeyGradient(k, config, Optional.of(tiles.dS()), tiles.q().shared().as(config.transposedQ()));
    dQ = new QueryGradient(config);
    rows = FragmentRows.of(config.atomOfScores().partition());
    s = gemmOfS.undefinedAccumulators(k);
    dP = gemmOfDP.undefinedAccumulators(k);
    accumulatorsOfDQ = dQ.accumulators(k);
    accumulators = k.global(GradientWorkspace.accumulators(shape.queries(), shape.headDim()));
  }

  private TiledWgmma gemm(OffsetMap rows, OffsetMap columns) {
    int groups = config.shape().consumers();
    return config.shape().sharesHeadDim() ? TiledWgmma.alongColumns(config.atomOfScores(), rows, columns, groups)
        : TiledWgmma.of(config.type(), rows, columns, groups);
  }

  /** The accumulators of dK, without the scale. */
  Fragment gradientOfKeys() {
    return dK.accumulators();
  }

  Fragment gradientOfValues() {
    return dV.accumulators();
  }

  void run() {
    dK.clear();
    dV.clear();
    var count = block.count();
    var walk = block.walk();
    k.when(count.atLeast(1), () -> {
      keys.awaitFull();
      values.awaitFull();
    });
    k.loop(count, _ -> {
      step(walk.tile(), walk.masked());
      walk.advance();
    });
  }

  /** Computes the five GEMMs of a tile of queries. */
  private void step(KeyBlock.Tile tile, Pred masked) {
    var stage = queries.stage();
    var zero = k.constant(0);
    boolean early = !config.shape().sharesHeadDim();
    var group = early ? this.group : this.group.settled();
    var lane = early ? this.lane : this.lane.settled();
    // 1. Sᵀ = K·Qᵀ and dPᵀ = V·dOᵀ.
    queries.awaitFull();
    WgmmaAtom.fence(k);
    gemmOfS.issue(k, group, operand(tiles.key()), zero, operand(tiles.q()), queries.stage(), s, false);
    WgmmaAtom.commit(k);
    gradients.awaitFull();
    gemmOfDP.issue(k, group, operand(tiles.value()).as(config.layoutV()), zero, operand(tiles.dO()),
        gradients.stage(), dP, false);
    WgmmaAtom.commit(k);
    // 2. Sᵀ is complete: Pᵀ = exp2(c·Sᵀ − LSE₂). From registers, dV += Pᵀ·dO begins at once.
    WgmmaAtom.waitFor(k, 1);
    var differentiated = scores(tile);
    var scores = differentiated.scores();
    var p = probabilities(tile, masked, scores);
    var roundedP = dV.round(p, lane.settled(), group, stage);
    if (early) {
      WgmmaAtom.fence(k);
      dV.issue(group, roundedP, stage, gradients.stage());
      WgmmaAtom.commit(k);
    }
    // 3. dPᵀ is complete: dSᵀ = Pᵀ ∘ (dPᵀ − D).
    WgmmaAtom.waitFor(k, early ? 1 : 0);
    var sums = ofQueries(tiles.sums(), gradients.stage());
    var dPs = rows.values(k, dP);
    var changed = IntStream.range(0, p.size()).mapToObj(v -> p.get(v).times(dPs.get(v).minus(sums.apply(v)))).toList();
    var dS = IntStream.range(0, p.size()).mapToObj(v -> scores.get(v).gradient(changed.get(v))).toList();
    differentiated.captured().add(k, lane.settled(), changed);
    var roundedDS = dK.round(dS, lane.settled(), group, stage);
    // 4. What warpgroups share is in shared memory: dV if it has not begun, dQ = dS·K and dK += dSᵀ·Q.
    BulkCopy.publish(k);
    k.barrier(k.constant(EXCHANGE), config.shape().consumers() * Warpgroup.SIZE);
    WgmmaAtom.fence(k);
    if (!early) dV.issue(group, roundedP, stage, gradients.stage());
    dQ.issue(k, group, tiles.dS(), stage, tiles.key().shared().as(config.transposedK()), accumulatorsOfDQ);
    WgmmaAtom.commit(k);
    dK.issue(group, roundedDS, stage, queries.stage());
    WgmmaAtom.commit(k);
    // 5. dV and dQ are complete: add dQ.
    WgmmaAtom.waitFor(k, 1);
    order.ifPresent(AdditionOrder.Adder::await);
    dQ.add(k, lane.settled(), group, accumulatorsOfDQ,
        accumulators.from(zero, slots.slot(tile.batch(), tile.number()), tile.head()));
    order.ifPresent(adder -> adder.added(lane.settled()));
    // 6. dK is complete: release Q and dO.
    WgmmaAtom.waitFor(k, 0);
    queries.releaseAndAdvance(lane);
  }

  /**
   * A tile as operand. Along many columns its descriptors are computed here, where the assembler has uniform registers
   * for them: it would compute them ahead of the loop, and spill other registers.
   */
  private SharedTensor operand(TensorTile tile) {
    return config.shape().headDim() > FEW_COLUMNS ? tile.shared().settled() : tile.shared();
  }

  /** Sᵀ after the score function and the mask, with the derivatives of that function. */
  private Modification.Differentiated scores(KeyBlock.Tile tile) {
    return config.modification().differentiated(k, lane.settled(), rows, k.scalar("scale"), place(tile), false,
        rows.values(k, s));
  }

  private Modification.Place place(KeyBlock.Tile tile) {
    return new Modification.Place(tile.batch(), tile.head(), tile.number().times(config.shape().queries())
        .plus(config.firstQuery(group)), block.firstKey().settled().plus(config.firstKey(group)), HeadPacking.NONE)
        .inTransposed().in(block.sequence(), false);
  }

  /** Pᵀ of a tile, 0 for keys that the band hides. */
  private List<F32> probabilities(KeyBlock.Tile tile, Pred masked, List<ScoreMod.Sloped> scores) {
    var scale = config.modification().softmaxScale(k, k.scalar("scale"));
    var logarithms = ofQueries(tiles.logarithms(), queries.stage());
    var p = IntStream.range(0, scores.size())
        .mapToObj(v -> scores.get(v).value().fma(scale, logarithms.apply(v).negated()).exp2()).toList();
    var mask = new ScoreMask(config.band(), tile.sequence(), rows);
    if (!branches()) {
      return mask.probabilities(k, lane.settled(), place(tile), p);
    }
    // Registers of their own: those of a wgmma may not change while another is under way.
    var own = p.stream().map(value -> own(value)).toList();
    k.when(masked, () -> {
      var seen = mask.probabilities(k, lane.settled(), place(tile), own.stream().map(k::result).toList());
      for (int v = 0; v < seen.size(); v++) k.emit("mov.f32", own.get(v), seen.get(v).register());
    });
    return own.stream().map(k::result).toList();
  }

  /**
   * Whether only the tiles that the band cuts evaluate it. Where warpgroups share the head dimension, a thread has few
   * scores, and no registers for a branch; a mask function takes those registers too.
   */
  private boolean branches() {
    if (config.shape().sharesHeadDim()) return config.band().isAll();
    return config.modification().mask().isEmpty();
  }

  private Operand.Register own(F32 value) {
    var register = k.newRegister(PtxType.F32);
    k.emit("mov.f32", register, value.register());
    return register;
  }

  /** Reads a number for the query of each of the thread's values, neighbours together. */
  private IntFunction<F32> ofQueries(SharedTensor numbers, I32 stage) {
    var first = rows.column(lane).plus(config.firstQuery(group));
    var read = new HashMap<Integer, List<F32>>();
    return v -> {
      int neighbour = rows.columnOffset(v) % NEIGHBOURS;
      int query = rows.columnOffset(v) - neighbour;
      return read.computeIfAbsent(query, _ -> numbers.at(first.plus(query), stage).load(NEIGHBOURS)).get(neighbour);
    };
  }
}
