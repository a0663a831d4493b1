package tilewright.simulator.core;

import java.util.Arrays;
import java.util.SplittableRandom;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;

/** A thread block: its warps, its shared memory, and the seeded order in which they run. */
final class Cta {
  private static final int LONGEST_TURN = 24;
  private static final int FLUSH = 1 << 16;

  final Kernel kernel;
  final Launch launch;
  final LaunchState state;
  final AddressSpace space;
  final byte[] parameters;
  final int threads;
  final Warp[] warps;
  final byte[] shared;
  final int sharedBytes;
  final Barriers barriers;
  final Mbarriers mbarriers;
  final BulkCopies bulk;
  final AsyncArrivals arrivals;
  final TensorTile tile;
  final TensorCores tensorCores;
  final MmaUnit mma;
  final WmmaTransfer wmma;
  final Places places;
  /** Null when the launch is not sanitized. */
  final Sanitizer sanitizer;
  /** Null when nobody looks on. */
  final Watch watch;
  /** Null when the launch is not profiled. */
  final ExecutionCounter executions;
  /** Null when the launch is not profiled, and for later CTAs. */
  Timeline.Recorder recorder;
  long number;
  Dim3 position = new Dim3(0, 0, 0);
  private SplittableRandom random = new SplittableRandom();
  private final WarpRunner runner;
  private final int[] candidates;
  private long executed;
  /** The warp that runs, for reports; null while none does. */
  Warp running;

  Cta(LaunchState state) {
    this.state = state;
    kernel = state.kernel;
    launch = state.launch;
    space = state.space;
    parameters = state.parameters;
    threads = (int) launch.block().size();
    sharedBytes = state.sharedBytes;
    shared = new byte[sharedBytes];
    warps = new Warp[(threads + Warp.LANES - 1) / Warp.LANES];
    candidates = new int[warps.length];
    places = state.places;
    sanitizer = state.sanitize ? new Sanitizer(this) : null;
    watch = state.watched() ? new Watch(sanitizer, state.newTraffic()) : null;
    executions = state.profile ? state.newExecutions() : null;
    barriers = new Barriers(this);
    mbarriers = new Mbarriers(this);
    bulk = new BulkCopies(this);
    arrivals = new AsyncArrivals(this);
    tile = new TensorTile(state.tensorModel, state.adder);
    tensorCores = new TensorCores(tile);
    mma = new MmaUnit(tile);
    wmma = new WmmaTransfer();
    runner = new WarpRunner(this);
    for (int i = 0; i < warps.length; i++) warps[i] = new Warp(this, i);
  }

  /** Becomes the block of that number. */
  void reset(long number) {
    this.number = number;
    position = blockAt(number);
    random = new SplittableRandom(state.seed * 0x9E3779B97F4A7C15L + number);
    // Whatever a kernel reads without writing it first should look wrong, and the same every time.
    Arrays.fill(shared, (byte) 0xCD);
    for (var w : warps) w.reset();
    barriers.reset();
    mbarriers.reset();
    bulk.reset();
    arrivals.reset();
    if (sanitizer != null) sanitizer.reset();
    recorder = state.profile && number < Timeline.MOST_CTAS ? state.timeline.new Recorder(this) : null;
  }

  /** The position of the block of that number. */
  Dim3 blockAt(long block) {
    var grid = launch.grid();
    return new Dim3((int) (block % grid.x()), (int) (block / grid.x() % grid.y()),
        (int) (block / ((long) grid.x() * grid.y())));
  }

  /** The position in the block of the thread of that number. */
  Dim3 thread(int thread) {
    return warps[thread / Warp.LANES].thread(thread % Warp.LANES);
  }

  SplittableRandom random() {
    return random;
  }

  boolean finished() {
    for (var w : warps) if (!w.finished()) return false;
    return true;
  }

  /** Runs until all threads have exited or the turns are used up; returns whether they have exited. */
  boolean run(int turns) {
    while (turns-- > 0) {
      int n = 0;
      for (int i = 0; i < warps.length; i++) if (warps[i].runnable()) candidates[n++] = i;
      boolean copying = bulk.pending() || arrivals.pending();
      if (n == 0 && !copying) {
        if (finished()) {
          bulk.drain();
          arrivals.drain();
          return true;
        }
        throw StuckReport.of(this);
      }
      if (copying && (n == 0 || random.nextInt(4) == 0)) {
        landOne();
      } else {
        running = warps[candidates[random.nextInt(n)]];
        runner.run(running, 1 + random.nextInt(LONGEST_TURN));
        running = null;
        executed += runner.takeExecuted();
        if (executed > FLUSH) flush();
      }
    }
    return false;
  }

  private void landOne() {
    if (arrivals.pending() && (!bulk.pending() || random.nextBoolean())) {
      arrivals.landOne();
    } else {
      bulk.landOne();
    }
  }

  /** A thread prints. */
  void print(String text) {
    state.print(number, text);
  }

  /** Adds what was executed to the launch's count. */
  void flush() {
    long n = executed;
    executed = 0;
    state.executed(n);
  }
}
