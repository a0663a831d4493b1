package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;

/**
 * Kernels that draw factors by hashing, multiply them with {@code mma} or {@code wgmma}, and hash what comes out, 64
 * bits for 128 sums or more: what an H200 recorded. Each goes in turn through raw bits, numbers near one, any
 * exponents, cancelling products, tiny and zero factors, huge ones, and a few large ones among others.
 */
class TensorCoresRecordedTest {
  private static final int ITERATIONS = 8;
  private static final int HASHES_OF_A_BLOCK_OF_WARPS = 64;
  private static final int HASHES_OF_A_WARPGROUP = 4 * ITERATIONS;

  private record Recording(String name, String ptx, long[] expected) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Recording> recordings() throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    try (InputStream in = TensorCoresRecordedTest.class.getResourceAsStream("tensor-cores-h200.zip");
        var zip = new ZipInputStream(in)) {
      for (ZipEntry e = zip.getNextEntry(); e != null; e = zip.getNextEntry()) {
        files.put(e.getName(), zip.readAllBytes());
      }
    }
    return files.keySet().stream().filter(f -> f.endsWith(".ptx")).map(f -> {
      var name = f.substring(0, f.length() - 4);
      var words = ByteBuffer.wrap(files.get(name + ".bin")).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
      long[] expected = new long[words.remaining()];
      words.get(expected);
      return new Recording(name, new String(files.get(f), StandardCharsets.UTF_8), expected);
    });
  }

  @ParameterizedTest
  @MethodSource("recordings")
  void sumsAreThoseOfTheHardware(Recording recording) {
    long[] out = new long[recording.expected.length];
    boolean warpgroups = recording.ptx.contains("wgmma");
    boolean hashes = !recording.name.startsWith("tie");
    int grid = !hashes ? 1 : out.length / (warpgroups ? HASHES_OF_A_WARPGROUP : HASHES_OF_A_BLOCK_OF_WARPS);
    int threads = warpgroups ? 128 : hashes ? 256 : 32;
    var buffer = new Launch.Argument.Buffer("out");
    List<Launch.Argument> arguments = hashes
        ? List.of(buffer, new Launch.Argument.Buffer("raw"), Launch.Argument.u32(ITERATIONS)) : List.of(buffer);
    var launch = new Launch(recording.ptx, recording.name, Dim3.of(grid), Dim3.of(threads), Dim3.ONE,
        warpgroups ? 81_920 : 0,
        Map.of("out", MemorySegment.ofArray(out), "raw", MemorySegment.ofArray(new byte[1 << 19])), arguments);
    assertEquals(List.of(), Simulator.load(recording.ptx).run(launch, Kernels.PLAIN.withArchitecture(90)).findings());
    assertArrayEquals(recording.expected, out);
  }
}
