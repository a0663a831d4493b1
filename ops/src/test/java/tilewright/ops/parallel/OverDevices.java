package tilewright.ops.parallel;

import java.util.List;
import java.util.function.Function;
import tilewright.ops.Ops;
import tilewright.ops.collectives.Communicator;
import tilewright.ops.collectives.RankThreads;

/** Tests of programs of several ranks; on simulated devices, unless other ones are opened. */
abstract class OverDevices {
  List<Ops> open(int size) {
    return SharedSimulators.first(size);
  }

  /** Closes what {@link #open} has returned; simulated devices are shared, and stay open. */
  void close(List<Ops> devices) {}

  /** Runs a program on each rank and returns the results by rank. */
  final <T> List<T> each(int size, Function<Communicator, T> program) {
    var devices = open(size);
    try {
      var ranks = Communicator.among(devices);
      try {
        return RankThreads.run(ranks, program);
      } finally {
        ranks.forEach(Communicator::close);
      }
    } finally {
      close(devices);
    }
  }
}
