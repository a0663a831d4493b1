package tilewright.ops.collectives;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/** Threads for the ranks of one process. */
public final class RankThreads {
  private RankThreads() {}

  /**
   * Runs a program for each rank, in a thread of its own. Where one fails, the transfers of the others do too, and the
   * first failure is thrown.
   *
   * @return the programs' results, rank by rank
   */
  public static <T> List<T> run(List<Communicator> ranks, Function<Communicator, T> program) {
    var failures = new ArrayList<RuntimeException>();
    try (var threads = Executors.newFixedThreadPool(ranks.size())) {
      var running = new ArrayList<Future<T>>();
      for (var rank : ranks) running.add(threads.submit(() -> run(rank, program, failures)));
      var results = new ArrayList<T>();
      for (var each : running) results.add(each.get());
      return results;
    } catch (ExecutionException e) {
      synchronized (failures) {
        throw failures.isEmpty() ? new IllegalStateException(e.getCause()) : failures.getFirst();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      ranks.forEach(rank -> rank.abort("interrupted"));
      throw new IllegalStateException("interrupted while ranks run", e);
    }
  }

  private static <T> T run(Communicator rank, Function<Communicator, T> program, List<RuntimeException> failures) {
    try {
      return program.apply(rank);
    } catch (RuntimeException e) {
      synchronized (failures) {
        failures.add(e);
      }
      rank.abort(String.valueOf(e.getMessage()));
      throw e;
    }
  }
}
