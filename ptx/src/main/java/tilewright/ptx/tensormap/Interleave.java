package tilewright.ptx.tensormap;

import java.util.Arrays;
import java.util.Optional;

/** How channels are grouped in global memory, in the order of {@code CUtensorMapInterleave} (cuda.h). */
public enum Interleave {
  NONE("none", 0), B16("16B", 16), B32("32B", 32);

  private final String text;
  private final int bytes;

  Interleave(String text, int bytes) {
    this.text = text;
    this.bytes = bytes;
  }

  public static Optional<Interleave> parse(String text) {
    return Arrays.stream(values()).filter(t -> t.text.equals(text)).findFirst();
  }

  /** The bytes of a slice of channels; 0 for none. */
  public int bytes() {
    return bytes;
  }

  @Override
  public String toString() {
    return text;
  }
}
