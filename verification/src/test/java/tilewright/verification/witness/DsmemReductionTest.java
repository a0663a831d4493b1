package tilewright.verification.witness;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;

/** Sums over a cluster by loads from the shared memory of others, and by asynchronous stores and additions there. */
class DsmemReductionTest {
  private static final int RANKS = 4;
  private static final int CLUSTER_ROWS = 32;
  private static final int ROWS = 2 * CLUSTER_ROWS + 13;
  private static final int COLUMNS = 333;
  private static final float[] X = Floats.mixed(ROWS * COLUMNS, 5);

  static Witness pull() {
    return new Witness(launch("pull", "x", "sums"), Map.of("sums", MemorySegment.ofArray(sums())));
  }

  static Witness push() {
    return new Witness(launch("push", "x", "sums", "negative"),
        Map.of("sums", MemorySegment.ofArray(sums()), "negative", MemorySegment.ofArray(negative())));
  }

  private static Launch launch(String entry, String... buffers) {
    int clusters = Math.ceilDiv(ROWS, CLUSTER_ROWS);
    var arguments = new ArrayList<Argument>();
    for (var buffer : buffers) arguments.add(new Argument.Buffer(buffer));
    arguments.addAll(List.of(Argument.u32(ROWS), Argument.u32(COLUMNS)));
    return new Launch(Witness.ptx("dsmem_reduction"), entry, Dim3.of(RANKS * clusters), Dim3.of(128), Dim3.of(RANKS), 0,
        Map.of("x", MemorySegment.ofArray(X), "sums", MemorySegment.ofArray(new float[ROWS]),
            "negative", MemorySegment.ofArray(new int[ROWS])), arguments);
  }

  /** In the kernel's order: lanes step by 32 through a rank's columns, halves are folded, ranks follow each other. */
  private static float[] sums() {
    var sums = new float[ROWS];
    for (int row = 0; row < ROWS; row++) {
      for (int rank = 0; rank < RANKS; rank++) {
        var lanes = new float[32];
        int begin = rank * COLUMNS / RANKS;
        for (int c = begin; c < (rank + 1) * COLUMNS / RANKS; c++) lanes[(c - begin) % 32] += X[row * COLUMNS + c];
        for (int half = 16; half > 0; half /= 2) for (int i = 0; i < half; i++) lanes[i] += lanes[i + half];
        sums[row] += lanes[0];
      }
    }
    return sums;
  }

  private static int[] negative() {
    var negative = new int[ROWS];
    for (int i = 0; i < X.length; i++) if (X[i] < 0) negative[i / COLUMNS]++;
    return negative;
  }

  @Test
  void loadsFromOtherBlocksAddUpInTheOrderOfRanks() {
    pull().underSeeds(100);
  }

  @Test
  void asynchronousStoresAreThereWhenTheirBytesAreCounted() {
    push().underSeeds(100);
  }

  @Test
  void anH200LeftTheseBits() {
    pull().wasRecorded("dsmem_reduction.pull");
    push().wasRecorded("dsmem_reduction.push");
  }

  @Test
  @Tag("gpu")
  void bothAddUpTheSameOnAGpu() {
    pull().onGpu(90);
    push().onGpu(90);
  }
}
