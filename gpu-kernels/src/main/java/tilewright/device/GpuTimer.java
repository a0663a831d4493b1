package tilewright.device;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.function.IntConsumer;

/** Times work on a GPU by events around each run. */
public final class GpuTimer {
  private static final int GRAPH_WARMUPS = 2;

  private GpuTimer() {}

  /**
   * Milliseconds of each run. Enqueues all runs and only then waits, so that the host's part of a launch hides behind
   * the device's work of the run before.
   *
   * @param launch enqueues one run on the stream, given its number from 0 (warm-ups first), by which the caller rotates
   *     buffers so that no run finds its input in the cache
   * @param warmups runs that do not count
   * @param runs more than 0
   */
  public static double[] times(Gpu gpu, Stream stream, int warmups, int runs, IntConsumer launch) {
    if (runs <= 0) {
      throw new IllegalArgumentException("cannot take the median of " + runs + " runs; ask for at least one");
    }
    var starts = new ArrayList<Event>();
    var ends = new ArrayList<Event>();
    try {
      for (int i = 0; i < runs; i++) {
        starts.add(gpu.event());
        ends.add(gpu.event());
      }
      for (int i = 0; i < warmups; i++) launch.accept(i);
      for (int i = 0; i < runs; i++) {
        starts.get(i).record(stream);
        launch.accept(warmups + i);
        ends.get(i).record(stream);
      }
      stream.synchronize("timing " + runs + " runs");
      var times = new double[runs];
      for (int i = 0; i < runs; i++) times[i] = ends.get(i).millisecondsSince(starts.get(i));
      return times;
    } finally {
      starts.forEach(Event::close);
      ends.forEach(Event::close);
    }
  }

  /**
   * Milliseconds of a run that is too short to time alone: so many runs are captured as a graph, and each time is that
   * of a replay over their number.
   *
   * @param launch enqueues one run on the stream, given its number in the graph
   */
  public static double[] replayTimes(Gpu gpu, Stream stream, int runsInGraph, int replays, IntConsumer launch) {
    try (var graph = stream.capture(() -> {
      for (int i = 0; i < runsInGraph; i++) launch.accept(i);
    })) {
      return Arrays.stream(times(gpu, stream, GRAPH_WARMUPS, replays, _ -> graph.launch(stream)))
          .map(ms -> ms / runsInGraph).toArray();
    }
  }
}
