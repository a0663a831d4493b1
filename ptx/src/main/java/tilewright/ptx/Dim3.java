package tilewright.ptx;

/** Extents of a grid, a block or a cluster, or a position in one. */
public record Dim3(int x, int y, int z) {
  public static final Dim3 ONE = new Dim3(1, 1, 1);

  public static Dim3 of(int x) {
    return new Dim3(x, 1, 1);
  }

  public static Dim3 of(int x, int y) {
    return new Dim3(x, y, 1);
  }

  /** The larger in each direction. */
  public Dim3 max(Dim3 other) {
    return new Dim3(Math.max(x, other.x), Math.max(y, other.y), Math.max(z, other.z));
  }

  /** The number of positions. */
  public long size() {
    return (long) x * y * z;
  }

  @Override
  public String toString() {
    return "(" + x + "," + y + "," + z + ")";
  }
}
