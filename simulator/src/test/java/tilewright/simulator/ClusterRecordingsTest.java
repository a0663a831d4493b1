package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.ptx.Dim3;

/** Kernels of clusters against what an H200 gave for them; their texts say what they do. */
class ClusterRecordingsTest {
  private static byte[] resource(String name) throws IOException {
    try (var in = ClusterRecordingsTest.class.getResourceAsStream("cluster/" + name)) {
      return in.readAllBytes();
    }
  }

  private static String ptx(String name) throws IOException {
    return new String(resource(name + ".ptx"), StandardCharsets.UTF_8);
  }

  private static ByteBuffer recorded(String name) throws IOException {
    try (var in = new GZIPInputStream(ClusterRecordingsTest.class.getResourceAsStream(
        "cluster/" + name + ".h200.bin.gz"))) {
      return ByteBuffer.wrap(in.readAllBytes());
    }
  }

  private static byte[] next(ByteBuffer from, int bytes) {
    var part = new byte[bytes];
    from.get(part);
    return part;
  }

  @Test
  void mbarriersChangeStepByStepAsOnTheHardware() throws IOException {
    int clusters = 48;
    int steps = 160;
    var recorded = recorded("mbarriers");
    var program = next(recorded, clusters * (steps + 1) * 8);
    var expected = next(recorded, clusters * steps * 16);
    for (long seed = 0; seed < 3; seed++) {
      var out = new byte[expected.length];
      var result = Clusters.run(ptx("mbarriers"), Dim3.of(2 * clusters), 1, Dim3.of(2), Kernels.PLAIN.withSeed(seed),
          program, out, new byte[clusters * steps * 32]);
      assertEquals(List.of(), result.findings());
      assertArrayEquals(expected, out);
    }
  }

  @Test
  void atomicsAndAsynchronousOperationsOnOtherBlocksGiveTheHardwaresBits() throws IOException {
    int threads = 4 * 4 * 32;
    int atomics = 27;
    int slots = 46;
    // As ptxas 13.0 assembles them, the additions of f16x2 and bf16x2 there add integers: no behaviour to copy.
    var wrong = Set.of(13, 14);
    var recorded = recorded("exchange");
    var in = next(recorded, threads * 32);
    var expectedOld = next(recorded, threads * atomics * 8);
    var expectedAfter = next(recorded, threads * slots * 16);
    var old = new byte[expectedOld.length];
    var after = new byte[expectedAfter.length];
    var result = Clusters.run(ptx("exchange"), Dim3.of(16), 32, Dim3.of(4), Kernels.PLAIN, in, old, after);
    assertEquals(List.of(), result.findings());
    assertArrayEquals(expectedOld, old);
    var differing = new TreeSet<Integer>();
    for (int i = 0; i < threads * slots; i++) {
      for (int b = 0; b < 16; b++) {
        int change = after[16 * i + b] ^ in[32 * (i / slots) + b];
        if ((byte) change != expectedAfter[16 * i + b]) differing.add(i % slots);
      }
    }
    assertEquals(wrong, differing);
  }

  @ParameterizedTest
  @CsvSource({"registers,'',4,6,4,2,3,2", "registers_none,'',3,2,1,1,1,1", "registers_sixteen,'',32,1,1,16,1,1",
      "registers_required,'.explicitcluster .reqnctapercluster 4, 2, 1',8,2,1,1,1,1"})
  void registersAddressesAndBarriersOfClustersAreTheHardwares(String name, String directives, int x, int y, int z,
      int clusterX, int clusterY, int clusterZ) throws IOException {
    int blocks = x * y * z;
    var expected = next(recorded(name), blocks * 192);
    var out = new byte[blocks * 256];
    var text = ptx("registers").replace(".param .u64 out)", ".param .u64 out) " + directives);
    var result = Clusters.run(text, new Dim3(x, y, z), 40, new Dim3(clusterX, clusterY, clusterZ), Kernels.PLAIN, out);
    assertEquals(List.of(), result.findings());
    for (int b = 0; b < blocks; b++) {
      assertArrayEquals(Arrays.copyOfRange(expected, 192 * b, 192 * (b + 1)),
          Arrays.copyOfRange(out, 256 * b, 256 * b + 192), "block " + b);
    }
  }
}
