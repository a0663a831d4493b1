package tilewright.kernels.attention;

import java.util.function.IntFunction;
import tilewright.kernel.I32;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.kernel.tiled.TiledMma;

/**
 * The scales of blocks of Q, K and V, and the instruction that multiplies by them. Those of K and V come to shared
 * memory in the stages of their operands. Instances are part of a kernel's configuration, and equal where they make the
 * same kernel.
 */
public interface BlockScales {

  /** Gives the scales of a problem to a launch. */
  void giveTo(LaunchArguments arguments, AttentionProblem problem);

  /** The scales of a CTA's tile. */
  OfTile of(Scope k, I32 thread, Place place);

  /**
   * A tile of queries.
   *
   * @param firstRow its first row, counted from the sequence's begin
   * @param head of Q, the first one of those that are packed
   * @param batch entry, or the number of the packed sequence
   * @param entry of the tensors: 0 where sequences are packed
   */
  record Place(I32 firstRow, I32 head, I32 headOfKeys, I32 batch, I32 entry, SeqlenInfo sequence) {}

  /** The scales of a tile of queries and of the blocks of keys that it sees. */
  interface OfTile {
    /** Starts the copies of the scales of K for block {@code n} of keys; they land with those of K. */
    void copyKeys(I32 n, I32 stage);

    /** Starts the copies of the scales of V for block {@code n} of keys; they land with those of V. */
    void copyValues(I32 n, I32 stage);

    /** Turns to block {@code n} of keys. */
    void begin(I32 n);

    /** The multiplications of the slices of S = Q·Kᵀ, in their order, by the present block's scales at a stage. */
    IntFunction<TiledMma.Multiply> scores(I32 stage);

    /** The multiplications of the slices of O += P·V, in their order, by the present block's scales at a stage. */
    IntFunction<TiledMma.Multiply> output(I32 stage);
  }
}
