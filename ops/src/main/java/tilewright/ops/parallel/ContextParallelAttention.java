package tilewright.ops.parallel;

import tilewright.ops.AttentionOptions;
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
    void compute(Sequence sequence, Communicator ranks, AttentionOptions options, DeviceTensor output) {
      new RingAttention(sequence, ranks, options, output).run();
    }
  },
  /**
   * Every rank gets all keys and values, and then computes attention on them as one (Llama 3's context parallelism). A
   * rank needs memory for all of them.
   */
  ALL_GATHER {
    @Override
    void compute(Sequence sequence, Communicator ranks, AttentionOptions options, DeviceTensor output) {
      GatheredAttention.run(sequence, ranks, options, output);
    }
  },
  /**
   * Every rank gets all tokens of its share of the heads, and gives their output back (DeepSpeed Ulysses, Jacobs et al.
   * 2023). Both numbers of heads must be multiples of the number of ranks.
   */
  ALL_TO_ALL {
    @Override
    void compute(Sequence sequence, Communicator ranks, AttentionOptions options, DeviceTensor output) {
      new HeadsAttention(sequence, ranks).run(options, output);
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
    var sequence = Sequence.of(ranks, q, k, v, options);
    var output = q.ops().empty(q.type(), q.size(0), q.size(1), q.size(2), v.size(3));
    try {
      if (output.elements() > 0) compute(sequence, ranks, options, output);
      return output;
    } catch (RuntimeException e) {
      output.close();
      throw e;
    }
  }

  /** Writes the output of a rank's tokens. */
  abstract void compute(Sequence sequence, Communicator ranks, AttentionOptions options, DeviceTensor output);
}
