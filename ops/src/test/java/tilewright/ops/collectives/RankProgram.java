package tilewright.ops.collectives;

import java.nio.file.Path;
import java.time.Duration;
import tilewright.numerics.ElementType;
import tilewright.ops.Ops;

/** A process with a GPU: adds a tensor to that of another process, or calls something else, or dies. */
final class RankProgram {
  private static final int DIED = 9;

  private RankProgram() {}

  public static void main(String[] args) {
    int rank = Integer.parseInt(args[0]);
    var options = CollectiveOptions.of().timeout(Duration.ofSeconds(20));
    try (var ops = Ops.gpu(rank);
        var ranks = Communicator.join(ops, rank, 2, Rendezvous.file(Path.of(args[1])), options.check());
        var x = ops.tensor(ElementType.F32, new float[] {rank + 1}, 1)) {
      if (args[2].equals("other")) ranks.broadcast(x, 0);
      if (args[2].equals("die")) Runtime.getRuntime().halt(DIED);
      ranks.allReduce(x, x, Reduction.SUM);
      System.out.println("sum " + x.floats()[0]);
    }
  }
}
