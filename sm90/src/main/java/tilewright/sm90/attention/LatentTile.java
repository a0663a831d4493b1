package tilewright.sm90.attention;

import java.util.List;
import java.util.function.Function;
import tilewright.async.atom.Mbarrier;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;

/**
 * A tile of Q or K of latent attention, whose columns lie in parts in shared memory: the shares of V of the warpgroups,
 * and the columns with rotary positions.
 */
record LatentTile(List<TensorTile> parts) {

  static LatentTile ofQueries(Scope k, MlaConfig config) {
    return new LatentTile(config.partsOfColumns().stream().map(columns -> TensorTile.interleaved(k, config.q(),
        k.shared(config.type(), config.layoutOfQ(columns)), config.packing().stride())).toList());
  }

  static LatentTile ofKeys(Scope k, MlaConfig config) {
    return new LatentTile(config.partsOfColumns().stream().map(columns -> TensorTile.inParts(k, config.tensors().k(),
        config.layoutOfK(columns), 0, config.partOfBlock())).toList());
  }

  /** The parts in shared memory. */
  List<SharedTensor> shared() {
    return parts.stream().map(TensorTile::shared).toList();
  }

  /** Bytes of a stage of the parts from {@code first} to before {@code end}. */
  int bytes(int first, int end) {
    return parts.subList(first, end).stream().mapToInt(TensorTile::bytes).sum();
  }

  /** Bytes of a stage. */
  int bytes() {
    return bytes(0, parts.size());
  }

  /** The copy of some columns. */
  @FunctionalInterface
  interface Copy {
    void copy(TensorTile part, I32... coordinate);
  }

  /**
   * Copies parts of the columns, from {@code first} to before {@code end}.
   *
   * @param coordinate where boxes begin, given their first column
   */
  void forEachPart(Scope k, int first, int end, Function<I32, I32[]> coordinate, Copy copy) {
    for (int part = first; part < end; part++) {
      copy.copy(parts.get(part), coordinate.apply(k.constant(firstColumn(part))));
    }
  }

  private int firstColumn(int part) {
    return parts.subList(0, part).stream().mapToInt(TensorTile::columns).sum();
  }

  /** Fills a stage. */
  void load(Scope k, I32 stage, Mbarrier landed, Function<I32, I32[]> coordinate) {
    forEachPart(k, 0, parts.size(), coordinate, (part, at) -> part.load(k, stage, landed, at));
  }
}
