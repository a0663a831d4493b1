package tilewright.ptx.tensormap;

import java.util.Arrays;
import java.util.Optional;

/** The pixels of one copy along W, in the order of {@code CUtensorMapIm2ColWideMode} (cuda.h). */
public enum WideMode {
  /** The map's number of pixels ({@code .im2col::w}). */
  W,
  /** 128 pixels ({@code .im2col::w::128}). */
  W128;

  public static Optional<WideMode> parse(String text) {
    return Arrays.stream(values()).filter(t -> t.name().equals(text)).findFirst();
  }
}
