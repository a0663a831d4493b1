package tilewright.ops;

import tilewright.numerics.ElementType;

/**
 * The angles of rotary position embedding, one row (D/2) for each position: a slice of rows is the tables of a part of
 * the positions.
 *
 * @param cos f32 (positions,D/2); likewise {@code sin}
 */
public record RopeTables(DeviceTensor cos, DeviceTensor sin) implements AutoCloseable {

  static RopeTables of(Ops ops, int[] positions, int dim, double base) {
    if (dim < 2 || dim % 2 != 0) throw new IllegalArgumentException("a head of " + dim + ": it is even, at least 2");
    if (!(base > 0)) throw new IllegalArgumentException("invalid base " + base + ": it must be positive");
    int pairs = dim / 2;
    var cos = new float[positions.length * pairs];
    var sin = new float[positions.length * pairs];
    for (int i = 0; i < cos.length; i++) {
      double angle = positions[i / pairs] / Math.pow(base, 2.0 * (i % pairs) / dim);
      cos[i] = (float) Math.cos(angle);
      sin[i] = (float) Math.sin(angle);
    }
    return new RopeTables(ops.tensor(ElementType.F32, cos, positions.length, pairs),
        ops.tensor(ElementType.F32, sin, positions.length, pairs));
  }

  /** The tables of positions {@code from} to before {@code to}: views. */
  public RopeTables slice(long from, long to) {
    return new RopeTables(cos.slice(0, from, to), sin.slice(0, from, to));
  }

  @Override
  public void close() {
    cos.close();
    sin.close();
  }
}
