package tilewright.ptx.tensormap;

import java.util.Arrays;
import java.util.Optional;

/** How much the L2 cache fetches at least, in the order of {@code CUtensorMapL2promotion} (cuda.h). */
public enum L2Promotion {
  NONE("none"), B64("64B"), B128("128B"), B256("256B");

  private final String text;

  L2Promotion(String text) {
    this.text = text;
  }

  public static Optional<L2Promotion> parse(String text) {
    return Arrays.stream(values()).filter(t -> t.text.equals(text)).findFirst();
  }

  @Override
  public String toString() {
    return text;
  }
}
