package tilewright.verification.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Shapes of matrix products drawn at random, each extent as likely to lie in a range as in that of its doubles: what
 * nobody has tuned for. N and K are multiples of 8 from 512 to 16376; M is any number below 512 where A has its rows
 * along K, and a multiple of 8 otherwise. Products of more than 10¹² operations are left out.
 *
 * @param rows the least M, and the most
 * @param across whether A's neighbours run along M
 */
public record GemmDraw(long seed, Range rows, boolean across) {
  private static final Range EXTENTS = new Range(512, 16383);
  private static final int STEP = 8;
  /** The least M that is always a multiple of the step. */
  private static final int LARGE = 512;
  private static final double MOST_OPERATIONS = 1e12;

  /** A range of extents, both ends included. */
  public record Range(int least, int most) {
    /** @throws IllegalArgumentException for a range without numbers, or beyond 65536 */
    public Range {
      if (least < 1 || most < least || most > 1 << 16) {
        throw new IllegalArgumentException("invalid range " + least + "-" + most
            + ": needed are two numbers from 1 to 65536, the smaller one first");
      }
    }

    private double draw(SplittableRandom random) {
      return StrictMath.exp(random.nextDouble(StrictMath.log(least), StrictMath.log(most + 1.0)));
    }
  }

  /** M, N and K. */
  public record Shape(int m, int n, int k) {
    private double operations() {
      return 2.0 * m * n * k;
    }

    @Override
    public String toString() {
      return m + "x" + n + "x" + k;
    }
  }

  /**
   * The first shapes that the seed draws.
   *
   * @throws IllegalArgumentException if the range of M has no multiple of 8 where M has to be one
   */
  public List<Shape> first(int count) {
    if ((across || rows.least >= LARGE) && rows.most / STEP * STEP < rows.least) {
      throw new IllegalArgumentException("no multiple of " + STEP + " from " + rows.least + " to " + rows.most
          + ", which M has to be from " + LARGE + " on, and where A's neighbours run along it");
    }
    var random = new SplittableRandom(seed);
    var shapes = new ArrayList<Shape>();
    while (shapes.size() < count) {
      int m = (int) rows.draw(random);
      var shape = new Shape(across || m >= LARGE ? m / STEP * STEP : m, multiple(random), multiple(random));
      if (shape.m >= rows.least && shape.operations() <= MOST_OPERATIONS) shapes.add(shape);
    }
    return shapes;
  }

  private static int multiple(SplittableRandom random) {
    return (int) EXTENTS.draw(random) / STEP * STEP;
  }
}
