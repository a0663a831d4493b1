package tilewright.sm90.collective;

import java.util.stream.IntStream;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.numerics.ElementType;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * The parameters of C that are fixed when a Hopper GEMM is traced.
 *
 * @param epilogue the epilogue tree that yields C's elements
 * @param alongN whether C's neighbours run along n (else along m)
 * @param neighbours along n that the epilogue reads at once: 2 where that is aligned, else 1
 * @param copies which matrices tensor copies take to and from shared memory
 * @param stages of each warpgroup
 */
public record OutputForm(Epilogue epilogue, boolean alongN, int neighbours, Copies copies, int stages) {
  /** Stages of each warpgroup that copies empty: one is filled while they read another. */
  public static final int STAGES = 2;
  private static final int ROW_BYTES = 128;
  private static final int LEAST_ROW_BYTES = 16;

  /** The part that tensor copies have in the epilogue. */
  public enum Copies {
    /** Nothing: threads read and write matrices of any strides. */
    NONE,
    /** They store blocks of C whose rows are all of one group, and threads the others. */
    WHOLE_BLOCKS,
    /** They store C and what else is written, whose rows end where theirs do. */
    OUTPUTS,
    /** They bring what is read, whose neighbours run along the same mode, too. */
    ALL
  }

  /** Columns of a block that is stored at a time: as many as its widest elements allow. */
  int columns(ElementType type, int tileN) {
    int columns = ROW_BYTES / bytes(type).max().orElseThrow();
    while (tileN % columns != 0) columns /= 2;
    return columns;
  }

  /** Bytes of an element of C, and of each auxiliary output. */
  private IntStream bytes(ElementType type) {
    return IntStream.concat(IntStream.of(type.bytes()),
        epilogue.nodes(Epilogue.Stored.class).stream().mapToInt(s -> s.type().bytes()));
  }

  /** Whether rows of all blocks, of a C of a type, are long enough for tensor copies. */
  public boolean hasLongRows(ElementType type, int tileN) {
    return !alongN || columns(type, tileN) * bytes(type).min().orElseThrow() >= LEAST_ROW_BYTES;
  }

  /** Bytes of shared memory that a warpgroup's stages of auxiliary outputs, beside a C of a type, take. */
  public int auxiliaryBytes(ElementType type, int tileN) {
    return stages() * WgmmaAtom.M * columns(type, tileN) * bytes(type).skip(1).sum();
  }
}
