package llama;

import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuProbe;
import tilewright.ops.Ops;
import tilewright.ops.collectives.Communicator;
import tilewright.ops.collectives.RankThreads;

/** The devices that share a model; {@code ranks} is empty where there is one. */
record Devices(List<Ops> all, List<Communicator> ranks) implements AutoCloseable {
  /** Returns the number of this machine's GPUs. */
  static int gpus() {
    return Gpu.probe() instanceof GpuProbe.Available(_, var devices) ? devices.size() : 0;
  }

  /** Opens GPUs of the {@code gpus} that there are, or simulated devices where there are none. */
  static Devices open(int count, int gpus) {
    if (gpus > 0 && count > gpus) {
      throw new IllegalArgumentException("--gpus " + count + "; this machine has " + gpus);
    }
    var all = gpus == 0 ? Ops.simulators(count) : IntStream.range(0, count).mapToObj(Ops::gpu).toList();
    try {
      return new Devices(all, count == 1 ? List.of() : Communicator.among(all));
    } catch (RuntimeException e) {
      all.forEach(Ops::close);
      throw e;
    }
  }

  /** Runs a program on each device, in a thread of its own, and returns the results in order. */
  <T> List<T> run(BiFunction<Ops, Share, T> program) {
    if (ranks.isEmpty()) return List.of(program.apply(all.getFirst(), new Share(Optional.empty())));
    return RankThreads.run(ranks, rank -> program.apply(rank.ops(), new Share(Optional.of(rank))));
  }

  @Override
  public void close() {
    ranks.forEach(Communicator::close);
    all.forEach(Ops::close);
  }

  @Override
  public String toString() {
    return (all.size() == 1 ? "" : all.size() + " × ") + all.getFirst();
  }
}
