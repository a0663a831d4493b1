package tilewright.sm90.attention.backward;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import tilewright.async.atom.BulkCopy;
import tilewright.async.atom.StoreMatrix;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.Pipeline;
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
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.sm90.atom.RegisterOperand;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.RegisterWgmma;
import tilewright.sm90.collective.TiledWgmma;

/**
 * The main loop of a warpgroup for its 64 keys: tile by tile of queries, Sᵀ = K·Qᵀ and dPᵀ = V·dOᵀ become Pᵀ and dSᵀ in
 * registers, from where dV += Pᵀ·dO and dK += dSᵀ·Q take them; dQ = dS·K takes dS of all warpgroups from shared memory
 * (FlashAttention-2, algorithm 2; FlashAttention-3, backward pass). The next tile's Sᵀ is computed beside dK and dQ.
 */
final class BackwardMainloop {
  private static final int QUAD = 4;
  private static final int EXCHANGE = 1;

  private final Scope k;
  private final Sm90BackwardConfig config;
  private final BackwardTensors tensors;
  private final QueryTiles slots;
  private final KeyBlock block;
  private final I32 lane;
  private final I32 group;
  private final Pipeline.Cursor queries;
  private final Pipeline.Cursor gradients;
  private final Pipeline.Cursor keys;
  private final Pipeline.Cursor values;
  private final TiledWgmma scoring;
  private final TiledWgmma weighing;
  private final RegisterWgmma gradientOfV;
  private final RegisterWgmma gradientOfK;
  private final QueryGradient gradientOfQ;
  private final RegisterOperand operand;
  private final FragmentRows rows;
  private final StoreMatrix store;
  private final Fragment s;
  private final Fragment dP;
  private final Fragment dQ;
  private final Fragment dK;
  private final Fragment dV;
  private final SharedTensor dO;
  private final SharedTensor q;
  private final SharedTensor key;
  private final SharedTensor v;
  private final GlobalTensor accumulators;

  BackwardMainloop(Scope k, Sm90BackwardConfig config, BackwardTensors tensors, BackwardRings rings, QueryTiles slots,
      KeyBlock block, I32 lane, I32 group) {
    this.k = k;
    this.config = config;
    this.tensors = tensors;
    this.slots = slots;
    this.block = block;
    this.lane = lane;
    this.group = group;
    var shape = config.shape();
    queries = rings.queries().consumer();
    gradients = rings.gradients().consumer();
    keys = rings.keys().consumer();
    values = rings.values().consumer();
    scoring = TiledWgmma.of(config.type(), config.layoutK(), config.layoutQ(), shape.consumers());
    weighing = TiledWgmma.of(config.type(), config.layoutV(), config.layoutDO(), shape.consumers());
    gradientOfV = RegisterWgmma.of(config.type(), config.transposedDO());
    gradientOfK = RegisterWgmma.of(config.type(), config.transposedQ());
    gradientOfQ = new QueryGradient(config);
    var atom = new WgmmaAtom(config.type(), shape.queries());
    operand = RegisterOperand.of(atom, gradientOfV.atom());
    rows = FragmentRows.of(atom.partition());
    store = StoreMatrix.of(atom.partition(), false);
    s = scoring.undefinedAccumulators(k);
    dP = weighing.undefinedAccumulators(k);
    dQ = gradientOfQ.accumulators(k);
    dK = gradientOfK.accumulators(k);
    dV = gradientOfV.accumulators(k);
    dO = tensors.dO().shared().as(config.transposedDO());
    q = tensors.q().shared().as(config.transposedQ());
    key = tensors.key().shared().as(config.transposedK());
    v = tensors.value().shared().as(config.layoutV());
    accumulators = k.global(GradientWorkspace.accumulators(shape.queries(), shape.headDim()));
  }

  /** The accumulators of dK, without the scale. */
  Fragment gradientOfKeys() {
    return dK;
  }

  Fragment gradientOfValues() {
    return dV;
  }

  void run() {
    dK.clear(k, PtxType.F32);
    dV.clear(k, PtxType.F32);
    var count = block.count();
    var walk = block.walk();
    k.when(count.atLeast(1), () -> {
      keys.awaitFull();
      values.awaitFull();
    });
    k.loop(count, step -> {
      step(walk.tile(), walk.masked(), step.modulo(Sm90BackwardConfig.STAGES_OF_DS));
      walk.advance();
    });
  }

