package tilewright.verification.golden;

import java.util.Optional;
import tilewright.kernel.atom.LdMatrix;
import tilewright.kernel.atom.MmaAtom;
import tilewright.layout.Layout;

/** Judges that our {@code ldmatrix} atoms hand each lane the elements that {@code mma} takes from it. */
final class LoadMatrixJudge {
  private static final int ROW_BITS = 128;
  private static final int ELEMENT_BITS = 16;

  private LoadMatrixJudge() {}

  /** The first element that an instruction of ours hands to another lane or register than the record's. */
  static Optional<String> fault(GoldenRecord golden) {
    var name = golden.text("name").orElseThrow();
    var bits = Layout.parse(golden.text("DstLayout").orElseThrow());
    return switch (name) {
      case "SM75_U32x4_LDSM_N" -> fault(bits, LdMatrix.A_K_MAJOR, false)
          .or(() -> fault(bits, LdMatrix.B_K_MAJOR, true));
      case "SM75_U16x8_LDSM_T" -> fault(bits, LdMatrix.A_M_MAJOR, false)
          .or(() -> fault(bits, LdMatrix.B_N_MAJOR, true));
      default -> Optional.empty();
    };
  }

  private static Optional<String> fault(Layout bits, LdMatrix atom, boolean twoOfB) {
    for (int lane = 0; lane < 32; lane++) {
      for (int value = 0; value < 8; value++) {
        long bit = bits.apply(lane + 32L * ELEMENT_BITS * value);
        long neighbour = bit % ROW_BITS / ELEMENT_BITS;
        // The tile is 16×16, column-major: neighbours along its first mode when transposed, along k otherwise.
        long loaded = atom.lanes().apply(bit / ROW_BITS) + (atom.transposed() ? neighbour : 16 * neighbour);
        if (loaded != wanted(lane, value, twoOfB)) {
          return Optional.of(atom + ": lane " + lane + " value " + value + " at " + wanted(lane, value, twoOfB)
              + ", not " + loaded);
        }
      }
    }
    return Optional.empty();
  }

  /** The place in the 16×16 tile of a value of A, or of two neighbouring fragments of B. */
  private static long wanted(int lane, int value, boolean twoOfB) {
    if (!twoOfB) return MmaAtom.A.apply(lane + 32L * value);
    long inTile = MmaAtom.B.apply(lane + 32L * (value % 4));
    return inTile % 8 + 8 * (value / 4) + 16 * (inTile / 8);
  }
}
