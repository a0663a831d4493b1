package tilewright.simulator.tensormap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import tilewright.simulator.SimulatorOptions;

/** Kernels that copy by tensor maps leave what they left on an H200. */
class RecordedCopiesTest {
  /** Of each stored-to tensor. */
  private static final int STRIDE = 16384;

  private static InputStream resource(String name) {
    return RecordedCopiesTest.class.getResourceAsStream("/tilewright/simulator/tma/" + name);
  }

  private static byte[] recorded(String name) throws IOException {
    try (var in = new GZIPInputStream(resource(name))) {
      return in.readAllBytes();
    }
  }

  private static List<String> lines(String name) throws IOException {
    try (var in = resource(name)) {
      return new String(in.readAllBytes()).lines().toList();
    }
  }

  /** Sixteen-bit words that are their index times {@code factor} plus {@code first}. */
  private static byte[] words(int bytes, int factor, int first) {
    var b = new byte[bytes];
    for (int i = 0; i < bytes / 2; i++) {
      b[2 * i] = (byte) (i * factor + first);
      b[2 * i + 1] = (byte) (i * factor + first >> 8);
    }
    return b;
  }

  /** The recorded words are differences from the word before. */
  @Test
  void loads() throws IOException {
    var lines = lines("loads.txt");
    var recorded = recorded("loads.bin.gz");
    var kernel = TmaKernel.loads("sm_90a");
    var tensors = words(1 << 17, 1, 0);
    int word = 0;
    for (int begin = 0; begin < lines.size(); begin += TmaKernel.MOST_CASES) {
      var cases = lines.subList(begin, Math.min(lines.size(), begin + TmaKernel.MOST_CASES));
      var out = new byte[TmaKernel.IMAGE * cases.size()];
      var result = kernel.load(cases.stream().map(TmaCase::parse).toList(), tensors, out, SimulatorOptions.defaults());
      assertEquals(List.of(), result.findings());
      for (int i = 0; i < out.length; i += 2) {
        int at = begin * TmaKernel.IMAGE + i;
        word += recorded[at] & 0xFF | recorded[at + 1] << 8;
        if ((short) word != (short) (out[i] & 0xFF | out[i + 1] << 8)) {
          assertEquals(hex(word), hex(out[i] & 0xFF | out[i + 1] << 8),
              "word at " + i % TmaKernel.IMAGE + " of " + cases.get(i / TmaKernel.IMAGE));
        }
      }
    }
  }

  private static String hex(int word) {
    return Integer.toHexString(word & 0xFFFF);
  }

  @Test
  void stores() throws IOException {
    agreeOnStores("stores");
  }

  @Test
  void reductions() throws IOException {
    agreeOnStores("reductions");
  }

  /**
   * Each line has the case's number when it was recorded, which its tensor's first contents depend on; recorded is the
   * exclusive or with these.
   */
  private static void agreeOnStores(String name) throws IOException {
    var lines = lines(name + ".txt");
    var recorded = recorded(name + ".bin.gz");
    var kernel = TmaKernel.stores("sm_90a");
    for (int begin = 0; begin < lines.size(); begin += TmaKernel.MOST_CASES) {
      int end = Math.min(lines.size(), begin + TmaKernel.MOST_CASES);
      var tensors = new byte[(end - begin) * STRIDE];
      var cases = new ArrayList<TmaCase>();
      for (var line : lines.subList(begin, end)) {
        var parts = line.split(" ");
        var first = words(STRIDE, 40503, 7 + 40503 * Integer.parseInt(parts[0]) * STRIDE / 2);
        System.arraycopy(first, 0, tensors, cases.size() * STRIDE, STRIDE);
        cases.add(TmaCase.parse(parts[1]));
      }
      var expected = Arrays.copyOfRange(recorded, begin * STRIDE, end * STRIDE);
      for (int i = 0; i < expected.length; i++) expected[i] ^= tensors[i];
      var result = kernel.store(cases, words(TmaKernel.REGION, 1, 0), tensors, STRIDE, SimulatorOptions.defaults());
      assertEquals(List.of(), result.findings());
      int first = Arrays.mismatch(expected, tensors);
      if (first >= 0) {
        assertEquals(expected[first], tensors[first], "byte " + first % STRIDE + " of " + cases.get(first / STRIDE));
      }
    }
  }
}