  /** A tile of queries. */
  private void step(KeyBlock.Tile tile, Pred masked, I32 stage) {
    // 1. Sᵀ = K·Qᵀ and dPᵀ = V·dOᵀ.
    queries.awaitFull();
    WgmmaAtom.fence(k);
    scoring.issue(k, group, tensors.key().shared(), k.constant(0), tensors.q().shared(), queries.stage(), s, false);
    WgmmaAtom.commit(k);
    gradients.awaitFull();
    weighing.issue(k, group, v, k.constant(0), tensors.dO().shared(), gradients.stage(), dP, false);
    WgmmaAtom.commit(k);
    // 2. Sᵀ is complete: Pᵀ = exp2(c·Sᵀ − LSE₂), and dV += Pᵀ·dO begins.
    WgmmaAtom.waitFor(k, 1);
    var scores = scores(tile);
    var p = probabilities(tile, masked, scores);
    var roundedP = operand.registers(k);
    operand.round(k, p, roundedP);
    WgmmaAtom.fence(k);
    gradientOfV.issue(k, roundedP, dO, gradients.stage(), dV, true);
    WgmmaAtom.commit(k);
    // 3. dPᵀ is complete: dSᵀ = Pᵀ ∘ (dPᵀ − D).
    WgmmaAtom.waitFor(k, 1);
    var sums = ofQueries(tensors.sums(), gradients.stage());
    var dPs = rows.values(k, dP);
    var dS = IntStream.range(0, p.size()).mapToObj(v ->
        scores.get(v).gradient(p.get(v).times(dPs.get(v).minus(sums.apply(v))))).toList();
    var roundedDS = operand.registers(k);
    operand.round(k, dS, roundedDS);
    // 4. dS of all warpgroups meets in shared memory.
    share(roundedDS, stage);
    BulkCopy.publish(k);
    k.barrier(k.constant(EXCHANGE), config.shape().consumers() * Warpgroup.SIZE);
    // 5. dQ = dS·K and dK += dSᵀ·Q.
    WgmmaAtom.fence(k);
    gradientOfQ.issue(k, group, key, tensors.dS(), stage, dQ);
    WgmmaAtom.commit(k);
    gradientOfK.issue(k, roundedDS, q, queries.stage(), dK, true);
    WgmmaAtom.commit(k);
    // 6. dV and dQ are complete: release dO, and add dQ.
    WgmmaAtom.waitFor(k, 1);
    gradients.releaseAndAdvance(lane);
    gradientOfQ.add(k, lane.settled(), group, dQ, accumulators, slots.slot(tile.batch(), tile.number()), tile.head());
    // 7. dK is complete: release Q.
    WgmmaAtom.waitFor(k, 0);
    queries.releaseAndAdvance(lane);
  }

  /** Sᵀ after the score function and the mask, with the derivatives of that function. */
  private List<ScoreMod.Sloped> scores(KeyBlock.Tile tile) {
    return config.modification().sloped(k, lane, rows, k.scalar("scale"), place(tile), false, rows.values(k, s));
  }

  private Modification.Place place(KeyBlock.Tile tile) {
    return new Modification.Place(tile.batch(), tile.head(), tile.number().times(config.shape().queries()),
        block.firstKey().plus(group.times(WgmmaAtom.M)), HeadPacking.NONE).inTransposed();
  }

  /** Pᵀ of a tile, 0 for keys that the band hides. */
  private List<F32> probabilities(KeyBlock.Tile tile, Pred masked, List<ScoreMod.Sloped> scores) {
    var scale = config.modification().softmaxScale(k, k.scalar("scale"));
    var logarithms = ofQueries(tensors.logarithms(), queries.stage());
    // Registers of their own: those of a wgmma may not change while another is under way.
    var p = new ArrayList<Operand.Register>();
    for (int v = 0; v < scores.size(); v++) {
      p.add(k.newRegister(PtxType.F32));
      var exponent = scores.get(v).value().fma(scale, logarithms.apply(v).negated());
      k.emit("mov.f32", p.get(v), exponent.exp2().register());
    }
    k.when(masked, () -> {
      var mask = new ScoreMask(config.band(), tile.sequence(), rows);
      var seen = mask.probabilities(k, lane.settled(), place(tile), p.stream().map(k::result).toList());
      for (int v = 0; v < seen.size(); v++) k.emit("mov.f32", p.get(v), seen.get(v).register());
    });
    return p.stream().map(k::result).toList();
  }

  /** For a value of the thread's in a tile (keys, queries), the number of its query, which neighbours read together. */
  private IntFunction<F32> ofQueries(SharedTensor numbers, I32 stage) {
    var columns = rows.partition().layout().mode(1);
    var read = new HashMap<Long, List<F32>>();
    return v -> {
      long column = columns.apply(v) / WgmmaAtom.M;
      var pair = read.computeIfAbsent(column / 2,
          _ -> numbers.at(rows.partition().coordinate(lane, v - (int) (column % 2))[1], stage).load(2));
      return pair.get((int) (column % 2));
    };
  }

  /** Writes the thread's registers of dSᵀ to the tile in shared memory. */
  private void share(List<List<Operand.Register>> slices, I32 stage) {
    var partition = rows.partition();
    for (int slice = 0; slice < slices.size(); slice++) {
      long origin = partition.layout().mode(1).apply((long) slice * StoreMatrix.VALUES);
      var row = store.row(lane);
      var element = tensors.dS().at(row[1].plus((int) (origin / WgmmaAtom.M)),
          row[0].plus(group.times(WgmmaAtom.M)), stage);
      store.store(k, element, slices.get(slice));
    }
  }
}
