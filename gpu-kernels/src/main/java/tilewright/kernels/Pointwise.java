package tilewright.kernels;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.Pair;
import tilewright.numerics.ElementType;
import tilewright.reference.PointwiseReference;

/** Functions of the elements at one place, in FP32 and, some, two by two in a narrow type. */
public enum Pointwise {
  ADD("add", "Y = X + Z", PointwiseReference.ADD) {
    @Override
    public F32 of(List<F32> x) {
      return x.get(0).plus(x.get(1));
    }

    @Override
    public Pair inPairs(List<Pair> x) {
      return x.get(0).plus(x.get(1));
    }

    @Override
    public List<String> inputs() {
      return List.of("X", "Z");
    }
  },
  RELU("relu", "Y = max(X, 0)", PointwiseReference.RELU) {
    @Override
    public F32 of(F32 x) {
      return x.max(x.constant(0));
    }

    @Override
    public Pair inPairs(List<Pair> x) {
      return x.getFirst().max(x.getFirst().constant(0));
    }
  },
  SIGMOID("sigmoid", "Y = 1 / (1 + exp(-X))", PointwiseReference.SIGMOID) {
    @Override
    public F32 of(F32 x) {
      return sigmoid(x);
    }

    @Override
    public Pair inPairs(List<Pair> x) {
      return sigmoid(x.getFirst());
    }
  },
  ELU("elu", "Y = X where X > 0, else exp(X) - 1", PointwiseReference.ELU) {
    @Override
    public F32 of(F32 x) {
      return x.where(x.greaterThan(x.constant(0)), expMinusOne(x));
    }

    @Override
    public Pair inPairs(List<Pair> all) {
      var x = all.getFirst();
      return x.whereAtLeast(x, x.constant(0), x.exp().plus(x.constant(-1)));
    }
  },
  GELU_ERF("gelu_erf", "Y = X · (1 + erf(X / √2)) / 2", PointwiseReference.GELU_ERF) {
    @Override
    public F32 of(F32 x) {
      return x.times(0.5f).times(erfPlusOne(x.times(0.70710678f)));
    }

    /**
     * (1 + erf(x / √2)) / 2 is c or 1 - c with c = 2^(-t·q(t) - 1), t = |x|: half of what FP32 takes,
     * which memory would not wait for. q is a least-maximum fit of -log₂ erfc(t / √2) / t on 0…6.5, error of c
     * 2⁻¹⁷; beyond, it grows like the function.
     */
    @Override
    public F32 narrow(F32 x) {
      var t = x.magnitude();
      var q = t.polynomial(1.76032432e-6f, -6.00019975e-5f, 9.17044251e-4f, -8.45107326e-3f, 5.38355297e-2f,
          0.458597888f, 1.15119411f);
      var c = t.negated().fma(q, x.constant(-1)).exp2();
      return x.times(c.where(x.lessThan(x.constant(0)), c.negated().plus(1)));
    }
  },
  GELU_TANH("gelu_tanh", "Y = X · (1 + tanh(√(2/π) · (X + 0.044715·X³))) / 2", PointwiseReference.GELU_TANH) {
    /** (1 + tanh u) / 2 is the sigmoid of 2u. */
    @Override
    public F32 of(F32 x) {
      var inner = x.times(x).fma(0.044715f, 1).times(x);
      return x.times(sigmoid(inner.times(1.59576912f)));
    }

    @Override
    public Pair inPairs(List<Pair> all) {
      var x = all.getFirst();
      var inner = x.times(x).fma(x.constant(0.044715), x.constant(1)).times(x);
      return x.times(sigmoid(inner.times(x.constant(1.59576912))));
    }
  },
  SWISH("swish", "Y = X / (1 + exp(-X))", PointwiseReference.SWISH) {
    @Override
    public F32 of(F32 x) {
      return x.times(sigmoid(x));
    }

    @Override
    public Pair inPairs(List<Pair> x) {
      return x.getFirst().times(sigmoid(x.getFirst()));
    }
  },
  /** The gate of a feed-forward layer (Shazeer, "GLU Variants Improve Transformer"). */
  SWIGLU("swiglu", "Y = X / (1 + exp(-X)) · Z", PointwiseReference.SWIGLU) {
    @Override
    public F32 of(List<F32> x) {
      return SWISH.of(x.get(0)).times(x.get(1));
    }

    @Override
    public Pair inPairs(List<Pair> x) {
      return SWISH.inPairs(x).times(x.get(1));
    }

    @Override
    public List<String> inputs() {
      return List.of("X", "Z");
    }
  },
  HARDSWISH("hardswish", "Y = X · min(max(X + 3, 0), 6) / 6", PointwiseReference.HARDSWISH) {
    @Override
    public F32 of(F32 x) {
      return x.times(x.plus(3).max(x.constant(0)).min(x.constant(6))).times(1 / 6f);
    }

    @Override
    public Pair inPairs(List<Pair> all) {
      var x = all.getFirst();
      var factor = x.plus(x.constant(3)).max(x.constant(0)).min(x.constant(6));
      return x.times(factor).times(x.constant(1 / 6f));
    }
  },
  HARDSHRINK("hardshrink", "Y = 0 where |X| ≤ 1/2, else X", PointwiseReference.HARDSHRINK) {
    @Override
    public F32 of(F32 x) {
      return x.constant(0).where(x.magnitude().atMost(x.constant(0.5f)), x);
    }

    @Override
    public Pair inPairs(List<Pair> all) {
      var x = all.getFirst();
      return x.constant(0).whereAtLeast(x.constant(0.5), x.magnitude(), x);
    }
  };

