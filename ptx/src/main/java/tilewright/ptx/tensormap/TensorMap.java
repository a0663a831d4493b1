package tilewright.ptx.tensormap;

import java.util.List;

/** A tensor map without its address: a tensor, and the part of it that one copy takes (CUDA driver API). */
public sealed interface TensorMap {
  TensorView view();

  /**
   * A box of the tensor's own rank ({@code cuTensorMapEncodeTiled}).
   *
   * @param box elements per dimension, innermost first, before the element strides thin them out
   */
  record Tiled(TensorView view, List<Integer> box) implements TensorMap {
    public Tiled {
      box = List.copyOf(box);
    }
  }

  /**
   * Pixels of a batch of images, row by row of a bounding box ({@code cuTensorMapEncodeIm2col}). Dimensions are
   * C, W, H, D, N, as many as there are.
   *
   * @param lowerCorner of the bounding box, from the image's first pixel; W first
   * @param upperCorner of the bounding box, from the image's last pixel; W first
   */
  record Im2col(TensorView view, List<Integer> lowerCorner, List<Integer> upperCorner, int channelsPerPixel,
      int pixelsPerColumn) implements TensorMap {
    public Im2col {
      lowerCorner = List.copyOf(lowerCorner);
      upperCorner = List.copyOf(upperCorner);
    }
  }

  /** Pixels of one row of an image ({@code cuTensorMapEncodeIm2colWide}). */
  record Im2colWide(TensorView view, int lowerCornerWidth, int upperCornerWidth, int channelsPerPixel,
      int pixelsPerColumn, WideMode mode) implements TensorMap {}
}
