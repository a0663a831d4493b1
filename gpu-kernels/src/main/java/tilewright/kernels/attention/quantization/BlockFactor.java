package tilewright.kernels.attention.quantization;

import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Warp;
import tilewright.kernel.collective.ThreadGroup;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.HeadQuantizer;

/**
 * The factor of a CTA's rows, and what brings them to codes.
 *
 * @param inverse the multiplier of an element before it is rounded
 */
record BlockFactor(Scope k, F32 inverse) {

  /** The factors that a launch writes or reads: (B,H,N), N blocks of a sequence, or (B,H). */
  static TensorSpec factors(Scaling scaling) {
    return scaling == Scaling.BLOCK ? TensorSpec.of("Factor", ElementType.F32, "B", "H", "N")
        : TensorSpec.of("Factor", ElementType.F32, "B", "H");
  }

  static TensorSpec maxima() {
    return TensorSpec.of("Amax", ElementType.F32, "B", "H");
  }

  /** The tile of one CTA: a block of rows of a head. */
  record Tile(I32 batch, I32 head, I32 block) {
    /** The tile of a launch with heads in x, blocks in y and batch entries in z. */
    static Tile of(Scope k) {
      return new Tile(k.blockZ(), k.blockX(), k.blockY());
    }
  }

  /**
   * Finds the factor, and writes it where the caller does not give it. All threads take part.
   *
   * @param largest the largest finite magnitude of the thread's elements, if a block's decides
   * @param root √order of a Hadamard transform whose normalisation the factor carries
   */
  static BlockFactor of(Scope k, Scaling scaling, ElementType narrow, float divisor, float root, I32 thread,
      int threads, Tile tile, F32 largest) {
    var factors = k.global(factors(scaling));
    if (scaling == Scaling.GIVEN) {
      var place = factors.at(tile.batch, tile.head);
      var given = place.vectorOrZeros(1, place.inside()).values().getFirst();
      return new BlockFactor(k, k.constant(1f).dividedBy(given.times(root)));
    }
    var maximum = scaling == Scaling.BLOCK ? ofBlock(k, thread, threads, largest) : ofHead(k, tile);
    var tooSmall = maximum.lessThan(k.constant(HeadQuantizer.LEAST));
    var one = k.constant(1f);
    var place = scaling == Scaling.BLOCK ? factors.at(tile.batch, tile.head, tile.block)
        : factors.at(tile.batch, tile.head);
    var writes = thread.equalTo(0).and(place.inside());
    k.when(scaling == Scaling.BLOCK ? writes : writes.and(tile.block.equalTo(0)),
        () -> place.store(one.where(tooSmall, maximum.dividedBy(k.constant(divisor)))));
    var inverse = k.constant(HeadQuantizer.limit(narrow)).dividedBy(maximum);
    return new BlockFactor(k, one.where(tooSmall, inverse));
  }

  private static F32 ofHead(Scope k, Tile tile) {
    var place = k.global(maxima()).at(tile.batch, tile.head);
    return place.vectorOrZeros(1, place.inside()).values().getFirst();
  }

  /** The largest of all threads' values, by shuffles in a warp and shared memory between warps. */
  static F32 ofBlock(Scope k, I32 thread, int threads, F32 mine) {
    var ofWarp = new ThreadGroup(k, thread, threads, Warp.SIZE).max(mine);
    int warps = threads / Warp.SIZE;
    if (warps == 1) return ofWarp;
    var maxima = k.shared("maxima", ElementType.F32, Layout.of(warps, 1));
    k.when(thread.modulo(Warp.SIZE).equalTo(0), () -> maxima.at(thread.dividedBy(Warp.SIZE)).store(ofWarp));
    k.barrier();
    return IntStream.range(0, warps).mapToObj(warp -> maxima.at(k.constant(warp)).load()).reduce(F32::max)
        .orElseThrow();
  }

  /** Stores a thread's codes. */
  interface Stores {
    /**
     * Traces the stores.
     *
     * @param scaled multiplies an element, for the conversion to round
     * @param plain whether this is the path of threads without exceptions
     */
    void trace(UnaryOperator<F32> scaled, boolean plain);
  }

  /**
   * Traces the stores of codes twice: plainly, and with an infinity becoming NaN, where the conversion alone would
   * saturate it.
   *
   * @param plain whether all of the thread's elements are finite numbers
   */
  void store(Pred plain, Stores stores) {
    // A multiplier of each branch, so that products are computed in that branch only.
    k.when(plain, () -> {
      var here = inverse.settled();
      stores.trace(here::times, true);
    }, () -> {
      var here = inverse.settled();
      var most = k.constant(Float.MAX_VALUE).settled();
      var nan = k.constant(Float.NaN);
      stores.trace(value -> value.times(here).where(value.magnitude().atMost(most), nan), false);
    });
  }
}
