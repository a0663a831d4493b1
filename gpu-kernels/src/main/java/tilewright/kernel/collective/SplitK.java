package tilewright.kernel.collective;

import java.util.List;
import tilewright.kernel.Element;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Vector;
import tilewright.kernel.tiled.Fragment;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.PtxType;

/**
 * Divides k among the CTAs of a tile, which are neighbours in the grid's second dimension (split-K). Each leaves its
 * accumulators in the workspace "partials". Whichever draws the tile's last ticket adds all of them, in the order of k,
 * so that every run has the same bits, and finishes the tile. "tickets" are 0 before the launch and 0 again after it.
 *
 * @param partials (four, thread, quad, split, x, z), column-major
 * @param tickets (x, z)
 */
public record SplitK(Scope k, int splits, GlobalTensor partials, GlobalTensor tickets) {
  private static final String PARTIALS = "partials";
  private static final String TICKETS = "tickets";
  /** Accumulators that move together: 16 bytes. */
  private static final int QUAD = 4;
  /** Quads that a thread reads at a time: beside its accumulators, more take too many registers. */
  private static final int UNDER_WAY = 16;

  /** The part of k that a CTA sums. */
  public record Slice(I32 first, I32 extent) {}

  /**
   * Declares the workspace.
   *
   * @param threads of a CTA
   * @param quads accumulators of a thread, in fours
   */
  public static SplitK of(Scope k, int splits, int threads, int quads) {
    var spec = TensorSpec.of(PARTIALS, ElementType.F32, "four", "thread", "quad", "split", "x", "z")
        .contiguous("four").aligned(QUAD);
    var tile = tile(splits, threads, quads);
    for (int mode = 0; mode < tile.rank(); mode++) {
      var name = spec.extents().get(mode);
      spec = spec.fixed(name, Math.toIntExact(tile.mode(mode).size()));
      if (mode > 0) spec = spec.stride(name, tile.mode(mode).stride().leaves().sum());
    }
    return new SplitK(k, splits, k.global(spec.stride("x", tile.size())),
        k.global(TensorSpec.of(TICKETS, ElementType.I32, "x", "z").contiguous("x")));
  }

  private static Layout tile(int splits, int threads, int quads) {
    return Layout.columnMajor(QUAD, threads, quads, splits);
  }

  /** The memory that a launch needs whose grid has this many tiles in x, and batch entries in z. */
  public static List<PreparedLaunch.Scratch> scratch(int splits, int threads, int quads, int tiles, int batch) {
    int x = Math.max(1, tiles);
    int z = Math.max(1, batch);
    return List.of(
        new PreparedLaunch.Scratch(PARTIALS, ElementType.F32, Layout.columnMajor(QUAD, threads, quads, splits, x, z)),
        new PreparedLaunch.Scratch(TICKETS, ElementType.I32, Layout.columnMajor(x, z)));
  }

  /** The parts that k is really divided into: equal ones of whole tiles, none of which is empty. */
  public static int parts(int extent, int tileK, int splits) {
    int tiles = Math.ceilDiv(extent, tileK);
    return tiles == 0 ? 1 : Math.ceilDiv(tiles, Math.ceilDiv(tiles, splits));
  }

  /** This CTA's part of k, in whole tiles, of which the last may reach beyond k. */
  public Slice slice(I32 extent, int tileK) {
    var tiles = extent.ceilDiv(tileK);
    var each = tiles.ceilDiv(splits);
    var first = k.blockY().times(each);
    return new Slice(first.times(tileK), tiles.minus(first).max(0).min(each).times(tileK));
  }

  /** Adds up what the CTAs of a tile have, and finishes it in the last one. */
  public void complete(I32 thread, Fragment accumulators, Runnable finish) {
    var drawn = k.shared(ElementType.I32, Layout.of(1, 1)).at(k.constant(0));
    for (int quad = 0; quad < accumulators.groups().size(); quad++) {
      place(thread, quad, k.blockY()).store(Vector.packed(k, ElementType.F32, accumulators.group(quad)));
    }
    k.barrier();
    k.when(thread.equalTo(0), () -> drawn.store(tickets.at(k.blockX(), k.blockZ()).drawTicket(splits)));
    k.barrier();
    k.when(drawn.loadInteger(splits - 1).equalTo(splits - 1), () -> {
      accumulators.clear(k, PtxType.F32);
      int quads = accumulators.groups().size();
      for (int from = 0; from < quads; from += UNDER_WAY) {
        int first = from;
        int end = Math.min(quads, from + UNDER_WAY);
        k.loop(k.constant(splits), split -> add(thread, split, accumulators, first, end));
      }
      finish.run();
    });
  }

  private void add(I32 thread, I32 split, Fragment accumulators, int first, int end) {
    for (int quad = first; quad < end; quad++) {
      var others = place(thread, quad, split).vector(QUAD).registers();
      for (int i = 0; i < QUAD; i++) {
        var sum = accumulators.group(quad).get(i);
        k.emit("add.rn.f32", sum, sum, others.get(i));
      }
    }
  }

  private Element place(I32 thread, int quad, I32 split) {
    return partials.at(k.constant(0), thread, k.constant(quad), split, k.blockX(), k.blockZ());
  }
}
