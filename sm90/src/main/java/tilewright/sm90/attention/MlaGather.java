package tilewright.sm90.attention;

import java.util.List;
import tilewright.async.atom.BulkCopy;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.Pipeline;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.collective.attention.AttentionTiles.Tile;
import tilewright.kernel.tiled.TiledCopy;

/**
 * The warpgroup that gathers the keys that queries choose, row by row, by {@code cp.async}. Each stage has warps of its
 * own, which wait for their copies: until both consumers are done with the stage there is nothing else to copy to it.
 *
 * @param keys (rows, columns, 1, pages) in global memory
 * @param parts of a block's columns in shared memory, (key, column, stage)
 * @param blocks the rings of the first of two blocks and of the second ones
 */
record MlaGather(Scope k, MlaConfig config, ChosenTokens tokens, GlobalTensor keys, MlaQueries queries,
    List<SharedTensor> parts, List<MlaMainloop.Block> blocks, I32 lane) {
  /** Threads that copy a stage. */
  private static final int THREADS = Warpgroup.SIZE / MlaConfig.STAGES;
  /** Bytes that a thread copies at a time, and of a row of a swizzled tile, along which threads lie. */
  private static final int BYTES = 16;
  private static final int ROW_BYTES = 128;

  void copy(Tile tile) {
    k.when(lane.equalTo(0), () -> queries.copy(tile));
    k.when(lane.lessThan(THREADS), () -> copyBlocks(tile, 0), () -> copyBlocks(tile, 1));
  }

  /** Fills a stage with every other block. */
  private void copyBlocks(Tile tile, int stage) {
    var visits = config.visits(tile);
    k.loop(visits.count().plus(1 - stage).dividedBy(2), pair -> {
      var block = visits.block().apply(pair.times(2).plus(stage)).settled();
      copyBlock(tile, tile.sequence().firstKeyOf(block, MlaConfig.KEYS), stage);
    });
  }

  private void copyBlock(Tile tile, I32 first, int stage) {
    var ring = blocks.get(stage);
    var member = lane.modulo(THREADS);
    var copy = copyOfPart();
    // Tokens are looked up while the stage is still in use.
    var noted = tokens.list().token(tile, first.plus(member));
    var places = tokens.list().places(tile, first, copy.rows(member, parts.getFirst()));
    ring.keys().awaitEmpty();
    tokens.noted().at(member, k.constant(stage)).store(noted);
    int column = 0;
    for (int part = 0; part < parts.size(); part++) {
      int from = column;
      copy.copy(member, keys, parts.get(part), k.constant(stage),
          (row, at) -> places.of(row).inRows(at.plus(from), k.constant(0)));
      column += config.partsOfColumns().get(part);
      if (part == 0) CpAsync.commit(k);
    }
    CpAsync.commit(k);
    signal(ring.keys(), 1);
    signal(ring.others(), 0);
    ring.keys().advance();
  }

  private TiledCopy copyOfPart() {
    int bytes = config.type().bytes();
    return TiledCopy.rowMajor(new CpAsync(k, BYTES / bytes, bytes), THREADS, ROW_BYTES / BYTES);
  }

  /** Says that a part of a stage is full, where the thread's newest groups of copies may be pending. */
  private void signal(Pipeline.Cursor part, int pending) {
    CpAsync.waitFor(k, pending);
    BulkCopy.publish(k);
    // One arrival for a warp: those of all threads would come one after the other.
    k.warpBarrier();
    k.when(lane.modulo(Warp.SIZE).equalTo(0), () -> part.full().arrive());
  }
}
