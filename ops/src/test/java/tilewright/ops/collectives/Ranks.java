package tilewright.ops.collectives;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/** Threads, each with a rank. */
final class Ranks {
  private Ranks() {}

  /** The results of all ranks, in their order; an exception is a result too. */
  static List<Object> outcomes(List<Communicator> ranks, Function<Communicator, Object> program) {
    return run(ranks.stream().<Callable<Object>>map(rank -> () -> {
      try {
        return program.apply(rank);
      } catch (RuntimeException e) {
        return e;
      }
    }).toList());
  }

  /** The results of programs that run at the same time. */
  static <T> List<T> run(List<Callable<T>> programs) {
    try (var threads = Executors.newCachedThreadPool()) {
      var futures = new ArrayList<Future<T>>();
      programs.forEach(program -> futures.add(threads.submit(program)));
      var results = new ArrayList<T>();
      for (var future : futures) results.add(future.get());
      return results;
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
