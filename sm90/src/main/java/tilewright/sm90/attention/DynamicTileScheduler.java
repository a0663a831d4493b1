package tilewright.sm90.attention;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import tilewright.async.collective.Pipeline;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.attention.AttentionTileScheduler.Tile;
import tilewright.kernel.collective.attention.AttentionTileScheduler;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * A dynamic persistent scheduler: CTAs draw tiles one by one, so that none waits for another. The producer draws, and
 * hands the tile to the consumers through shared memory (FlashAttention-3, DynamicPersistentTileScheduler). The counter
 * in global memory is zero before a launch, and again after it.
 */
final class DynamicTileScheduler {
  private static final int STAGES = 2;
  private static final int MOST = 1 << 30;
  private static final int FIELDS = 3;

  private final Scope k;
  private final GlobalTensor counter;
  private final SharedTensor drawn;
  private final Pipeline ring;
  private final AttentionTileScheduler order;
  private final Slots slots;

  private DynamicTileScheduler(Scope k, GlobalTensor counter, SharedTensor drawn, Pipeline ring,
      AttentionTileScheduler order, Slots slots) {
    this.k = k;
    this.counter = counter;
    this.drawn = drawn;
    this.ring = ring;
    this.order = order;
    this.slots = slots;
  }

  /** Meaning of the places of the order, some of which may be of tiles that do not exist. */
  interface Slots {
    /** A tile at each place. */
    Slots ALL = new Slots() {};

    /** The tile at a place. */
    default Tile tile(Tile place) {
      return place;
    }

    /** Whether there is such a tile. */
    default Pred exists(Tile tile) {
      return tile.number().atLeast(0);
    }

    /** Action of the producer where there is none. */
    default void pass(Tile missing) {}
  }

  /** The counter that a launch gives. */
  static TensorSpec counter() {
    return TensorSpec.of(Sm90AttentionKernel.COUNTER, ElementType.I32, "ONE").contiguous("ONE").fixed("ONE", 1);
  }

  /**
   * @param first true for the thread that initialises barriers; one for all threads follows
   * @param warps that consume
   * @param order of all tiles, or of the slots of packed sequences
   */
  static DynamicTileScheduler of(Scope k, Pred first, int warps, AttentionTileScheduler order, Slots slots) {
    return new DynamicTileScheduler(k, k.global(counter()),
        k.shared(ElementType.I32, Layout.columnMajor(FIELDS, STAGES)), Pipeline.ring(k, STAGES, first, 1, warps), order,
        slots);
  }

  /** One thread draws this CTA's tiles. */
  void produce(Consumer<Tile> body) {
    var slot = ring.producer();
    var next = k.variable(k.blockX(), MOST);
    var count = order.count();
    k.repeatUntil(() -> {
      var index = next.value().settled();
      var exists = index.lessThan(count);
      k.when(exists, () -> {
        var drawnTile = slots.tile(order.tile(index));
        var tile = new Tile(drawnTile.number().settled(), drawnTile.head().settled(), drawnTile.batch().settled());
        var real = slots.exists(tile);
        k.when(real, () -> publish(slot, List.of(tile.number(), tile.head(), tile.batch())));
        // Drawn before the work, so that it has come by its end.
        var ticket = counter.at(k.constant(0)).drawTicket(count, MOST);
        k.when(real, () -> body.accept(tile), () -> slots.pass(tile));
        next.set(ticket.plus(k.gridX()));
      }, () -> publish(slot, List.of(k.constant(MOST), k.constant(0), k.constant(0))));
      return exists.not();
    });
  }

  private void publish(Pipeline.Cursor slot, List<I32> fields) {
    slot.awaitEmpty();
    for (int i = 0; i < fields.size(); i++) drawn.at(k.constant(i), slot.stage()).store(fields.get(i));
    slot.full().arrive();
    slot.advance();
  }

  /**
   * The place at which a consumer takes the tiles that were drawn; all its threads declare it.
   *
   * @param lane the thread's number in its warp
   */
  Taker taker(I32 lane) {
    return new Taker(lane);
  }

  /** The tile that a consumer has, and the one that it takes next. */
  final class Taker {
    private final I32 lane;
    private final Pipeline.Cursor slot = ring.consumer();
    private final List<I32.Variable> fields =
        IntStream.range(0, FIELDS).mapToObj(i -> k.variable(k.constant(0), MOST)).toList();

    private Taker(I32 lane) {
      this.lane = lane;
    }

    /** Waits for the next tile. */
    Tile take() {
      slot.awaitFull();
      var values = WarpRead.of(k, lane, MOST, IntStream.range(0, FIELDS)
          .<Supplier<I32>>mapToObj(i -> () -> drawn.at(k.constant(i), slot.stage()).loadInteger(MOST)).toList());
      slot.releaseAndAdvance(lane);
      return new Tile(values.get(0), values.get(1), values.get(2));
    }

    /** Whether a tile that was taken is one; else there are no more. */
    Pred exists(Tile tile) {
      return tile.number().lessThan(MOST);
    }

    /** Makes a tile the present one. */
    void set(Tile tile) {
      fields.get(0).set(tile.number());
      fields.get(1).set(tile.head());
      fields.get(2).set(tile.batch());
    }

    Tile present() {
      return new Tile(fields.get(0).value(), fields.get(1).value(), fields.get(2).value());
    }
  }
}
