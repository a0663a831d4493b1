package tilewright.verification.cases;

import tilewright.kernels.GemmProblem;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Setting;

/**
 * Estimates what cases cost, in milliseconds of one core: tracing, assembling and loading a kernel of its kind, then
 * simulating and checking its elements. The problem alone decides, so that the choice of a quick run is the same on
 * every machine. The factors are rounded from the CPU times of all cases on a 2.9 GHz x86 server.
 */
final class Price {
  private static final long SMALL_KERNEL = 25;
  private static final long GEMM_KERNEL = 150;
  private static final long ATTENTION_KERNEL = 250;
  /** Extents from which on a family's kernel is a GEMM or attention, which has thousands of instructions. */
  private static final int EXTENTS_OF_LARGE = 3;
  private static final long ELEMENTS_PER_MS = 2_000;
  private static final long PRODUCTS_PER_MS = 50_000;
  /** Queries and keys that attention computes at a time, at least. */
  private static final int TILE = 64;
  private static final int MS_PER_TILE = 8;

  private Price() {}

  /** A kernel that computes each of its elements by a few instructions. */
  static long elements(long count) {
    return SMALL_KERNEL + count / ELEMENTS_PER_MS;
  }

  static long products(long m, long n, long k, long batch) {
    return GEMM_KERNEL + m * n * k * batch / PRODUCTS_PER_MS;
  }

  /** A GEMM; of a large one only the rows that are compared. */
  static long of(GemmProblem p) {
    long rows = Math.min(p.m(), GemmCases.compared(p).length);
    return products(rows, p.n(), p.k(), p.batch());
  }

  static long of(AttentionProblem.Sizes s) {
    return attention(s, (long) s.heads() * Math.ceilDiv(s.queries(), TILE));
  }

  /** Attention, in which the heads of latent attention share tiles. */
  static long of(AttentionProblem p) {
    var s = p.sizes();
    return p.isLatent() ? attention(s, Math.ceilDiv((long) s.heads() * s.queries(), TILE)) : of(s);
  }

  private static long attention(AttentionProblem.Sizes s, long tilesOfRows) {
    return ATTENTION_KERNEL + MS_PER_TILE * s.batch() * tilesOfRows * Math.ceilDiv(s.keys(), TILE)
        * Math.ceilDiv(s.headDim(), TILE);
  }

  /** Attention's gradients: three kernels, and five products where the forward pass has two. */
  static long ofGradients(AttentionProblem.Sizes s) {
    return 2 * SMALL_KERNEL + (5 * of(s) + 1) / 2;
  }

  /** A family's kernel, by its extents: three or more are those of a GEMM or attention. */
  static long of(Family family, Choice choice) {
    long extents = family.settings().stream().filter(Setting::extent).count();
    return (extents < EXTENTS_OF_LARGE ? SMALL_KERNEL : GEMM_KERNEL) + family.elements(choice) / ELEMENTS_PER_MS;
  }
}
