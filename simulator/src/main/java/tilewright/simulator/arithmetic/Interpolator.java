package tilewright.simulator.arithmetic;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Quadratic interpolation in fixed point, as the special function unit does it: the upper bits of an operand choose a
 * segment, the 17 below are the way into it. Structure: Oberman and Siu, A High-Performance Area-Efficient
 * Multifunction Interpolator, ARITH 2005, and envytools' description of the G80. Coefficients: solved as systems of
 * inequalities from an H200's results on every significand (of tanh outside 0.5 to 2 on every 64th); each segment has
 * one solution.
 */
final class Interpolator {
  static final int REST = 17;
  private static final int COEFFICIENTS = 3;
  private static final char[] SQUARES = squares();
  private final long[] table;

  private Interpolator(long[] table) {
    this.table = table;
  }

  /** A function's segments from the resource: the function's name and their number, then a line each. */
  static Interpolator of(String function) {
    var resource = "special-functions.txt";
    try (var lines = new BufferedReader(new InputStreamReader(Interpolator.class.getResourceAsStream(resource),
        StandardCharsets.US_ASCII))) {
      for (var line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.startsWith(function + " ")) continue;
        int segments = Integer.parseInt(line.substring(function.length() + 1));
        var table = new long[COEFFICIENTS * segments];
        for (int i = 0; i < segments; i++) {
          var numbers = lines.readLine().split(" ");
          for (int k = 0; k < COEFFICIENTS; k++) table[COEFFICIENTS * i + k] = Long.parseLong(numbers[k]);
        }
        return new Interpolator(table);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw new IllegalArgumentException("no coefficients of " + function + " in " + resource);
  }

  /** The value so far into a segment, in units of the function's own. */
  long at(int segment, int rest) {
    int i = COEFFICIENTS * segment;
    return table[i] + table[i + 1] * rest + table[i + 2] * SQUARES[rest];
  }

  /** A square's upper bits: each partial product is cut before they are added, so that carries from below are lost. */
  private static char[] squares() {
    var squares = new char[1 << REST];
    for (int x = 0; x < squares.length; x++) {
      int sum = 0;
      for (int bits = x; bits != 0; bits &= bits - 1) sum += x >> REST + 1 - Integer.numberOfTrailingZeros(bits);
      squares[x] = (char) (sum >> 1);
    }
    return squares;
  }
}
