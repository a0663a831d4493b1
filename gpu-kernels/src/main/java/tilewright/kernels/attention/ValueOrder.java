package tilewright.kernels.attention;

import tilewright.kernels.attention.AttentionProblem.View;

/** The order of V in memory. */
public enum ValueOrder {
  /** Neighbours along the head dimension. */
  ROW_MAJOR("Dv"),
  /** Neighbours along the keys. */
  COLUMN_MAJOR("Sk");

  private final String contiguous;

  ValueOrder(String contiguous) {
    this.contiguous = contiguous;
  }

  /** Reads the order from a view's strides. */
  public static ValueOrder of(View v) {
    return v.sequence() == 1 && v.dim() != 1 ? COLUMN_MAJOR : ROW_MAJOR;
  }

  /** The mode of V along which neighbours run. */
  String contiguous() {
    return contiguous;
  }
}
