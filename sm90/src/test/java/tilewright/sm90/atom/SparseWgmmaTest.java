package tilewright.sm90.atom;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.kernel.Partition;
import tilewright.numerics.ElementType;

class SparseWgmmaTest {
  private static WgmmaAtom atom(ElementType type) {
    return new WgmmaAtom(type, 8).ofSparseA();
  }

  /**
   * PTX ISA, metadata of wgmma.sp for 16 bits and tf32: a thread has four chunks of row g in its word's lower half and
   * of row g+8 in the upper; threads 0 and 1 of four have one instruction's, which has eight, and 2 and 3 the next's.
   */
  @ParameterizedTest
  @EnumSource(names = {"F16", "BF16", "TF32"})
  void wordsOfTwoRowsAreWhatTheManualSays(ElementType type) {
    var layout = atom(type).metadata();
    for (int thread = 0; thread < 128; thread++) {
      for (int four = 0; four < 8; four++) {
        int row = thread / 32 * 16 + thread % 32 / 4 + four / 4 * 8;
        int chunk = thread % 4 / 2 * 8 + thread % 2 * 4 + four % 4;
        assertEquals(row + 64L * chunk, layout.apply(thread + 128L * four), "thread " + thread + " four " + four);
      }
    }
  }

  /** Metadata of 8-bit operands: a thread has eight of the sixteen chunks of an instruction, of row g or g+8. */
  @ParameterizedTest
  @EnumSource(names = {"E4M3", "E5M2", "I8"})
  void wordsOfOneRowAreWhatTheManualSays(ElementType type) {
    var layout = atom(type).metadata();
    for (int thread = 0; thread < 128; thread++) {
      for (int four = 0; four < 8; four++) {
        int row = thread / 32 * 16 + thread % 32 / 4 + thread % 2 * 8;
        int chunk = thread % 4 / 2 * 8 + four;
        assertEquals(row + 64L * chunk, layout.apply(thread + 128L * four), "thread " + thread + " four " + four);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"BF16, 32, 16, 64", "E4M3, 64, 32, 64", "I8, 64, 32, 64", "TF32, 16, 8, 32"})
  void everyChunkHasItsOwnBits(ElementType type, int depth, int stored, int metadataDepth) {
    var atom = atom(type);
    Partition.exact(atom.metadata(), WgmmaAtom.M, WgmmaAtom.METADATA_CHUNKS);
    assertEquals(depth, atom.depth());
    assertEquals(stored, atom.storedDepth());
    assertEquals(metadataDepth, atom.metadataDepth());
  }
}
