package tilewright.kernel.collective.attention;

import java.util.Arrays;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.TensorSpec;
import tilewright.numerics.ElementType;

/**
 * A tensor that score and mask functions read, such as a bias or the numbers of documents (FlexAttention's captured
 * buffers). Nothing writes it during a launch. A function reads it by its indices, the last of which is contiguous in
 * memory:
 *
 * <pre>{@code
 * var slopes = CapturedTensor.of("slopes", ElementType.F32, 1);
 * Attention.forward(ElementType.BF16, Sizes.of(2, 4096, 4096, 16, 128))
 *     .score((score, b, h, q, k) -> k.minus(q).toF32().fma(slopes.at(h), score)).capture(slopes, 16);
 * }</pre>
 *
 * @param name of the buffer
 * @param type f32, f16, bf16, i32 or i8
 * @param count where the integers lie in 0 … {@code count} − 1, that; only then may they index another tensor
 */
public record CapturedTensor(String name, ElementType type, int rank, OptionalInt count) {
  /** The begin of the names of parameters, which those of kernels do not have. */
  static final String PREFIX = "captured_";

  public CapturedTensor {
    if (!name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
      throw new IllegalArgumentException("'" + name + "' is no name of a captured tensor: letters, digits and _");
    }
    if (rank < 1) {
      throw new IllegalArgumentException("captured tensor " + name + " has no index: capture a number instead");
    }
    switch (type) {
      case F32, F16, BF16, I32, I8 -> {}
      default -> throw new IllegalArgumentException("captured tensor " + name + " of " + type.text()
          + ": f32, f16, bf16, i32 or i8");
    }
    if (count.isPresent() && (count.getAsInt() < 1 || type != ElementType.I32 && type != ElementType.I8)) {
      throw new IllegalArgumentException("captured tensor " + name + " of " + type.text() + " below "
          + count.getAsInt() + ": integers below 1 or more");
    }
  }

  public static CapturedTensor of(String name, ElementType type, int rank) {
    return new CapturedTensor(name, type, rank, OptionalInt.empty());
  }

  /**
   * Returns this tensor of integers that lie in 0 … {@code count} − 1, and so may index another tensor. Any other
   * integer is read as the last of these.
   */
  public CapturedTensor below(int count) {
    return new CapturedTensor(name, type, rank, OptionalInt.of(count));
  }

  /** The number at these indices, exactly converted to FP32. */
  public F32 at(I32... index) {
    return tensor(index).constant(index);
  }

  /** The integer at these indices, of a tensor of i32 or i8. */
  public I32 integerAt(I32... index) {
    var integer = tensor(index).constantInteger(index);
    return count.isPresent() ? integer.orLast(integer.constant(count.getAsInt())) : integer;
  }

  /** The tensor in the kernel that is being traced, where a function has given an index for each mode. */
  private GlobalTensor tensor(I32... index) {
    if (index.length != rank) {
      throw new IllegalArgumentException("captured tensor " + name + " has rank " + rank
          + ", and a function reads it by " + index.length + (index.length == 1 ? " index" : " indices"));
    }
    return index[0].global(spec());
  }

  TensorSpec spec() {
    var modes = IntStream.range(0, rank).mapToObj(this::extent).toArray(String[]::new);
    return TensorSpec.of(PREFIX + name, type, modes).contiguous(modes[rank - 1]);
  }

  /** The name of an extent. */
  String extent(int mode) {
    return PREFIX + name + "_" + mode;
  }

  /** The dense tensor of these extents in the buffer of the tensor's name, the last extent contiguous. */
  LaunchArguments.Tensor dense(long... extents) {
    var strides = new Long[extents.length];
    long stride = 1;
    for (int mode = extents.length - 1; mode >= 0; mode--) {
      strides[mode] = stride;
      stride *= extents[mode];
    }
    return new LaunchArguments.Tensor(name, 0, LongStream.of(extents).boxed().toList(), Arrays.asList(strides));
  }
}
