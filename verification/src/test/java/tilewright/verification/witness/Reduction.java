package tilewright.verification.witness;

import java.util.Random;
import tilewright.ptx.tensormap.TensorElement;

/** What a tensor copy may do with the elements it meets, on their bits as ints. */
enum Reduction {
  SUM_F32("sum", TensorElement.F32) {
    @Override
    int next(Random random) {
      return Float.floatToRawIntBits(random.nextInt(2001) - 1000);
    }

    @Override
    int combine(int a, int b) {
      return Float.floatToRawIntBits(Float.intBitsToFloat(a) + Float.intBitsToFloat(b));
    }
  },
  SUM_BF16("sum", TensorElement.BF16) {
    @Override
    int next(Random random) {
      return Float.floatToRawIntBits(random.nextInt(61) - 30) >>> 16;
    }

    @Override
    int combine(int a, int b) {
      return Float.floatToRawIntBits(Float.intBitsToFloat(a << 16) + Float.intBitsToFloat(b << 16)) >>> 16;
    }
  },
  SUM_U32("sum", TensorElement.U32) {
    @Override
    int combine(int a, int b) {
      return a + b;
    }
  },
  LEAST_S32("least", TensorElement.S32) {
    @Override
    int combine(int a, int b) {
      return Math.min(a, b);
    }
  },
  GREATEST_U32("greatest", TensorElement.U32) {
    @Override
    int combine(int a, int b) {
      return Integer.compareUnsigned(a, b) > 0 ? a : b;
    }
  },
  EXCLUSIVE_OR("exclusive_or", TensorElement.U32) {
    @Override
    int combine(int a, int b) {
      return a ^ b;
    }
  };

  private final String entry;
  private final TensorElement element;

  Reduction(String entry, TensorElement element) {
    this.entry = entry;
    this.element = element;
  }

  String entry() {
    return entry;
  }

  TensorElement element() {
    return element;
  }

  /** A number whose sums with others are exact in any order. */
  int next(Random random) {
    return random.nextInt();
  }

  abstract int combine(int a, int b);
}
