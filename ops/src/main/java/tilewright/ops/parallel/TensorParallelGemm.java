package tilewright.ops.parallel;

import java.util.List;
import tilewright.ops.DeviceTensor;
import tilewright.ops.GemmOptions;
import tilewright.ops.collectives.Communicator;

/**
 * Matrix multiplies whose operands are spread over ranks, as the two layers of a tensor-parallel block have them
 * (Megatron-LM with sequence parallelism, Korthikanti et al. 2022). The product is cut by the rows that ranks have, and
 * transfers of one part run beside the product of another. All ranks call it.
 *
 * <p>GPUs of one process copy without a kernel, so that products keep all SMs; see
 * {@link tilewright.ops.collectives.CollectiveOptions#copyEngines}.
 */
public final class TensorParallelGemm {
  private TensorParallelGemm() {}

  /**
   * A·B of the rows of all ranks, in their order: all-gather, then GEMM.
   *
   * @param a (M/ranks,K), the rank's rows
   * @param b (K,N'), the rank's columns
   * @param options which may name any but C
   * @return (M,N'), the rank's columns of all rows, which the caller closes unless the options have given it
   * @throws IllegalArgumentException for matrices that do not fit
   * @throws tilewright.ops.collectives.CollectiveException where ranks call with A of other shapes
   */
  public static DeviceTensor allGatherGemm(Communicator ranks, DeviceTensor a, DeviceTensor b, GemmOptions options) {
    requireMatrices(ranks, a, b, options);
    return new GatheredGemm(ranks, a, b, options).run();
  }

  /**
   * The rank's rows of the sum of A·B over ranks: GEMM, then reduce-scatter. Each rank adds its product to the sum that
   * it has received, in FP32, and rounds it to the result's type before it sends it on.
   *
   * @param a (M,K'), the rank's columns of all rows; M must be a multiple of the number of ranks
   * @param b (K',N), the rank's rows
   * @param options which may name any but C; bias and activation are of the sum
   * @return (M/ranks,N), which the caller closes unless the options have given it
   * @throws IllegalArgumentException for matrices that do not fit
   * @throws tilewright.ops.collectives.CollectiveException where ranks call for results of other shapes
   */
  public static DeviceTensor gemmReduceScatter(Communicator ranks, DeviceTensor a, DeviceTensor b,
      GemmOptions options) {
    requireMatrices(ranks, a, b, options);
    if (a.size(0) % ranks.size() != 0) {
      throw new IllegalArgumentException("cannot scatter " + a.size(0) + " rows among " + ranks.size()
          + " ranks: needed is a multiple, so pad A " + a);
    }
    return new ScatteredGemm(ranks, a, b, options).run();
  }

  private static void requireMatrices(Communicator ranks, DeviceTensor a, DeviceTensor b, GemmOptions options) {
    for (var tensor : List.of(a, b)) {
      if (tensor.ops() != ranks.ops()) {
        throw new IllegalArgumentException(tensor + " belongs to other operators than those of rank " + ranks.rank());
      }
    }
    if (a.rank() != 2 || b.rank() != 2 || a.size(1) != b.size(0)) {
      throw new IllegalArgumentException("cannot multiply " + a + " by " + b + ": needed are (M,K) and (K,N)");
    }
    if (options.c().isPresent()) {
      throw new IllegalArgumentException("no C " + options.c().get() + " to add over several devices: ops.add it");
    }
  }
}
