package tilewright.ops;

import java.util.Optional;
import tilewright.kernels.Pointwise;
import tilewright.numerics.ElementType;

/**
 * What a matrix multiply does with the product: D = f(alpha · A·B + beta · C + bias), rounded once to the output's
 * type: {@code GemmOptions.of().bias(b).activation(Pointwise.GELU_TANH)}.
 *
 * @param c a tensor of D's shape; absent where {@code beta} is 0
 * @param bias a vector of N numbers, added to every row
 * @param activation a function of one value
 * @param output D's type, instead of that which is usual for the operands
 * @param accumulator FP32, or f16 for operands of f16
 * @param into the tensor that becomes D, instead of a new one
 */
public record GemmOptions(float alpha, float beta, Optional<DeviceTensor> c, Optional<DeviceTensor> bias,
    Optional<Pointwise> activation, Optional<ElementType> output, ElementType accumulator,
    Optional<DeviceTensor> into) {
  public GemmOptions {
    activation.filter(f -> f.inputs().size() != 1).ifPresent(f -> {
      throw new IllegalArgumentException(f.text() + " takes " + f.inputs().size()
          + " values; an activation takes one");
    });
  }

  /** The product as it is. */
  public static GemmOptions of() {
    return new GemmOptions(1, 0, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
        ElementType.F32, Optional.empty());
  }

  /** A factor of the product. */
  public GemmOptions alpha(float factor) {
    return new GemmOptions(factor, beta, c, bias, activation, output, accumulator, into);
  }

  /** A tensor to add, times a factor. */
  public GemmOptions plus(float factor, DeviceTensor tensor) {
    return new GemmOptions(alpha, factor, Optional.of(tensor), bias, activation, output, accumulator, into);
  }

  /** A vector of N numbers to add to every row. */
  public GemmOptions bias(DeviceTensor vector) {
    return new GemmOptions(alpha, beta, c, Optional.of(vector), activation, output, accumulator, into);
  }

  /** A function of every element, after all else. */
  public GemmOptions activation(Pointwise function) {
    return new GemmOptions(alpha, beta, c, bias, Optional.of(function), output, accumulator, into);
  }

  /** Another type of the result. */
  public GemmOptions output(ElementType type) {
    return new GemmOptions(alpha, beta, c, bias, activation, Optional.of(type), accumulator, into);
  }

  /** The type that products are summed in: f16 takes operands of f16. */
  public GemmOptions accumulator(ElementType type) {
    return new GemmOptions(alpha, beta, c, bias, activation, output, type, into);
  }

  /** The tensor that becomes the result, of its shape and any strides. */
  public GemmOptions into(DeviceTensor tensor) {
    return new GemmOptions(alpha, beta, c, bias, activation, Optional.of(tensor.type()), accumulator,
        Optional.of(tensor));
  }
}
