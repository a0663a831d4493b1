package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Factors;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.attention.serving.Serving;
import tilewright.numerics.ElementType;
import tilewright.reference.AttentionFactors;
import tilewright.reference.AttentionFactors.ReferenceScore;
import tilewright.reference.AttentionFactors.TensorCores;
import tilewright.reference.AttentionReference;
import tilewright.reference.ScoreRule;
import tilewright.reference.TensorView;

/**
 * One sequence of a problem of attention, which is a problem of its own on views.
 *
 * @param index of the packed sequence, else 0
 * @param firstQuery row of Q where its {@code queries} rows begin; {@code firstKey} that of K
 */
record AttentionSequence(AttentionProblem problem, int index, int firstQuery, int queries, int firstKey, int keys) {
  /** The widest O that Hopper's kernel of codes multiplies for each tile. */
  private static final int WIDE = 96;

  /** The sequences of a problem: those that are packed, else one. */
  static List<AttentionSequence> of(AttentionProblem p, Map<String, MemorySegment> in) {
    if (p.packed().isEmpty()) {
      return List.of(new AttentionSequence(p, 0, 0, p.sizes().queries(), 0, p.sizes().keys()));
    }
    var packed = p.packed().get();
    var queries = Buffers.values(ElementType.I32, in.get(packed.queries()));
    var keys = Buffers.values(ElementType.I32, in.get(packed.keys()));
    return IntStream.range(0, packed.sequences()).mapToObj(i -> new AttentionSequence(p, i, (int) queries[i],
        (int) (queries[i + 1] - queries[i]), (int) keys[i], (int) (keys[i + 1] - keys[i]))).toList();
  }

  /** The reference on the sequence's Q, K and V, with sums in FP32. */
  AttentionReference reference(ScoreRule rule, Map<String, MemorySegment> in) {
    return reference(rule, in, TensorCores.FP32, false);
  }

  /**
   * The reference on the sequence's Q, K and V, where those are codes with the sums of tensor cores.
   *
   * @param anticipates whether P of a block of codes refers to the blocks before
   */
  AttentionReference reference(ScoreRule rule, Map<String, MemorySegment> in, TensorCores tensorCores,
      boolean anticipates) {
    var sizes = problem.sizes();
    return new AttentionReference(ofQueries(problem.q(), sizes.headDim(), in), ofKeys(problem.k(), sizes.headDim(), in),
        ofKeys(problem.v(), sizes.valueDim(), in), problem.scale(), rule,
        problem.quantized().map(quantized -> factors(quantized, in, tensorCores, anticipates))
            .or(() -> problem.serving().codes().map(codes -> factors(codes, in))),
        problem.sinks().map(name -> new TensorView(ElementType.F32, in.get(name), Layout.of(sizes.heads(), 1))));
  }

  private AttentionFactors factors(Quantized quantized, Map<String, MemorySegment> in, TensorCores tensorCores,
      boolean anticipates) {
    if (quantized.blockScaled()) {
      return new AttentionFactors(Mxf8Attention.scales(this, in), quantized.probabilities(), quantized.output(),
          AttentionFactors.TILE, tensorCores);
    }
    var sizes = problem.sizes();
    var factors = new AttentionFactors(blocks(quantized.q(), queries, sizes.heads(), in),
        blocks(quantized.k(), keys, sizes.keyHeads(), in), blocks(quantized.v(), keys, sizes.keyHeads(), in),
        quantized.probabilities(), quantized.output(), AttentionFactors.TILE, tensorCores).split(keysOfSplit(problem));
    if (problem.promotes()) return factors.promoted(1);
    if (anticipates) return factors.with(ReferenceScore.OF_TILES_BEFORE);
    // Hopper's kernel multiplies a wide O as seldom as it can.
    return tensorCores == TensorCores.SM90 && sizes.valueDim() > WIDE ? factors.with(ReferenceScore.OF_ROW) : factors;
  }

