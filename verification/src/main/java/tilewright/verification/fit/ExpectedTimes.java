package tilewright.verification.fit;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tilewright.kernel.Matrix;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.choice.FormulaBatches;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.sm90.Sm90Gemms;
import tilewright.sm90.TileChoice;

/** The times that the Hopper GEMM's model expects of tiles, and what their correction depends on. */
final class ExpectedTimes {
  private static final List<String> NUMBERS = List.of("M", "N", "K", "L", "A_s", "B_s");

  private final List<TileChoice> choices;
  private final FormulaBatches formulas;

  /** A tile's time in microseconds; without features where it is not corrected. */
  record Expected(double microseconds, double[] features) {}

  /** Prepares the tiles for problems of the types and orders of one. */
  ExpectedTimes(GemmProblem like) {
    choices = Sm90Gemms.choices(like, EpilogueArguments.plain(like));
    formulas = new FormulaBatches(NUMBERS, choices.stream()
        .flatMap(choice -> Stream.concat(Stream.of(choice.microseconds()), choice.features().stream())).toList());
  }

  /** Whether these times are corrected. */
  boolean areCorrected() {
    return !choices.getFirst().features().isEmpty();
  }

  /** The expected times of tiles by name. */
  Map<String, Expected> of(GemmProblem p) {
    var values = formulas.values(p.m(), p.n(), p.k(), p.batch(), stride(p.a()), stride(p.b()));
    var all = new HashMap<String, Expected>();
    int at = 0;
    for (var choice : choices) {
      int end = at + 1 + choice.features().size();
      all.put(choice.tile(), new Expected(values[at], Arrays.copyOfRange(values, at + 1, end)));
      at = end;
    }
    return all;
  }

  private static double stride(Matrix matrix) {
    return matrix.isRowMajor() ? matrix.rowStride() : matrix.columnStride();
  }
}
