package tilewright.sm90.attention;

import java.util.function.Function;
import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;

/**
 * A tile of Q or K of latent attention: the columns that meet V, and those with rotary positions, apart in shared
 * memory.
 *
 * @param latent the first columns of the tensor
 * @param rotary the others
 */
record LatentTile(TensorTile latent, TensorTile rotary) {

  static LatentTile ofQueries(Scope k, MlaConfig config) {
    int stride = config.packing().stride();
    return new LatentTile(
        TensorTile.interleaved(k, config.q(), k.shared(config.type(), config.layoutOfLatentQ()), stride),
        TensorTile.interleaved(k, config.q(), k.shared(config.type(), config.layoutOfRotaryQ()), stride));
  }

  static LatentTile ofKeys(Scope k, MlaConfig config) {
    var spec = config.tensors().k();
    return new LatentTile(TensorTile.inParts(k, spec, config.layoutOfLatentK(), 0, config.partOfBlock()),
        TensorTile.inParts(k, spec, config.layoutOfRotaryK(), 0, config.partOfBlock()));
  }

  /** Bytes of a stage. */
  int bytes() {
    return latent.bytes() + rotary.bytes();
  }

  /**
   * Fills a stage.
   *
   * @param coordinate where boxes begin, given their first column
   */
  void load(Scope k, I32 stage, Mbarrier landed, Function<I32, I32[]> coordinate) {
    latent.load(k, stage, landed, coordinate.apply(k.constant(0)));
    rotary.load(k, stage, landed, coordinate.apply(k.constant(latent.columns())));
  }

  /** Fills some rows of a stage. */
  void loadRows(Scope k, int first, int count, I32 stage, Mbarrier landed, Function<I32, I32[]> coordinate) {
    latent.loadPart(k, 0, first, count, stage, landed, coordinate.apply(k.constant(0)));
    rotary.loadPart(k, 0, first, count, stage, landed, coordinate.apply(k.constant(latent.columns())));
  }
}
