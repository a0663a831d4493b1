package tilewright.ops.parallel;

import java.util.Arrays;
import tilewright.numerics.ElementType;
import tilewright.ops.AttentionGradients;
import tilewright.ops.AttentionOptions;
import tilewright.ops.AttentionState;
import tilewright.ops.DeviceTensor;
import tilewright.ops.collectives.Communicator;

/**
 * Attention of a sequence that is spread over ranks in the order of {@link ZigZag}: each rank has the queries, keys and
 * values of its tokens, and gets the output of its tokens. All ranks call it with tensors of the same shapes.
 */
public enum ContextParallelAttention {
  /**
   * Keys and values go round, from each rank to the next, while attention on those that are there runs; the parts are
   * merged by their logarithms (Ring Attention, Liu et al. 2023). A rank needs memory for those of two other ranks.
   */
  RING {
    @Override
    void compute(Sequence sequence, Communicator ranks, AttentionOptions options, AttentionState result) {
      new RingAttention(sequence, ranks, options, result).run();
    }

    /** Gradients of keys and values go round behind these. */
    @Override
    void computeGradients(Sequence sequence, Communicator ranks, AttentionState forward, DeviceTensor gradient,
        AttentionOptions options, AttentionGradients result) {
      new RingGradients(sequence, ranks, forward, gradient, options).run(result);
    }
  },
  /**
   * Every rank gets all keys and values, and then computes attention on them as one (Llama 3's context parallelism). A
   * rank needs memory for all of them.
   */
  ALL_GATHER {
    @Override
    void compute(Sequence sequence, Communicator ranks, AttentionOptions options, AttentionState result) {
      GatheredAttention.run(sequence, ranks, options, result);
    }

    /** Each rank's shares of the gradients of all keys and values are added in FP32, by a reduce-scatter. */
    @Override
    void computeGradients(Sequence sequence, Communicator ranks, AttentionState forward, DeviceTensor gradient,
        AttentionOptions options, AttentionGradients result) {
      new GatheredGradients(sequence, ranks, forward, gradient, options).run(result);
    }
  },
  /**
   * Every rank gets all tokens of its share of the heads, and gives their output back (DeepSpeed Ulysses, Jacobs et al.
   * 2023). Both numbers of heads must be multiples of the number of ranks.
   */
  ALL_TO_ALL {
    @Override
    void compute(Sequence sequence, Communicator ranks, AttentionOptions options, AttentionState result) {
      new HeadsAttention(sequence, ranks).run(options, result);
    }

    /** Outputs and their gradients are exchanged as the inputs are, and the gradients of the inputs given back. */
    @Override
    void computeGradients(Sequence sequence, Communicator ranks, AttentionState forward, DeviceTensor gradient,
        AttentionOptions options, AttentionGradients result) {
      new HeadsAttention(sequence, ranks).gradients(forward, gradient, options, result);
    }
  };

  /**
   * softmax(scale · Q·Kᵀ)·V.
   *
   * @param q (B,S,H,D), where S is the rank's share of the sequence
   * @param k (B,S,Hk,D)
   * @param v (B,S,Hk,Dv)
   * @param options causal or not, without another window
   * @return (B,S,H,Dv), which the caller closes
   */
  public DeviceTensor apply(Communicator ranks, DeviceTensor q, DeviceTensor k, DeviceTensor v,
      AttentionOptions options) {
    var state = forward(ranks, q, k, v, options);
    state.logarithms().close();
    return state.output();
  }

  /**
   * Attention with the logarithms of the rows' sums, from which {@link #gradients} follow.
   *
   * @return output (B,S,H,Dv) and logarithms (B,H,S), which the caller closes
   */
  public AttentionState forward(Communicator ranks, DeviceTensor q, DeviceTensor k, DeviceTensor v,
      AttentionOptions options) {
    var sequence = Sequence.of(ranks, q, k, v, options);
    var ops = q.ops();
    var state = new AttentionState(ops.empty(q.type(), q.size(0), q.size(1), q.size(2), v.size(3)),
        ops.empty(ElementType.F32, q.size(0), q.size(2), q.size(1)));
    try {
      if (state.output().elements() > 0) compute(sequence, ranks, options, state);
      return state;
    } catch (RuntimeException e) {
      state.close();
      throw e;
    }
  }

  /**
   * The gradients by the rank's queries, keys and values, whichever way has computed the attention.
   *
   * @param forward the rank's output and logarithms
   * @param gradient the gradient by the output, (B,S,H,Dv)
   * @param options those of the attention
   * @return tensors of the inputs' type, which the caller closes
   */
  public AttentionGradients gradients(Communicator ranks, DeviceTensor q, DeviceTensor k, DeviceTensor v,
      AttentionState forward, DeviceTensor gradient, AttentionOptions options) {
    var sequence = Sequence.of(ranks, q, k, v, options);
    requireShape("the gradient of the output", gradient, q.size(0), q.size(1), q.size(2), v.size(3));
    requireShape("the output", forward.output(), q.size(0), q.size(1), q.size(2), v.size(3));
    requireShape("the tensor of logarithms", forward.logarithms(), q.size(0), q.size(2), q.size(1));
    var ops = q.ops();
    var result = new AttentionGradients(ops.empty(q.type(), q.shape()), ops.empty(q.type(), k.shape()),
        ops.empty(q.type(), v.shape()));
    try {
      if (q.elements() > 0) computeGradients(sequence, ranks, forward, gradient, options, result);
      return result;
    } catch (RuntimeException e) {
      result.close();
      throw e;
    }
  }

  private static void requireShape(String what, DeviceTensor tensor, long... shape) {
    if (Arrays.equals(tensor.shape(), shape)) return;
    throw new IllegalArgumentException(what + " is " + tensor + "; needed is " + Arrays.toString(shape));
  }

  /** Writes the gradients of a rank's tokens. */
  abstract void computeGradients(Sequence sequence, Communicator ranks, AttentionState forward, DeviceTensor gradient,
      AttentionOptions options, AttentionGradients result);

  /** Writes the state of a rank's tokens. */
  abstract void compute(Sequence sequence, Communicator ranks, AttentionOptions options, AttentionState result);
}
