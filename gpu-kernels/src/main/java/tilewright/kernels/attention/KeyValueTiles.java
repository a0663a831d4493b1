package tilewright.kernels.attention;

import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.I32Variable;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.atom.CpAsync;
import tilewright.kernel.tiled.TiledCopy;

/** Tiles of keys and values on their way through shared memory, the last tile first. */
abstract sealed class KeyValueTiles {
  final Scope k;
  private final I32 thread;
  private final Operand keys;
  private final Operand values;

  /**
   * Keys or values of one head.
   *
   * @param along the mode that counts keys
   */
  record Operand(GlobalTensor global, int along, TiledCopy copy, SharedTensor tile) {
    private int width() {
      return Math.toIntExact(tile.layout().shape().mode(along).size());
    }

    /** @param covered whether the sequence surely has all of the tile */
    void copy(Scope k, I32 thread, I32 n, I32 stage, boolean covered) {
      var zero = k.constant(0);
      // Registers are short: one address a tile, from which the others are added up, and no pointer through the loop.
      var first = n.settled().times(width());
      var from = (along == 0 ? global.from(first, zero, zero, zero) : global.from(zero, first, zero, zero))
          .climbing(along, copy.step(along));
      copy.copy(thread.settled(), covered ? from.covered(along) : from, tile, stage, zero, zero);
    }
  }

  private KeyValueTiles(Scope k, I32 thread, Operand keys, Operand values) {
    this.k = k;
    this.thread = thread;
    this.keys = keys;
    this.values = values;
  }

  static KeyValueTiles of(Scope k, I32 thread, Operand keys, Operand values, int stages) {
    return stages == 1 ? new Alternating(k, thread, keys, values) : new DoubleBuffered(k, thread, keys, values);
  }

  SharedTensor keys() {
    return keys.tile;
  }

  SharedTensor values() {
    return values.tile;
  }

  /** Starts the copies of the tile that comes first. */
  abstract void begin(I32 last);

  /**
   * Waits for the keys of tile n, and copies on; {@code next} follows it where there is {@code more}.
   *
   * @param whole whether the sequence surely has all of tile n
   */
  abstract void awaitKeys(I32 n, boolean whole, I32 next, Pred more);

  /** Waits for the values of the tile, and copies on. */
  abstract void awaitValues(I32 next, Pred more);

  /** Where the present tile lies. */
  abstract I32 stage();

  final void copyKeys(I32 n, I32 stage, boolean covered) {
    keys.copy(k, thread, n, stage, covered);
  }

  final void copyValues(I32 n, I32 stage, boolean covered) {
    values.copy(k, thread, n, stage, covered);
  }

  /** What this thread started has landed, and what the others did too. */
  final void settle() {
    CpAsync.commit(k);
    CpAsync.waitFor(k, 0);
    k.barrier();
  }

  /** While one tile is worked on, both operands of the one before it are copied. */
  private static final class DoubleBuffered extends KeyValueTiles {
    private final I32Variable stage;

    DoubleBuffered(Scope k, I32 thread, Operand keys, Operand values) {
      super(k, thread, keys, values);
      stage = k.variable(k.constant(1), 1);
    }

    @Override
    void begin(I32 last) {
      copyKeys(last, k.constant(0), false);
      copyValues(last, k.constant(0), false);
    }

    @Override
    void awaitKeys(I32 n, boolean whole, I32 next, Pred more) {
      settle();
      var free = stage.value();
      k.when(more, () -> {
        copyKeys(next, free, true);
        copyValues(next, free, true);
      });
      stage.set(k.constant(1).minus(free));
    }

    @Override
    void awaitValues(I32 next, Pred more) {}

    @Override
    I32 stage() {
      return stage.value();
    }
  }

  /** Values are copied while scores are computed, the next keys while values are mixed (FlashAttention-2). */
  private static final class Alternating extends KeyValueTiles {
    Alternating(Scope k, I32 thread, Operand keys, Operand values) {
      super(k, thread, keys, values);
    }

    @Override
    void begin(I32 last) {
      copyKeys(last, k.constant(0), false);
    }

    @Override
    void awaitKeys(I32 n, boolean whole, I32 next, Pred more) {
      settle();
      copyValues(n, k.constant(0), whole);
    }

    @Override
    void awaitValues(I32 next, Pred more) {
      settle();
      k.when(more, () -> copyKeys(next, k.constant(0), true));
    }

    @Override
    I32 stage() {
      return k.constant(0);
    }
  }
}
