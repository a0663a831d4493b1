package tilewright.reference;

import java.util.Arrays;
import java.util.List;

/** Non-maximum suppression by its definition, in FP32, in which a comparison decides. */
public final class NmsReference {
  private NmsReference() {}

  /** K from boxes B (N,4) by falling score. */
  public static Reference kept(float threshold) {
    return tensors -> {
      var b = tensors.get("B");
      int n = b.length / 4;
      var kept = new double[n];
      Arrays.fill(kept, 1);
      for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n && kept[i] == 1; j++) {
          if (overlaps(b, i, j, threshold)) kept[j] = 0;
        }
      }
      return List.of(Expected.bits("K", kept));
    };
  }

  private static boolean overlaps(double[] b, int i, int j, float threshold) {
    float width = Math.max(0f, side(b, i, j, 0));
    float height = Math.max(0f, side(b, i, j, 1));
    float common = width * height;
    float union = area(b, i) + area(b, j) - common;
    return common > union * threshold;
  }

  private static float side(double[] b, int i, int j, int axis) {
    float end = Math.min((float) b[4 * i + axis + 2], (float) b[4 * j + axis + 2]);
    return end - Math.max((float) b[4 * i + axis], (float) b[4 * j + axis]);
  }

  private static float area(double[] b, int i) {
    return ((float) b[4 * i + 2] - (float) b[4 * i]) * ((float) b[4 * i + 3] - (float) b[4 * i + 1]);
  }
}
