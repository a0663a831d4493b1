package tilewright.simulator.tensormap;

import java.util.Arrays;
import java.util.Optional;

/** How an instruction walks through a tensor ({@code .load_mode}). */
public enum LoadMode {
  TILE("tile", AccessMode.TILED), GATHER4("tile::gather4", AccessMode.TILED),
  SCATTER4("tile::scatter4", AccessMode.TILED), IM2COL("im2col", AccessMode.IM2COL),
  IM2COL_W("im2col::w", AccessMode.IM2COL_W), IM2COL_W128("im2col::w::128", AccessMode.IM2COL_W128),
  IM2COL_NO_OFFSETS("im2col_no_offs", AccessMode.IM2COL);

  private final String modifier;
  private final AccessMode map;

  LoadMode(String modifier, AccessMode map) {
    this.modifier = modifier;
    this.map = map;
  }

  /** The modifier in PTX, without the dot. */
  public String modifier() {
    return modifier;
  }

  public static Optional<LoadMode> parse(String modifier) {
    return Arrays.stream(values()).filter(m -> m.modifier.equals(modifier)).findFirst();
  }

  /** The kind of tensor map that it needs. */
  public AccessMode map() {
    return map;
  }

  /** Whether it names four rows of a matrix. */
  public boolean isFourRows() {
    return this == GATHER4 || this == SCATTER4;
  }

  /** The numbers that an instruction gives beside the coordinates, for a tensor of that rank. */
  public int offsets(int rank) {
    return switch (this) {
      case IM2COL -> rank - 2;
      case IM2COL_W, IM2COL_W128 -> 2;
      default -> 0;
    };
  }
}
