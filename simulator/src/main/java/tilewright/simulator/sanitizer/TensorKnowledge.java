package tilewright.simulator.sanitizer;

import java.util.Arrays;

/**
 * How far some warp's {@code tcgen05} operations are known, for each warp of the cluster: which have been issued
 * before, and of each class which are done. Operations of a warp are numbered from 1.
 */
public final class TensorKnowledge {
  /** Operations that complete in the same way. */
  public enum Completion {
    /** Multiplications, copies and shifts, which a commit tracks. */
    COMMIT,
    /** Loads, which {@code wait::ld} waits for. */
    LOAD,
    /** Stores, which {@code wait::st} waits for. */
    STORE
  }

  private static final int CLASSES = Completion.values().length;
  /** Issued, then done by class; by warp. */
  private final int[][] known;

  TensorKnowledge(int warps) {
    known = new int[CLASSES + 1][warps];
  }

  int warps() {
    return known[0].length;
  }

  public boolean issued(int warp, int number) {
    return known[CLASSES][warp] >= number;
  }

  public boolean done(Completion how, int warp, int number) {
    return known[how.ordinal()][warp] >= number;
  }

  void reachIssued(int warp, int number) {
    known[CLASSES][warp] = Math.max(known[CLASSES][warp], number);
  }

  void reachDone(Completion how, int warp, int number) {
    known[how.ordinal()][warp] = Math.max(known[how.ordinal()][warp], number);
  }

  void join(TensorKnowledge other) {
    for (int i = 0; i < known.length; i++) {
      for (int w = 0; w < known[i].length; w++) known[i][w] = Math.max(known[i][w], other.known[i][w]);
    }
  }

  void clear() {
    for (var k : known) Arrays.fill(k, 0);
  }
}
