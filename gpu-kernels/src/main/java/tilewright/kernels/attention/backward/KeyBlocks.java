package tilewright.kernels.attention.backward;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntFunction;
import tilewright.kernel.I32;
import tilewright.kernel.collective.attention.AttentionTileScheduler;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.PackedTiles;
import tilewright.kernel.collective.attention.QueryBlocks;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.kernels.attention.TileList;

/**
 * The blocks of keys of all heads, one for each CTA, in the order of the launch.
 *
 * @param queries tiles of queries, which the blocks add to
 * @param heads of Q
 * @param keys of a batch entry, where no sequences are packed
 * @param scheduler order of the blocks
 * @param packed slots of the blocks, where sequences are packed
 */
public record KeyBlocks(QueryTiles queries, Plan plan, I32 heads, I32 keys, AttentionTileScheduler scheduler,
    Optional<PackedTiles> packed) {

  /**
   * The parameters that are fixed when a kernel is traced.
   *
   * @param band keys that a query sees, by distance
   * @param keys of a block
   * @param headsTogether heads of K whose blocks run side by side; absent where the launch says how many
   * @param lastFirst whether the last block of a head is launched first
   * @param lists whether tiles of queries come from lists
   */
  public record Plan(Band band, int keys, OptionalInt headsTogether, boolean lastFirst, boolean lists) {}

  /**
   * Creates the blocks of a launch, with their sequences' lengths {@code cuK} if those of queries are packed.
   *
   * @param heads of Q
   * @param key mode → extent of K, whose modes are (keys, D, heads of K, batch)
   */
  public static KeyBlocks of(QueryTiles queries, Plan plan, I32 heads, IntFunction<I32> key) {
    var k = queries.k();
    var packed = queries.packed().map(_ -> new PackedTiles(k.global(AttentionSpecs.lengths("cuK")), plan.keys));
    var perHead = packed.map(PackedTiles::slots).orElseGet(() -> key.apply(0).ceilDiv(plan.keys));
    var entries = packed.isPresent() ? k.constant(1) : key.apply(3);
    var together = plan.headsTogether.isPresent() ? k.constant(plan.headsTogether.getAsInt())
        : perHead.parameter(AttentionTileScheduler.HEADS_TOGETHER);
    var scheduler = new AttentionTileScheduler(perHead, key.apply(2), entries, together, plan.lastFirst);
    return new KeyBlocks(queries, plan, heads, key.apply(0), scheduler, packed);
  }

  /** The number of blocks, and of slots without one where sequences are packed. */
  public I32 count() {
    return scheduler.count();
  }

  /** The block of a CTA: of packed sequences, perhaps one that {@linkplain KeyBlock#exists does not exist}. */
  public KeyBlock block(I32 cta) {
    var slot = scheduler.tile(cta);
    var tile = packed.map(blocks -> blocks.tile(queries.k(), slot)).orElse(slot);
    var sequence = packed.map(blocks -> SeqlenInfo.packed(queries.packed().orElseThrow().lengths(), blocks.lengths(),
        tile.batch())).orElseGet(() -> SeqlenInfo.fixed(queries.queries(), keys));
    // Settled: one register rather than those that it comes from.
    var number = tile.number().settled();
    var firstKey = number.times(plan.keys).settled();
    var head = tile.head().settled();
    var sharers = heads.dividedBy(scheduler.heads()).settled();
    return new KeyBlock(queries.k(), number, firstKey, head, sharers, tile.batch().settled(), sequence,
        QueryBlocks.of(plan.band, sequence, firstKey, queries.tileM(), plan.keys),
        plan.lists ? Optional.of(list(slot, number, head, tile.batch())) : Optional.empty());
  }

  /** The list of a block, which is at its slot where sequences are packed. */
  private TileList list(AttentionTileScheduler.Tile slot, I32 number, I32 head, I32 batch) {
    return packed.isPresent() ? TileList.of(queries.k(), slot.number().settled(), head, queries.k().constant(0))
        : TileList.of(queries.k(), number, head, batch.settled());
  }
}
