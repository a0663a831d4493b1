package tilewright.kernels.peer;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import tilewright.kernel.Element;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.numerics.ElementType;

/** The tiles in which blocks take vectors of FP32 numbers: four neighbours per thread, in one access. */
final class Tiles {
  static final int VECTOR = 4;
  static final Partition THREADS = Partition.runs(128, VECTOR, 1);
  static final int SIZE = THREADS.size();
  private static final List<Integer> SHAPE = List.of(SIZE);
  private static final List<Integer> ROW = List.of(1, SIZE);

  private Tiles() {}

  /** The specification of a tensor whose last mode is contiguous. */
  static TensorSpec of(String name, String... extents) {
    return TensorSpec.of(name, ElementType.F32, extents).contiguous(extents[extents.length - 1]).aligned(VECTOR);
  }

  /** A vector whose extent is a multiple of four, so that accesses cover it. */
  static GlobalTensor vector(Scope k, String name, String extent) {
    return k.global(of(name, extent).multipleOf(extent, VECTOR));
  }

  /** Runs the body for the tiles of a vector that are this block's. */
  static void each(Scope k, I32 numbers, Consumer<I32> body) {
    k.loop(k.blockX(), numbers.ceilDiv(SIZE), k.gridX(), body);
  }

  /** The numbers of a tile that are this thread's, where they lie in the vector. */
  record Part(Element first) {
    Part(GlobalTensor vector, I32 tile, I32 thread) {
      this(vector.tile(SHAPE, tile).at(THREADS.coordinate(thread, 0)));
    }

    /** The part of a row of a matrix. */
    static Part ofRow(GlobalTensor matrix, int row, I32 tile, I32 thread) {
      return new Part(matrix.tile(ROW, thread.constant(row), tile).at(thread.constant(0),
          THREADS.coordinate(thread, 0)[0]));
    }

    /** Copies them to a slot, bits unchanged. */
    void copyTo(Element slot) {
      first.copyTo(slot, VECTOR, Optional.of(first.inside()));
    }

    /** Copies a slot to them, bits unchanged. */
    void copyFrom(Element slot) {
      slot.copyTo(first, VECTOR, Optional.of(first.inside()));
    }

    void store(Scope k, List<F32> values) {
      k.when(first.inside(), () -> first.store(values));
    }
  }
}