  private final String text;
  private final String formula;
  private final PointwiseReference reference;

  Pointwise(String text, String formula, PointwiseReference reference) {
    this.text = text;
    this.formula = formula;
    this.reference = reference;
  }

  /** The name on the command line. */
  public String text() {
    return text;
  }

  public String formula() {
    return formula;
  }

  public PointwiseReference reference() {
    return reference;
  }

  /** The tensors that it takes. */
  public List<String> inputs() {
    return List.of("X");
  }

  public F32 of(List<F32> x) {
    return of(x.getFirst());
  }

  /** A function of one value. */
  public F32 of(F32 x) {
    return of(List.of(x));
  }

  /** The function, as exact as a 16-bit result can show. */
  public F32 narrow(List<F32> x) {
    return inputs().size() > 1 ? of(x) : narrow(x.getFirst());
  }

  /** The function, as exact as a 16-bit result can show. */
  public F32 narrow(F32 x) {
    return of(x);
  }

  /** Whether there is the function in a type's own arithmetic, each operation rounded: SM80 does not compare bf16. */
  public boolean hasPairs(ElementType type) {
    return switch (this) {
      case ADD, RELU, SIGMOID, GELU_TANH, SWISH, SWIGLU, HARDSWISH -> type.bits() == 16;
      case ELU, HARDSHRINK -> type == ElementType.F16;
      case GELU_ERF -> false;
    };
  }

  /** The function of pairs, in the arithmetic of the elements' own type. */
  public Pair inPairs(List<Pair> x) {
    throw new UnsupportedOperationException(text + " in pairs");
  }

  private static Pair sigmoid(Pair x) {
    return x.negated().exp().plus(x.constant(1)).reciprocal();
  }

  private static F32 sigmoid(F32 x) {
    return x.negated().exp().plus(1).reciprocal();
  }

  /**
   * exp(x) - 1 for x ≤ 0; above -1, where that would cancel, e² + 2e of e = exp(h) - 1 = h + h² · p(h), h = x / 2,
   * with a least-maximum fit p, error 2⁻²⁹.
   */
  private static F32 expMinusOne(F32 x) {
    var h = x.times(0.5f);
    var p = h.polynomial(1.1259903e-3f, 8.19336902e-3f, 4.16320749e-2f, 0.166662887f, 0.499999851f);
    var e = h.times(h).fma(p, h);
    return e.fma(e, e.times(2)).where(x.greaterThan(x.constant(-1)), x.exp().plus(-1));
  }

  /**
   * 1 + erf x: for |x| < 1 it is 1 + x · p(x²), else c or 2 - c with c = erfc |x| = 2^(-t·q(t)) and t = |x|. p and q
   * are least-maximum fits of erf(x) / x and of -log₂ erfc(t) / t.
   */
  private static F32 erfPlusOne(F32 x) {
    var t = x.magnitude().min(x.constant(4.2f));
    var q = t.polynomial(4.5339209e-5f, -4.4534492e-4f, 1.4889084e-3f, 7.755024e-4f, -2.8254438e-2f, 0.14848195f,
        0.91841632f, 1.62790859f);
    // Beyond that c is too small to matter, and has to be zero at the infinities.
    var c = q.times(t).negated().exp2().where(t.lessThan(x.constant(4.2f)), x.constant(0));
    var far = c.where(x.lessThan(x.constant(0)), c.negated().plus(2));
    var p = x.times(x).polynomial(-5.63142588e-4f, 4.91755176e-3f, -2.67113112e-2f, 0.112801798f, -0.37612325f,
        1.12837911f);
    return x.fma(p, x.constant(1)).where(t.lessThan(x.constant(1)), far);
  }
}
