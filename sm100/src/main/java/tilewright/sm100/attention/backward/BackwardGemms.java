package tilewright.sm100.attention.backward;

import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.sm100.atom.UmmaAtom;
import tilewright.sm100.collective.TensorMemoryUmma;
import tilewright.sm100.collective.TiledUmma;

/** The five GEMMs of a tile of queries, as one thread issues them; who issues them orders them. */
final class BackwardGemms {
  private final Scope k;
  private final BackwardMemory memory;
  private final SharedTensor key;
  private final SharedTensor value;
  private final SharedTensor keyColumns;
  private final SharedTensor q;
  private final SharedTensor qColumns;
  private final SharedTensor dO;
  private final SharedTensor dOColumns;
  private final SharedTensor dS;
  private final TiledUmma scores;
  private final TiledUmma probabilityGradients;
  private final TiledUmma queryGradients;
  private final TensorMemoryUmma keyGradients;
  private final TensorMemoryUmma valueGradients;

  BackwardGemms(Scope k, BackwardTiles tiles, BackwardMemory memory) {
    this.k = k;
    this.memory = memory;
    var config = tiles.config();
    key = tiles.key().shared();
    keyColumns = tiles.keyColumns().shared().as(config.partsOfK());
    value = transposed(config, tiles.value().shared());
    q = tiles.q().shared();
    qColumns = transposed(config, tiles.qColumns().shared());
    dO = tiles.dO().shared();
    dOColumns = transposed(config, tiles.dOColumns().shared());
    dS = tiles.dS().as(config.operandDS());
    var shape = config.shape();
    int keys = shape.keys();
    int queries = Sm100BackwardConfig.QUERIES;
    scores = TiledUmma.of(atom(config, keys, queries), key.layout(), q.layout());
    probabilityGradients = TiledUmma.of(atom(config, keys, queries), value.layout(), dO.layout());
    queryGradients = TiledUmma.of(atom(config, queries, shape.columnsOfDQ()), dS.layout(), keyColumns.layout());
    keyGradients = TensorMemoryUmma.of(atom(config, keys, shape.headDim()), qColumns.layout());
    valueGradients = TensorMemoryUmma.of(atom(config, keys, shape.valueDim()), dOColumns.layout());
  }

  private static UmmaAtom atom(Sm100BackwardConfig config, int m, int n) {
    return UmmaAtom.of(config.type(), m, n, config.shape().ctas());
  }

  private static SharedTensor transposed(Sm100BackwardConfig config, SharedTensor tile) {
    return tile.as(config.transposed(tile.layout()));
  }

  /** Sᵀ = K·Qᵀ, in the place of the last P. */
  void computeScores(I32 stage) {
    scores.multiply(k, memory.scores(), key.settled(), k.constant(0), q.settled(), stage, Pred.known(k, false));
  }

  /** dPᵀ = V·dOᵀ. */
  void computeProbabilityGradients(I32 stage) {
    probabilityGradients.multiply(k, memory.probabilityGradients(), value.settled(), k.constant(0), dO.settled(), stage,
        Pred.known(k, false));
  }

  /** dV += Pᵀ·dO. */
  void addToValueGradients(I32 stage, Pred more) {
    valueGradients.multiply(k, memory.dV(), BackwardMemory.rounded(memory.scores()), dOColumns.settled(), stage, more);
  }

  /** dK += dSᵀ·Q. */
  void addToKeyGradients(I32 stage, Pred more) {
    keyGradients.multiply(k, memory.dK(), BackwardMemory.rounded(memory.probabilityGradients()), qColumns.settled(),
        stage, more);
  }

  /** dQ = dS·K, or adds to it: a place of dS by a part of K's columns, or by the keys of a CTA. */
  void computeQueryGradients(I32 place, I32 part, Pred more) {
    queryGradients.multiply(k, memory.dQ(), dS.settled(), place, keyColumns.settled(), part, more);
  }
}