  /** A cache of codes beside a Q of numbers: P is rounded to their type. */
  private AttentionFactors factors(Serving.Codes codes, Map<String, MemorySegment> in) {
    var sizes = problem.sizes();
    var ones = new AttentionFactors.Blocks(new TensorView(ElementType.F64, MemorySegment.ofArray(new double[] {1}),
        new Layout(IntTuple.flat(sizes.batch(), 1, sizes.heads()), IntTuple.flat(0, 0, 0))), Factors.WHOLE);
    return new AttentionFactors(ones, blocks(codes.k(), in), blocks(codes.v(), in), problem.type(), problem.type(),
        AttentionFactors.TILE, TensorCores.FP32).split(keysOfSplit(problem));
  }

  private AttentionFactors.Blocks blocks(Serving.Factor factor, Map<String, MemorySegment> in) {
    return blocks(new Factors(factor.buffer(), factor.ofTokens() ? 1 : Factors.WHOLE, factor.token(), factor.head(),
        factor.batch()), keys, problem.sizes().keyHeads(), in);
  }

  /** Keys of each split of a problem's keys in whole tiles, or more than there are where the kernel chooses. */
  static int keysOfSplit(AttentionProblem p) {
    return switch (p.serving().splits()) {
      case KeySplits.Fixed(var keys) -> keys;
      case KeySplits.Ranges(var count) -> AttentionFactors.TILE
          * Math.max(1, Math.ceilDiv(Math.ceilDiv(p.sizes().keys(), AttentionFactors.TILE), count));
      case KeySplits.Automatic(), KeySplits.Balanced(_) -> AttentionFactors.ALL;
    };
  }

  private AttentionFactors.Blocks blocks(Factors factors, int rows, int heads, Map<String, MemorySegment> in) {
    var layout = new Layout(IntTuple.flat(problem.sizes().batch(), factors.blocks(rows), heads),
        IntTuple.flat(factors.batch(), factors.block(), factors.head()));
    return new AttentionFactors.Blocks(new TensorView(ElementType.F32, in.get(factors.buffer()),
        index * factors.batch() * Float.BYTES, layout), factors.rows());
  }

  /** (B,Sq,H,Dv) of O. */
  TensorView output(Map<String, MemorySegment> buffers) {
    return view(problem.outputType(), problem.o(), firstQuery, queries, problem.sizes().heads(),
        problem.sizes().valueDim(), buffers);
  }

  /** (B,Sq,H,dim) of a tensor like Q. */
  TensorView ofQueries(View v, int dim, Map<String, MemorySegment> buffers) {
    return view(problem.type(), v, firstQuery, queries, problem.sizes().heads(), dim, buffers);
  }

  /** (B,Sk,Hk,dim) of a tensor like K or V. */
  TensorView ofKeys(View v, int dim, Map<String, MemorySegment> buffers) {
    return view(problem.cacheType(), v, firstKey, keys, problem.sizes().keyHeads(), dim, buffers);
  }

  private TensorView view(ElementType type, View v, long first, int rows, int heads, int dim,
      Map<String, MemorySegment> buffers) {
    return new TensorView(type, buffers.get(v.buffer()), v.offset() + first * v.sequence() * type.bytes(),
        new Layout(IntTuple.flat(problem.sizes().batch(), rows, heads, dim),
            IntTuple.flat(v.batch(), v.sequence(), v.head(), v.dim())));
  }

  /** (B,Sq,H) of the logarithms. */
  TensorView logarithms(View v, Map<String, MemorySegment> buffers) {
    return new TensorView(ElementType.F32, buffers.get(v.buffer()),
        v.offset() + (long) firstQuery * v.sequence() * Float.BYTES,
        new Layout(IntTuple.flat(problem.sizes().batch(), queries, problem.sizes().heads()),
            IntTuple.flat(v.batch(), v.sequence(), v.head())));
  }
}
