package tilewright.kernels.attention.decoding;

import java.util.Optional;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.collective.attention.AttentionTiles;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.kernel.tiled.TiledCopy;
import tilewright.kernels.attention.AttentionSpecs;

/**
 * Keys and values in global memory, and their copies to the stages of a group's threads.
 *
 * @param values where they are no part of the keys
 * @param copyK of a group's keys of a block; likewise {@code copyV}
 * @param lengths keys of each entry, where the launch reads them; {@code padding} rows before them
 * @param pages where an entry's keys lie in some
 * @param tokens where queries have chosen them
 */
record KeyCache(Scope k, DecodeConfig config, GlobalTensor keys, Optional<GlobalTensor> values, TiledCopy copyK,
    TiledCopy copyV, Optional<GlobalTensor> lengths, Optional<GlobalTensor> padding, Optional<PageTable> pages,
    Optional<TokenList> tokens) {
  /** Bytes of a swizzled tile's row, along which threads lie. */
  private static final int ROW_BYTES = 128;

  static KeyCache of(Scope k, DecodeConfig config) {
    var shape = config.shape();
    int bytes = config.cache().bytes();
    var atom = new CpAsync(k, config.vector(), bytes);
    int along = Math.min(Integer.lowestOneBit(shape.dim()), ROW_BYTES / bytes) / config.vector();
    return new KeyCache(k, config, k.global(config.k()),
        config.latent() ? Optional.empty() : Optional.of(k.global(config.v())),
        TiledCopy.rowMajor(atom, shape.threadsOfGroup(), along),
        TiledCopy.columnMajor(atom, shape.threadsOfGroup(), along),
        config.lengths() ? Optional.of(k.global(AttentionSpecs.keyLengths())) : Optional.empty(),
        config.padding() ? Optional.of(k.global(AttentionSpecs.keyPadding())) : Optional.empty(),
        config.pageRows().filter(_ -> !config.gathers()).map(rows -> PageTable.of(k, rows)),
        config.pageRows().filter(_ -> config.gathers()).map(rows -> TokenList.of(k, rows)));
  }

  /** Heads of keys. */
  I32 heads() {
    return keys.extent(2);
  }

  /** The rows of a batch entry's keys, counted from the entry's first. */
  SeqlenInfo sequence(I32 queries, I32 entry) {
    var room = k.constant(0).parameter(DecodeLaunches.ROOM);
    return lengths.map(used -> SeqlenInfo.used(queries, k.constant(0), room, used, padding, entry))
        .orElseGet(() -> SeqlenInfo.fixed(queries, room));
  }

  /**
   * Finds the places of a group's keys of a block, where these lie in pages or are chosen.
   *
   * @param member the thread's number in its group
   * @param firstKey of the group's keys, a multiple of their number
   * @param to the stages of K
   */
  Optional<RowPlaces> places(AttentionTiles.Tile tile, I32 member, I32 firstKey, SharedTensor to) {
    return pages.map(table -> table.places(tile, firstKey, config.shape().keys(), copyK.rows(member, to)))
        .or(() -> tokens.map(list -> list.places(tile, firstKey, copyK.rows(member, to))));
  }

  /**
   * Starts the copies of a group's keys and values of a block; rows behind the last key become zero.
   *
   * @param member the thread's number in its group
   */
  void copy(AttentionTiles.Tile tile, I32 member, I32 firstKey, Optional<RowPlaces> places, SharedTensor toK,
      SharedTensor toV, I32 stage) {
    var zero = k.constant(0);
    if (places.isPresent()) {
      copyK.copy(member, keys, toK, stage, (row, column) -> places.get().of(row).inRows(column, tile.headOfKeys()));
      values.ifPresent(all -> copyV.copy(member, all, toV, stage,
          (column, row) -> places.get().of(row).inColumns(column, tile.headOfKeys())));
      return;
    }
    var first = tile.sequence().firstKey();
    var count = tile.sequence().keys();
    copyK.copy(member, head(keys, tile).part(0, first, count).from(firstKey, zero, zero, zero), toK, stage, zero, zero);
    values.ifPresent(all -> copyV.copy(member, head(all, tile).part(1, first, count).from(zero, firstKey, zero, zero),
        toV, stage, zero, zero));
  }

  /**
   * Starts the copies of the factors of a group's tokens of a block, 0 behind the last key.
   *
   * @param member the thread's number in its group; one copies a factor of K, another that of V
   * @param to (tokens, of K or V, stages)
   */
  void copyFactors(CodeFactors factors, AttentionTiles.Tile tile, I32 member, I32 firstKey,
      Optional<RowPlaces> places, SharedTensor to, I32 stage) {
    int tokens = config.shape().keys();
    var row = member.modulo(tokens).settled();
    var ofValue = member.dividedBy(tokens);
    var coordinate = place(tile, firstKey, places, row);
    for (int operand = 0; operand < 2; operand++) {
      var all = operand == 0 ? factors.ofKeys() : factors.ofValues();
      new CpAsync(k, 1, Float.BYTES).where(ofValue.equalTo(operand))
          .copy(sequence(all, tile), coordinate, to.at(row, k.constant(operand), stage));
    }
  }

  /** The place of a row's factors, behind all of them where there is no such key. */
  private I32[] place(AttentionTiles.Tile tile, I32 firstKey, Optional<RowPlaces> places, I32 row) {
    return places.map(all -> all.of(row))
        .map(place -> new I32[] {place.row(), tile.headOfKeys(), place.page()})
        .orElseGet(() -> new I32[] {firstKey.plus(row), tile.headOfKeys(), tile.batch()});
  }

  /** The factors of a tile's sequence: (rows, heads, batch entries), or of all pages. */
  private GlobalTensor sequence(GlobalTensor factors, AttentionTiles.Tile tile) {
    return pages.isPresent() ? factors : factors.part(0, tile.sequence().firstKey(), tile.sequence().keys());
  }

  private GlobalTensor head(GlobalTensor whole, AttentionTiles.Tile tile) {
    var zero = k.constant(0);
    return whole.from(zero, zero, tile.headOfKeys(), tile.batch()).covered(2).covered(3);
  }
}
