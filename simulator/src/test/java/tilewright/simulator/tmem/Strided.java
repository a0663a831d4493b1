package tilewright.simulator.tmem;

/** A function of one index given as extents and strides, the leftmost digit fastest: how CuTe writes its layouts. */
record Strided(int[] extents, int[] strides) {
  static Strided of(int... extentsThenStrides) {
    int n = extentsThenStrides.length / 2;
    return new Strided(java.util.Arrays.copyOf(extentsThenStrides, n),
        java.util.Arrays.copyOfRange(extentsThenStrides, n, 2 * n));
  }

  int size() {
    int size = 1;
    for (int e : extents) size *= e;
    return size;
  }

  int at(int index) {
    int sum = 0;
    for (int i = 0; i < extents.length; i++) {
      sum += index % extents[i] * strides[i];
      index /= extents[i];
    }
    return sum;
  }
}
